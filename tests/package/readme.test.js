/** The README's quick start works in empty projects: in a page of Vite, and in Node. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { join } from "node:path";
import process from "node:process";
import { after, before, test } from "node:test";
import { promisify } from "node:util";
import { createServer } from "vite";
import { blocksOf } from "../../tools/docs/blocks.js";
import { section } from "../../tools/docs/pages.js";
import { newPage, startBrowser } from "./page.js";
import { html, makeProject } from "./project.js";
import { startService } from "./service.js";

const [withoutService, withService] = blocksOf(section("Quick start"), "README.md").map(({ code }) => code);

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
    "index.html": html("./main.js"),
    "main.js": withoutService,
    "real.html": html("./real.js"),
    "real.js": onLocalService(withService),
  });
});

after(async () => {
  await browser?.close();
  project?.remove();
  await service?.close();
});

test("the quick start runs as pasted in an empty project of Vite, without a warning", async () => {
  const lines = await linesOfPage("index.html", /^10000 /);
  assert.ok(lines.includes("20 of 20"), lines.join("\n"));
});

test("the quick start with a real service fetches its partitions in a page, without a warning", async () => {
  service.requests.length = 0;
  await linesOfPage("real.html", /^7 /);
  assert.ok(service.requests.some((path) => /\/Sentiment\/\d+$/.test(path)));
});

for (const [name, file, first] of /** @type {[string, string, RegExp][]} */ ([
  ["the quick start runs as pasted in an empty project of Node", "main.js", /^0 of 20$/m],
  ["the quick start with a real service runs in Node", "real.js", /^7 /m],
])) {
  test(name, async () => {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file], { cwd: join(project.folder) });
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
  const server = await createServer({
    root: project.folder,
    configFile: false,
    logLevel: "error",
    server: { host: "127.0.0.1", port: 0 },
  });
  const { page, notices, close } = await newPage(browser);
  try {
    await server.listen();
    const ended = page.waitForEvent("console", { predicate: (message) => last.test(message.text()), timeout: 30_000 });
    await page.goto(new URL(name, server.resolvedUrls?.local[0]).href);
    await ended.catch((cause) => {
      throw new Error(`The page did not end: ${JSON.stringify(notices)}`, { cause });
    });
    assert.deepEqual(notices.failures, []);
    const lines = notices.console.map((line) => line.replace(/^log: /, ""));
    assert.deepEqual(
      notices.console.filter((line) => !line.startsWith("log: ")),
      [],
    );
    return lines;
  } finally {
    await close();
    await server.close();
  }
}

/** @param {string} code */
function onLocalService(code) {
  return code.replace("https://service.example/cxi/", service.baseUrl);
}
