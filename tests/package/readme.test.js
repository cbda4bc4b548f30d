/** The README's quick start works in empty projects: in a page of Vite, and in Node. */

import assert from "node:assert/strict";
import { after, test } from "node:test";
import { createServer } from "vite";
import { section } from "../../tools/docs/pages.ts";
import { blocksOf } from "../docs/documents.js";
import { runNode } from "../run-node.js";
import { linesUntil, startBrowser } from "./page.js";
import { html, makeProject } from "./project.js";
import { startService } from "./service.js";

const [withoutService, withService] = blocksOf(section("Quick start"), "README.md").map(({ code }) => code);

/** What the quick start prints first. */
const firstShare = /^Delivery: 332 of 437 are negative$/m;

const service = await startService();
const browser = await startBrowser();
const project = makeProject({
  "main.js": withoutService,
  "first.html": html("./main.js"),
  "real.html": html("./real.js"),
  "real.js": withService.replace("https://service.example/cxi/", service.baseUrl),
});
const server = await createServer({
  root: project.folder,
  configFile: false,
  logLevel: "error",
  server: { host: "127.0.0.1", port: 0 },
});
await server.listen();

after(async () => {
  await server.close();
  await browser.close();
  project.remove();
  await service.close();
});

test("the quick start runs as pasted in an empty project of Vite, without a warning", async () => {
  await linesOfPage("first.html", firstShare);
});

test("the quick start with a real service fetches its partitions in a page, without a warning", async () => {
  service.requests.length = 0;
  await linesOfPage("real.html", /^7 /);
  assert.ok(service.requests.some((path) => /\/Sentiment\/\d+$/.test(path)));
});

for (const [name, file, first] of /** @type {[string, string, RegExp][]} */ ([
  ["the quick start runs as pasted in an empty project of Node", "main.js", firstShare],
  ["the quick start with a real service runs in Node", "real.js", /^7 /m],
])) {
  test(name, async () => {
    const { stdout, stderr } = await runNode([file], { cwd: project.folder });
    assert.match(stdout, first);
    assert.equal(stderr, "");
  });
}

/**
 * Opens a page of the project in Vite's development server, and waits for a line of its console.
 * @param {string} name
 * @param {RegExp} last
 * @returns {Promise<string[]>} the lines until then
 */
async function linesOfPage(name, last) {
  const { lines, notices } = await linesUntil(last, browser, new URL(name, server.resolvedUrls?.local[0]).href);
  assert.deepEqual(notices.failures, []);
  return lines;
}
