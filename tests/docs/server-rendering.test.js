/** The page about server rendering: its components render what the browser begins with, and its route handlers stream all findings. */

import assert from "node:assert/strict";
import { join } from "node:path";
import process from "node:process";
import { after, beforeEach, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import vue from "@vitejs/plugin-vue";
import { FindingsClient } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createServer } from "vite";
import { createSSRApp } from "vue";
import { renderToString as renderVueToString } from "vue/server-renderer";
import { inRepository } from "../../tools/repository.js";
import { serveFake } from "../service/http-server.js";
import { saveFiles } from "./documents.js";

const { fake, requests, close } = await serveFake({ topics: { findings: 900, partitions: 30 } });

process.env.FINDINGS_URL = fake.baseUrl;
process.env.FINDINGS_TOKEN = "bearer secret";
const vite = await createServer({
  configFile: false,
  root: saveFiles("www/docs/frameworks.md"),
  cacheDir: inRepository("target", "vite", "recipes"),
  plugins: [svelte({ configFile: false }), vue()],
  server: { middlewareMode: true, ws: false },
  optimizeDeps: { noDiscovery: true },
  appType: "custom",
  logLevel: "warn",
});

beforeEach(() => {
  requests.length = 0;
});

after(async () => {
  await vite.close();
  await close();
});

/**
 * How each framework renders its component to HTML.
 * @type {[framework: string, file: string, toHTML: (module: any, properties: Record<string, unknown>) => string | Promise<string>][]}
 */
const renderers = [
  ["React", "groups.tsx", ({ Groups }, properties) => renderToString(createElement(Groups, properties))],
  ["Vue", "TopicGroups.vue", (module, properties) => renderVueToString(createSSRApp(module.default, properties))],
  [
    "Svelte",
    "Groups.svelte",
    async (module, props) => {
      // The copy of the runtime that the component imports.
      const { render } = await vite.ssrLoadModule("svelte/server");
      return render(module.default, { props }).body;
    },
  ],
];

for (const [framework, file, toHTML] of renderers) {
  test(`the component for ${framework} is rendered without a request`, async () => {
    const service = createFakeService();
    const client = new FindingsClient({ baseUrl: service.baseUrl, fetch: service.fetch });
    const module = await vite.ssrLoadModule(`/${file}`);
    const html = await toHTML(module, { client, inspectionKey: 42 });
    assert.equal(html.replaceAll(/<!--.*?-->/g, "").trim(), "<p>Loading …</p>");
    // Its request would come after one of the component.
    await client.getPartitionCounts(42);
    assert.equal(service.requests.length, 1);
    client.free();
  });
}

const saved = saveFiles("www/docs/node.md");
const next = await import(join(saved, "next-route.js"));
const svelteKit = await import(join(saved, "sveltekit-server.js"));

/** @type {[framework: string, respond: (request: Request) => Promise<Response>][]} */
const handlers = [
  ["Next", (request) => next.GET(request, { params: Promise.resolve({ key: "42" }) })],
  ["SvelteKit", (request) => svelteKit.GET({ request, params: { key: "42" } })],
];

for (const [framework, respond] of handlers) {
  test(`the handler for ${framework} streams every finding as a line of JSON, with the server's token`, async () => {
    const response = await respond(new Request("http://page.test/findings/42"));
    assert.equal(response.headers.get("content-type"), "application/x-ndjson");
    // Otherwise nginx would hold it back until it is complete.
    assert.equal(response.headers.get("x-accel-buffering"), "no");
    const lines = (await response.text()).trimEnd().split("\n");
    assert.deepEqual(
      lines.map((line) => JSON.parse(line)),
      fake.findings("topics"),
    );
    const tokens = requests.map(({ headers }) => headers.authorization);
    assert.deepEqual([tokens.length, ...new Set(tokens)], [31, "bearer secret"]);
  });

  test(`the handler for ${framework} says before the first line that the findings cannot be had`, async () => {
    fake.use("unknown-inspection");
    const response = await respond(new Request("http://page.test/findings/42"));
    fake.reset();
    assert.equal(response.status, 502);
    assert.deepEqual(await response.json(), { errors: ["The findings of this inspection cannot be found."] });
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
    const { length } = requests;
    await pause(300);
    assert.equal(requests.length, length);
    assert.ok(length < 31, `${length} requests`);
  });
}
