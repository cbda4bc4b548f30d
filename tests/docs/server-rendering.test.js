/** The route handlers of the page about server rendering: they stream all findings, with the server's token, and stop for a reader that leaves. */

import assert from "node:assert/strict";
import process from "node:process";
import { after, before, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { createFakeService } from "inspection-findings/testing";
import { serveFake } from "../http-server.js";

const baseUrl = "https://service.example/";
const fake = createFakeService({ baseUrl, topics: { findings: 900, partitions: 30 } });
const server = await serveFake(fake, baseUrl);

/** @type {[framework: string, respond: (request: Request) => Promise<Response>][]} */
const handlers = [
  [
    "Next",
    async (request) =>
      (await import("./recipes/next-route.js")).GET(request, { params: Promise.resolve({ key: "42" }) }),
  ],
  [
    "SvelteKit",
    async (request) => (await import("./recipes/sveltekit-server.js")).GET({ request, params: { key: "42" } }),
  ],
];

before(() => {
  process.env.FINDINGS_URL = `${server.origin}/`;
  process.env.FINDINGS_TOKEN = "secret";
});

beforeEach(() => {
  server.requests.length = 0;
});

after(() => server.close());

for (const [framework, respond] of handlers) {
  test(`the handler for ${framework} streams every finding as a line of JSON, with the server's token`, async () => {
    const response = await respond(new Request("http://page.test/findings/42"));
    assert.equal(response.headers.get("content-type"), "application/x-ndjson");
    const lines = (await response.text()).trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      fake.findings("topics"),
    );
    const tokens = server.requests.map(({ headers }) => headers.authorization);
    assert.deepEqual([tokens.length, ...new Set(tokens)], [31, "Bearer secret"]);
  });

  test(`the handler for ${framework} fetches no more for a reader that has left`, async () => {
    const controller = new AbortController();
    const response = await respond(new Request("http://page.test/findings/42", { signal: controller.signal }));
    const reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
    await reader.read();
    controller.abort();
    await reader.read().then(
      () => reader.cancel(),
      () => {},
    );
    await pause(100);
    const { length } = server.requests;
    await pause(300);
    assert.equal(server.requests.length, length);
    assert.ok(length < 31, `${length} requests`);
  });
}
