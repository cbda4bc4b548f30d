/** The fake service of `inspection-findings/testing` in a page. */

import { FindingsClient, getFindings } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { describe, expect, test } from "vitest";
import { handlersOf } from "../fake-backend/index.js";
import { digestOfSmallTopics, digestOfTopics } from "../testing/digest.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { worker } from "./service.js";

describe("the fake service", () => {
  test("gives the bytes that it gives in every engine", async () => {
    expect(await digestOfTopics(createFakeService({ seed: 1 }), 4)).toBe(digestOfSmallTopics);
  });

  test("gives a client what findings() says, with all faults that pass", async () => {
    const service = createFakeService({
      topics: { findings: 900, partitions: 9 },
      faults: { jitter: 5, errorRate: 0.3, reset: 0.2, slice: 5_000, bandwidth: 5e6, once: true },
    });
    const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch });
    expect(await client.getFindings(1, "topics")).toEqual(service.findings("topics"));
    expect(service.requests.length).toBeGreaterThan(10);
    client.free();
  });

  test("ends a silent request, and a slow body, with the caller's abort", async () => {
    for (const faults of [{ stall: 1 }, { bandwidth: 10 }]) {
      const { baseUrl, fetch } = createFakeService({ faults });
      const signal = AbortSignal.timeout(50);
      expect(await rejectionOf(getFindings(1, "topics", { baseUrl, fetch, signal }))).toBe(signal.reason);
    }
  });

  test("resolves a relative URL against the page", async () => {
    const service = createFakeService({ baseUrl: new URL(".", document.baseURI) });
    expect((await service.fetch("Findings/1")).status).toBe(200);
  });

  test("responds to the page's own requests by a handler of MSW", async () => {
    const service = createFakeService({ baseUrl: "https://service.test/cxi/", scenario: "flaky" });
    worker.use(...handlersOf(service));
    expect(await getFindings(1, "topics", { baseUrl: service.baseUrl })).toEqual(service.findings("topics"));
    service.use("unknown-inspection");
    expect(await failureOf(getFindings(1, "topics", { baseUrl: service.baseUrl }))).toMatchObject({ status: 404 });
    service.use({ reset: 1 });
    expect(await failureOf(getFindings(1, "topics", { baseUrl: service.baseUrl, retries: 0 }))).toMatchObject({
      code: "network",
    });
  });
});
