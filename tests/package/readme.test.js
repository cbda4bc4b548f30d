/** The README's quick start works in an empty project. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, before, test } from "node:test";
import { createServer } from "vite";
import { inRepository } from "../../tools/repository.js";
import { newPage, startBrowser } from "./page.js";
import { makeProject } from "./project.js";
import { startService } from "./service.js";

/** @type {Awaited<ReturnType<typeof startService>>} */
let service;
/** @type {Awaited<ReturnType<typeof startBrowser>>} */
let browser;
/** @type {ReturnType<typeof makeProject>} */
let project;

before(async () => {
  service = await startService();
  browser = await startBrowser();
  project = makeProject({
    "index.html": `<!doctype html><html lang="en"><meta charset="utf-8"><title>A project</title><link rel="icon" href="data:,">
      <script type="module" src="./main.js"></script></html>`,
    "main.js": `${quickStart()}\nglobalThis.reachedTheEnd = true;`,
  });
});

after(async () => {
  await browser?.close();
  project?.remove();
  await service?.close();
});

test("the quick start fetches every partition of an inspection, without a warning", async () => {
  const server = await createServer({
    root: project.folder,
    configFile: false,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  const opened = await newPage(browser);
  try {
    await server.listen();
    await answerFromService(opened.page);
    await opened.page.goto(String(server.resolvedUrls?.local[0]));
    await opened.page.waitForFunction("globalThis.reachedTheEnd", undefined, { timeout: 30_000 }).catch((cause) => {
      throw new Error(`The quick start did not end: ${JSON.stringify(opened.notices)}`, { cause });
    });
    assert.deepEqual(opened.notices.failures, []);
    assert.deepEqual(
      opened.notices.console.filter((message) => !/^(log|info|table|debug):/.test(message)),
      [],
    );
    assert.ok(
      service.requests.some((path) => /\/(Sentiment|Topics)\/\d+$/.test(path)),
      `partitions were requested: ${service.requests}`,
    );
  } finally {
    await opened.close();
    await server.close();
  }
});

test("the quick start is at most ten lines", () => {
  assert.ok(quickStart().split("\n").filter(Boolean).length <= 10);
});

/** The first piece of JavaScript under the heading "Quick start". */
function quickStart() {
  const section = readFileSync(inRepository("README.md"), "utf8").split(/^## Quick start$/m)[1] ?? "";
  const code = section.match(/^```(?:js|javascript|ts)\n(.*?)^```$/ms)?.[1];
  assert.ok(code !== undefined, 'README.md has JavaScript under "## Quick start"');
  return code;
}

/**
 * Redirects the requests of the quick start to the local service.
 * @param {import("playwright-core").Page} page
 */
async function answerFromService(page) {
  await page.route(/\/Findings\/\d+/, async (route) => {
    const path = new URL(route.request().url()).pathname.replace(/^.*\/Findings\//, "Findings/");
    await route.fulfill({ response: await route.fetch({ url: new URL(path, service.baseUrl).href }) });
  });
}
