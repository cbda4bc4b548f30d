/** A page in a real browser, with everything that it says and asks for. */

import { chromium } from "playwright-core";
import { launchOptions } from "../../tools/browser.js";

/**
 * What a page did that somebody would see in the developer tools.
 * @typedef {object} Notices
 * @property {string[]} console messages of the console and uncaught errors
 * @property {string[]} failures requests without an answer, or with one that is an error
 * @property {{ url: string, type: string | undefined }[]} wasm what was loaded as the module
 */

export function startBrowser() {
  return chromium.launch(launchOptions());
}

/**
 * A new page that notices everything.
 * @param {import("playwright-core").Browser} browser
 */
export async function newPage(browser) {
  const context = await browser.newContext();
  const page = await context.newPage();
  /** @type {Notices} */
  const notices = { console: [], failures: [], wasm: [] };
  page.on("console", (message) => {
    // Vite's dev server greets every page so.
    if (!message.text().startsWith("[vite] connect")) {
      notices.console.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => notices.console.push(`uncaught: ${error.message}`));
  page.on("requestfailed", (request) => notices.failures.push(`${request.url()}: ${request.failure()?.errorText}`));
  page.on("response", (response) => {
    if (response.status() >= 400) {
      notices.failures.push(`${response.url()}: ${response.status()}`);
    }
    if (new URL(response.url()).pathname.endsWith(".wasm")) {
      notices.wasm.push({ url: response.url(), type: response.headers()["content-type"] });
    }
  });
  return { page, notices, close: () => context.close() };
}
