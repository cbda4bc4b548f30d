/** The fake service in a host without the classes of `fetch`, such as jsdom. */

import { createFakeService } from "inspection-findings/testing";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { ask, jsonOf } from "./answers.js";

beforeEach(() => {
  for (const name of ["Response", "Request", "ReadableStream", "TextEncoder", "TextDecoder", "performance"]) {
    vi.stubGlobal(name, undefined);
  }
});

afterEach(() => {
  vi.unstubAllGlobals();
});

test("answers have the members that callers of fetch read", async () => {
  const service = createFakeService({ scenario: "flaky" });
  const refused = await ask(service, "Findings/1");
  expect(refused).toMatchObject({ ok: false, status: 500, body: null, redirected: false, type: "default" });
  expect(refused.headers.get("content-type")).toBe("application/json; charset=utf-8");
  const answer = await ask(service, "Findings/1");
  expect(answer).toMatchObject({ ok: true, status: 200 });
  expect(await answer.json()).toMatchObject({ TopicPartitions: 8, errors: null });
});

test("the bytes are the same as elsewhere", async () => {
  const bare = await (await ask(createFakeService(), "Findings/1/Topics/0")).arrayBuffer();
  const text = await (await ask(createFakeService(), "Findings/1/Topics/0")).text();
  vi.unstubAllGlobals();
  const usual = await (await ask(createFakeService(), "Findings/1/Topics/0")).arrayBuffer();
  expect(Buffer.compare(Buffer.from(bare), Buffer.from(usual))).toBe(0);
  expect(text).toBe(new TextDecoder().decode(usual));
});

test("all faults work", async () => {
  const service = createFakeService();
  service.use({ bandwidth: 5_000 });
  const begin = Date.now();
  await jsonOf(service, "Findings/1");
  expect(Date.now() - begin).toBeGreaterThan(10);
  service.use({ malformed: 1 });
  await expect(jsonOf(service, "Findings/1")).rejects.toThrow(SyntaxError);
  service.use({ rateLimit: 1 });
  expect((await ask(service, "Findings/1")).status).toBe(200);
  expect((await ask(service, "Findings/1")).status).toBe(429);
  service.use({ bandwidth: 1 });
  const controller = new AbortController();
  const body = (await ask(service, "Findings/1", { signal: controller.signal })).arrayBuffer();
  controller.abort("enough");
  await expect(body).rejects.toBe("enough");
});
