/** The recipes for React, Vue and Svelte on a server: they render what the browser begins with, and request nothing. */

import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { FindingsClient } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { createElement } from "react";
import { renderToString } from "react-dom/server";
import { createServer } from "vite";
import { createSSRApp } from "vue";
import { renderToString as renderVueToString } from "vue/server-renderer";
import { inRepository } from "../../tools/repository.js";
import { vueComponents } from "../browser/vue-components.js";

const folder = inRepository("tests", "browser", "recipes");

/** @type {import("vite").ViteDevServer} */
let vite;

before(async () => {
  vite = await createServer({
    configFile: false,
    root: folder,
    cacheDir: inRepository("target", "vite", "recipes"),
    plugins: [svelte({ configFile: false }), vueComponents()],
    server: { middlewareMode: true, ws: false },
    optimizeDeps: { noDiscovery: true },
    appType: "custom",
    logLevel: "warn",
  });
});

after(() => vite.close());

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
  for (const scenario of /** @type {const} */ (["small", "empty", "unknown-inspection"])) {
    test(`the component for ${framework} is rendered without a request, also if it would get "${scenario}"`, async () => {
      const service = createFakeService({ scenario });
      const { baseUrl, fetch } = service;
      const client = new FindingsClient({ baseUrl, fetch });
      const module = await vite.ssrLoadModule(`/${file}`);
      const html = await toHTML(module, { client, inspectionKey: 42 });
      assert.equal(html.replaceAll(/<!--.*?-->/g, "").trim(), "<p>Loading …</p>");
      // Its request would come after one of the component.
      await client.getPartitionCounts(42).catch(() => {});
      assert.equal(service.requests.length, 1);
      client.free();
    });
  }
}
