/** An empty page of the development server, for tests of single modules of the demo. */

import { join } from "node:path";
import process from "node:process";
import { test as base, expect, type Page } from "@playwright/test";

export { expect };

const root = join(import.meta.dirname, "..", "..");

/** The address of a module of the demo in such a page, by its path in the repository. */
export function address(path: string): string {
  return `/@fs${join(root, path)}`;
}

export const test = base.extend<{ modulePage: Page }>({
  modulePage: async ({ page }, use) => {
    const unwanted: string[] = [];
    page.on("console", (message) => unwanted.push(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => unwanted.push(`uncaught: ${error.message}`));
    await openModulePage(page);
    await use(page);
    expect(unwanted).toEqual([]);
  },
});

export async function openModulePage(page: Page): Promise<void> {
  await page.goto(new URL(address("tests/demo/empty-page.html"), developmentServer()).href);
}

/** The address of the development server, as playwright.config.js has chosen it. */
export function developmentServer(): string {
  return `http://127.0.0.1:${process.env.DEMO_TEST_PORTS?.split(",")[1]}/`;
}
