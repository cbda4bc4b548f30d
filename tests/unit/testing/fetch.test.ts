/** The `fetch` of a fake service: what it takes, and how it ends. */

import { FindingsClient, getFindings } from "inspection-findings";
import { createFakeService, type FakeService } from "inspection-findings/testing";
import { describe, expect, test, vi } from "vitest";
import { ask } from "./requests.ts";

describe("the fetch of a service", () => {
  test("takes text, a URL and a Request, whose members init overrides", async () => {
    const service = createFakeService();
    const href = `${service.baseUrl}Findings/1`;
    const request = new Request(href, { method: "POST", headers: { "x-of": "request" } });
    const init: RequestInit = { method: "get", headers: [["x-of", "init"]] };
    const responses = [service.fetch(href), service.fetch(new URL(href)), service.fetch(request)];
    const statuses = (await Promise.all([...responses, service.fetch(request, init)])).map(({ status }) => status);
    expect(statuses).toEqual([200, 200, 405, 200]);
    expect(service.requests.map(({ headers }) => headers.get("x-of"))).toEqual([null, null, "request", "init"]);
  });

  test("rejects with the reason of a signal that is aborted already, and the service sees nothing", async () => {
    const service = createFakeService();
    await expect(ask(service, "Findings/1", { signal: AbortSignal.abort("enough") })).rejects.toBe("enough");
    expect(service.requests).toEqual([]);
  });

  test("fails a body that is read after an abort with its reason", async () => {
    for (const options of [{}, { topics: [[{ StringKey: 1 }]] }]) {
      const controller = new AbortController();
      const response = await ask(createFakeService(options), "Findings/1/Topics/0", { signal: controller.signal });
      controller.abort("enough");
      await expect(response.text()).rejects.toBe("enough");
    }
  });

  test("leaves no listener on a signal", async () => {
    const { signal } = new AbortController();
    const add = vi.spyOn(signal, "addEventListener");
    const remove = vi.spyOn(signal, "removeEventListener");
    const service = createFakeService({ faults: { latency: 1, bandwidth: 1e6 } });
    await (await ask(service, "Findings/1/Topics/0", { signal })).text();
    expect(add.mock.calls.length).toBeGreaterThan(1);
    const key = ([type, listener]: unknown[]) => [type, listener];
    expect(remove.mock.calls.map(key)).toEqual(add.mock.calls.map(key));
  });

  test("refuses a URL of another service, which it names, and ignores it; an unknown path is a 404", async () => {
    const service = createFakeService({ baseUrl: "https://service.test/cxi" });
    for (const href of ["https://other.test/cxi/Findings/1", "http://service.test/cxi/Findings/1"]) {
      const error = await service.fetch(href).catch((error) => error);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toContain(`${href} cannot be reached`);
      expect(error.message).toContain("https://service.test/cxi/");
    }
    expect(service.requests).toEqual([]);
    const { status } = await service.fetch("https://service.test/favicon.ico");
    expect([status, service.requests.length]).toEqual([404, 1]);
  });
});

describe("the package on the fetch of a service", () => {
  test.for(["slow", "jittered", "flaky", "rate-limited"] as const)(
    "gets everything under the scenario %s in one step of fake timers",
    async (scenario) => {
      await new FindingsClient().preload();
      vi.useFakeTimers();
      const service = createFakeService({ scenario });
      const findings = vi.fn();
      getFindings(42, "topics", optionsOf(service)).then(findings, findings);
      await vi.advanceTimersByTimeAsync(60_000);
      expect(findings.mock.calls).toEqual([[service.findings("topics")]]);
      vi.useRealTimers();
    },
  );
});

const optionsOf = ({ baseUrl, fetch }: FakeService) => ({ baseUrl, fetch });
