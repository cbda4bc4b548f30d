/** The code of the documentation in a browser: blocks run to their end, and pages open under the policies that it gives. */

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { after, test } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { newPage, resultOf, startBrowser } from "../package/page.js";
import { startService } from "../package/service.js";
import { allBlocks, blocksIn } from "./documents.js";
import { isPartial, isRunInPage } from "./rules.js";
import { html, servePages } from "./served-pages.js";

const blocks = allBlocks();
const [withMap, fromFirstByte] = blocksIn("www/docs/getting-started.md").filter(({ language }) => language === "html");
const [map = ""] = withMap.code.match(/(?<=<script type="importmap">).*?(?=<\/script>)/s) ?? [];
const [policy, policyWithHash] = blocks
  .filter(({ language }) => language === "http")
  .map(({ code }) => code.replace("Content-Security-Policy: ", "").trim());

const service = await startService();
const browser = await startBrowser();
const pages = await servePages(service.baseUrl);

after(async () => {
  await browser.close();
  await pages.close();
  await service.close();
});

test("every block runs to its end, and leaves no error uncaught", async (t) => {
  const { page, close } = await newPage(browser);
  /** @type {string[]} */
  const uncaught = [];
  page.on("pageerror", ({ message }) => uncaught.push(`${page.url()}: ${message}`));
  for (const block of blocks.filter(isRunInPage)) {
    await t.test(`${block.place} runs`, async () => {
      const prepare = isPartial(block) ? () => failAtFirst(page, "/Sentiment/1") : undefined;
      assert.equal(await pages.run(page, block, prepare), undefined);
      await page.unrouteAll();
    });
  }
  await page.goto("about:blank");
  assert.deepEqual(uncaught, []);
  await close();
});

const plain = html('<script type="module" src="./main.js"></script>');

/** @type {[name: string, policy: string, index: string, options: string][]} */
const underPolicies = [
  ["allows what the package does in the page", policy, plain, "worker: false"],
  ["allows what the package does in a worker", policy, plain, "worker: true"],
  ["with a hash allows the import map", policyWithHash, `<link rel="icon" href="data:,">${withMap.code}`, ""],
];

for (const [name, policy, index, options] of underPolicies) {
  test(`the policy ${name}`, async () => {
    const { page, notices, close } = await newPage(browser);
    const entry = index.includes("importmap") ? "inspection-findings" : "/dist/index.js";
    const fake = entry.startsWith("/") ? "" : `import "${entry}/testing";`;
    const main = `import { getFindings } from "${entry}"; ${fake}
      globalThis.result = getFindings(42, "sentiment", { baseUrl: "${service.baseUrl}", ${options} }).then(({ length }) => length, String);`;
    await pages.open(
      page,
      { "index.html": index, "main.js": main },
      { headers: { "content-security-policy": policy } },
    );
    assert.equal(await resultOf(page), 7);
    assert.deepEqual([notices.console, notices.failures], [[], []]);
    await close();
  });
}

test("the hash of the policy is that of the import map alone", () => {
  assert.ok(policyWithHash.includes(`'sha256-${createHash("sha256").update(map).digest("base64")}'`));
});

test("the file, the script and the first request leave the page side by side, and the file is loaded once", async () => {
  service.requests.length = 0;
  const asked = async (/** @type {string[]} */ paths, /** @type {string} */ end) => {
    while (!paths.some((path) => path.endsWith(end))) await pause(5);
  };
  // Each response waits for the request that must not wait for it.
  const { text, notices } = await openFromFirstByte(async (pathname) => {
    if (pathname.endsWith("/manual.js")) await asked(pages.asked, ".wasm");
    if (pathname.endsWith(".wasm")) await asked(service.requests, "/Findings/42");
  });
  assert.equal(text, "7 findings");
  assert.equal(pages.asked.filter((pathname) => pathname.endsWith(".wasm")).length, 1);
  assert.deepEqual([notices.console, notices.failures], [[], []]);
});

test("a file that is missing is an error that the page shows, and no other one", async () => {
  const { text, notices } = await openFromFirstByte((pathname) => {
    if (pathname.endsWith(".wasm")) throw new Error("It breaks the connection.");
  });
  assert.equal(text, "A part of this page could not be loaded. Please load the page again.");
  assert.deepEqual(
    notices.console.filter((words) => !words.includes("Failed to load resource")),
    [],
  );
});

/**
 * Opens the page that starts script and file with its first byte, and waits for its text.
 * @param {(pathname: string) => unknown} before
 */
async function openFromFirstByte(before) {
  const { page, notices, close } = await newPage(browser);
  await pages.open(page, { "index.html": `<link rel="icon" href="data:,">${fromFirstByte.code}` }, { before });
  const text = await page.locator("p").filter({ hasNotText: "Loading" }).textContent();
  await close();
  return { text, notices };
}

/**
 * Makes the first request for a path fail, in a way that is not retried.
 * @param {import("playwright-core").Page} page
 * @param {string} path the end of it
 */
async function failAtFirst(page, path) {
  const response = { status: 404, headers: { "access-control-allow-origin": "*" }, body: "{}" };
  await page.route(`**${path}`, (route) => route.fulfill(response), { times: 1 });
}
