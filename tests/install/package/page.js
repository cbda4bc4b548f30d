/** A page in a real browser, with its console output and its requests. */

import { setTimeout as pause } from "node:timers/promises";
import { chromium } from "playwright-core";
import { launchOptions } from "../../../tools/browser.js";

/**
 * The output of a page in the developer tools.
 * @typedef {object} Notices
 * @property {string[]} console messages of the console and uncaught errors
 * @property {string[]} failures failed requests, and error responses
 * @property {string[]} wasm the types of loads of the module
 */

export function startBrowser() {
  return chromium.launch(launchOptions());
}

/**
 * Opens a page and records its output.
 * @param {Pick<import("playwright-core").Browser, "newContext">} browser
 * @param {import("playwright-core").BrowserContextOptions} [options]
 */
export async function newPage(browser, options) {
  const context = await browser.newContext(options);
  const page = await context.newPage();
  /** @type {Notices} */
  const notices = { console: [], failures: [], wasm: [] };
  page.on("console", (message) => {
    // Messages of Vite's dev server.
    if (message.text().startsWith("[vite] connect")) return;
    notices.console.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => notices.console.push(`uncaught: ${error.message}`));
  page.on("requestfailed", (request) => notices.failures.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("response", (response) => {
    if (response.status() >= 400) notices.failures.push(`${response.url()}: ${response.status()}`);
    if (new URL(response.url()).pathname.endsWith(".wasm")) notices.wasm.push(response.headers()["content-type"]);
  });
  return { page, notices, close: () => context.close() };
}

/**
 * The value that a page's script leaves in `globalThis.result`. Asked for from outside, because a strict policy forbids Playwright's own wait to
 * evaluate a text in the page.
 * @param {import("playwright-core").Page} page
 * @param {number} [limit] the most milliseconds to wait
 * @returns {Promise<any>}
 */
export async function resultOf(page, limit = 30_000) {
  for (const end = performance.now() + limit; performance.now() < end; ) {
    const result = await page.evaluate("globalThis.result");
    if (result !== undefined) return result;
    await pause(20);
  }
  throw new Error("The page has no result.");
}
