/** A fake service behind MSW, by the handler that the documentation shows. */

import { FindingsClient } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import { afterAll, afterEach, beforeAll, expect, test } from "vitest";

const service = createFakeService({ baseUrl: "https://service.test/cxi/" });
const handler = http.all(`${service.baseUrl}Findings/*`, ({ request }) =>
  service.fetch(request).catch(() => HttpResponse.error()),
);
const server = setupServer(handler);

beforeAll(() => server.listen({ onUnhandledFrame: "error" }));

afterEach(() => {
  server.resetHandlers();
  service.reset();
});

afterAll(() => server.close());

test("the global fetch reaches the service", async () => {
  const client = new FindingsClient({ baseUrl: service.baseUrl });
  expect(await client.getFindings(42, "topics")).toEqual(service.findings("topics"));
  expect(service.requests.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
  client.free();
});

test("a broken connection rejects the request", async () => {
  service.use({ reset: 1 });
  await expect(responseOf("Findings/1")).rejects.toThrow(TypeError);
});

test("a request that never gets a response ends with the caller's abort", async () => {
  service.use({ stall: 1 });
  await expect(responseOf("Findings/1", { signal: AbortSignal.timeout(50) })).rejects.toThrow(/timeout/);
});

test("other URLs are left to other handlers", async () => {
  server.use(http.get("https://service.test/cxi/other", () => HttpResponse.text("another")));
  expect((await responseOf("other")).text).toBe("another");
  server.use(http.get("https://service.test/cxi/Findings/1", () => HttpResponse.text("the first handler")));
  expect((await responseOf("Findings/1")).text).toBe("the first handler");
  expect(service.requests).toEqual([]);
});

/**
 * @param {string} path
 * @param {RequestInit} [init]
 */
async function responseOf(path, init) {
  const response = await fetch(new URL(path, service.baseUrl), init);
  return { status: response.status, text: await response.text() };
}
