/** The client of the guide for a service with other URLs and other names. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { saveFiles } from "./documents.js";

const { client } = await import(join(saveFiles("www/docs/requests.md"), "other-service.js"));

const items = Array.from({ length: 5 }, (_, index) => ({ text: `Comment ${index}`, subject: `Topic ${index % 2}` }));

/** @type {Record<string, unknown>} */
const bodies = {
  "https://reviews.example/reviews/42": { pages: 2, total: 5 },
  "https://reviews.example/reviews/42?page=0": { items: items.slice(0, 3) },
  "https://reviews.example/reviews/42?page=1": { items: items.slice(3) },
};

test("a fetch function and readCounts translate another service", async ({ mock }) => {
  mock.method(globalThis, "fetch", async (/** @type {string} */ url) =>
    url in bodies ? Response.json(bodies[url]) : new Response(null, { status: 404 }),
  );
  const table = await client.loadTable(42, "topics");
  assert.deepEqual(
    table.toArray(),
    items.map(({ text, subject }) => ({ Comment: text, Topic: { Text: subject } })),
  );
  await assert.rejects(client.getFindings(43, "topics"), { code: "http", status: 404 });
});
