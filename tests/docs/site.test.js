/** The built site in a browser: under a path, in light and dark, on a phone, with its search and its playground. */

import assert from "node:assert/strict";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, beforeEach, test } from "node:test";
import { expect } from "@playwright/test";
import { site } from "../../tools/docs.ts";
import { inRepository } from "../../tools/repository.js";
import { violations } from "../axe.js";
import { newPage, startBrowser } from "../install/package/page.js";
import { serveFolder } from "../install/package/static-server.js";
import { isQuick } from "../tier.js";

const phone = { width: 360, height: 760 };
const browser = await startBrowser();
// The site is under a path of this server, which knows nothing of indexes and endings.
const server = await serveFolder(inRepository("www"));
/** @type {Awaited<ReturnType<typeof newPage>>} */
let opened;
/** @type {import("playwright-core").Page} */
let page;

after(async () => {
  await browser.close();
  await server.close();
});

beforeEach(async () => {
  opened = await newPage(browser);
  page = opened.page;
  page.on("request", (request) => {
    const isElsewhere = /^http/.test(request.url()) && !request.url().startsWith(server.url);
    if (isElsewhere) opened.notices.console.push(`another host: ${request.url()}`);
  });
});

afterEach(async () => {
  await opened.close();
  // The playground's programs print.
  const trouble = opened.notices.console.filter((words) => !words.startsWith("log: "));
  assert.deepEqual(trouble, []);
});

// All pages are of one template: one of these is a list, one has tables, one has controls.
for (const each of ["index.html", "options.html", "playground.html"]) {
  test(`axe reports nothing on ${each}, in light and dark, and nothing is cut off on a phone`, async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await goTo(each);
    assert.deepEqual(await violations(page), []);
    // A part of axe's rules is enough for colours: the rest is the same in light and dark.
    await page.emulateMedia({ colorScheme: "dark" });
    assert.deepEqual(await violations(page, ["color-contrast"]), [], "dark");
    await page.setViewportSize(phone);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), phone.width);
    if (!isQuick) assert.deepEqual(await violations(page), [], "phone");
  });
}

test("nothing is cut off on any page of a phone", { skip: isQuick }, async () => {
  await page.setViewportSize(phone);
  for (const each of readdirSync(site).filter((name) => name.endsWith(".html"))) {
    await goTo(each);
    assert.equal(await page.evaluate(() => document.documentElement.scrollWidth), phone.width, each);
  }
});

test("a page is complete without scripts", async () => {
  const withoutScripts = await newPage(browser, { javaScriptEnabled: false });
  page = withoutScripts.page;
  await goTo("requests.html");
  await linkTo("Errors").click();
  await page.getByRole("heading", { name: "too-large" }).waitFor();
  await withoutScripts.close();
});

test("a phone reaches the list of all pages by a link", async () => {
  await page.setViewportSize(phone);
  await goTo("index.html");
  await expect(linkTo("From nothing to the first finding")).not.toBeInViewport();
  await page.getByRole("link", { name: "Pages", exact: true }).click();
  await expect(linkTo("From nothing to the first finding")).toBeInViewport();
});

test("the search says that it finds nothing, and finds a section, by the keyboard alone", async () => {
  await goTo("index.html");
  await page.keyboard.press("/");
  await page.keyboard.type("zebra");
  await page.getByText("Nothing found").waitFor();
  await page.keyboard.press("Escape");
  await page.getByText("Nothing found").waitFor({ state: "hidden" });
  await page.getByRole("searchbox").selectText();
  await page.keyboard.type("oldest browsers");
  const hit = page.locator("#hits a").first();
  await hit.waitFor();
  assert.match((await hit.textContent()) ?? "", /^Oldest browsers/);
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Enter");
  await page.waitForURL(/toolchains\.html#oldest-browsers$/);
});

test("each example of the playground runs to its end", async () => {
  await goTo("playground.html");
  const names = await page.getByLabel("Example").locator("option").allTextContents();
  assert.ok(names.length > 3);
  for (const name of names) {
    await page.getByLabel("Example").selectOption(name);
    await page.getByRole("button", { name: "Run" }).click();
    await page.getByText(/^Finished after/).waitFor();
    assert.ok((await page.locator(".playground output div").count()) > 1, name);
    assert.equal(await page.locator(".playground .error").count(), 0, name);
  }
});

test("the playground runs what the reader writes, and shows what it throws", async () => {
  await goTo("playground.html");
  const code = page.getByRole("textbox", { name: "Code" });
  await code.fill("console.log(6 * 7);");
  await code.press("Control+Enter");
  await page.locator("output").getByText("42", { exact: true }).waitFor();
  await code.fill('throw new RangeError("too far");');
  await page.getByRole("button", { name: "Run" }).click();
  await page.locator("output").getByText("RangeError: too far").waitFor();
  await page.getByRole("button", { name: "Reset" }).click();
  assert.match(await code.inputValue(), /createFakeService/);
});

/** @param {string} name */
async function goTo(name) {
  await page.goto(new URL(join("dist", "docs", name), server.url).href);
}

/** A link in the list of all pages. @param {string} title */
function linkTo(title) {
  return page.getByRole("navigation", { name: "Pages", exact: true }).getByRole("link", { name: title, exact: true });
}
