/** The page of www/docs/getting-started.md that starts script and module with its first byte. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { after, test } from "node:test";
import { createFakeService } from "inspection-findings/testing";
import { lookup } from "mrmime";
import { inRepository } from "../../tools/repository.js";
import { newPage, startBrowser } from "../package/page.js";
import { serve } from "../service/http-server.js";
import { blocksIn } from "./documents.js";

const [page] = blocksIn("www/docs/getting-started.md").filter(({ code }) => code.includes("init({ module: wasm })"));
const browser = await startBrowser();

after(() => browser.close());

test("the file, the script and the first request leave the page side by side, and the file is loaded once", async () => {
  // Each response waits for the request that must not wait for it.
  const { opened, asked, text } = await openedPage({
    before: async (pathname, hasAsked) => {
      if (pathname.endsWith("/manual.js")) await hasAsked(".wasm");
      if (pathname.endsWith(".wasm")) await hasAsked("/cxi/Findings/42");
    },
  });
  assert.equal(text, "250 findings");
  assert.equal(asked.filter((pathname) => pathname.endsWith(".wasm")).length, 1);
  assert.deepEqual([opened.notices.console, opened.notices.failures], [[], []]);
});

test("a file that is missing is an error that the page shows, and no other one", async () => {
  const { opened, text } = await openedPage({ isMissing: (pathname) => pathname.endsWith(".wasm") });
  assert.equal(text, "A part of this page could not be loaded. Please load the page again.");
  const others = opened.notices.console.filter((words) => !/404/.test(String(words)));
  assert.deepEqual(others, []);
});

/**
 * Opens the page in a browser.
 * @param {object} how
 * @param {(pathname: string, hasAsked: (end: string) => Promise<void>) => Promise<void>} [how.before] waits before a response
 * @param {(pathname: string) => boolean} [how.isMissing]
 */
async function openedPage({ before = async () => {}, isMissing = () => false }) {
  /** @type {string[]} */
  const asked = [];
  /** @type {(() => void)[]} */
  const waiting = [];
  const hasAsked = async (/** @type {string} */ end) => {
    while (!asked.some((pathname) => pathname.endsWith(end))) {
      await new Promise((resolve) => waiting.push(() => resolve(undefined)));
    }
  };
  const server = await serve(async ({ url }) => {
    const { pathname, origin } = new URL(url);
    asked.push(pathname);
    for (const wake of waiting.splice(0)) wake();
    await before(pathname, hasAsked);
    const headers = { "content-type": lookup(pathname) ?? "text/html" };
    if (pathname === "/") {
      const code = page.code.replace("https://service.example", origin);
      return new Response(`<link rel="icon" href="data:,">${code}`, { headers });
    }
    if (pathname.startsWith("/cxi/")) return createFakeService({ baseUrl: `${origin}/cxi/` }).fetch(url);
    const file = inRepository(pathname.replace("/node_modules/inspection-findings/", ""));
    const isThere = existsSync(file) && !isMissing(pathname);
    return isThere ? new Response(readFileSync(file), { headers }) : new Response(null, { status: 404 });
  });
  after(() => server.close());
  const opened = await newPage(browser);
  after(() => opened.close());
  await opened.page.goto(server.origin);
  const text = await opened.page.locator("p").filter({ hasNotText: "Loading" }).textContent();
  return { opened, asked, text };
}
