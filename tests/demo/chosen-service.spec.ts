/** The chosen service: what the page shows comes from there and from nowhere else, even where two have the same address. */

import type { BrowserContext, Page } from "@playwright/test";
import { DemoPage, expect, test } from "./demo-page.js";
import { type SecondOrigin, serve } from "./second-origin.js";

const findings = [0, 1, 2].map((number) => ({ Comment: `Real ${number}`, Sentiment: 0, Topic: { Text: "Rooms" } }));
const partitions = [JSON.stringify(findings.slice(0, 2)), JSON.stringify(findings.slice(2))];

/** What a real service is asked for, for all of its findings. */
const everything = ["Findings/1", "Findings/1/Sentiment/0", "Findings/1/Sentiment/1"];

let service: SecondOrigin;

// A real service at the very address that the built-in one has in the same page.
test.beforeEach(async ({ page, baseURL }) => {
  const { pathname } = new URL("service/", baseURL);
  service = await serve({ partitions, path: pathname, page: String(baseURL) });
  await page.goto(service.page);
});

test.afterEach(() => service.close());

test("a service of the reader’s own is asked itself at the built-in one’s address, as often as they are exchanged", async ({
  page,
}) => {
  const demo = new DemoPage(page);
  for (let time = 1; time <= 3; time++) {
    await loadBuiltIn(demo);
    expect(paths()).toEqual([]);
    await loadOwn(demo);
    expect(paths().toSorted()).toEqual(everything);
    service.asked.length = 0;
  }
});

test("a service of the reader’s own is asked before the built-in one has ever been", async ({ page }) => {
  await loadOwn(new DemoPage(page));
  expect(paths().toSorted()).toEqual(everything);
});

test("one tab asks the built-in service and another the real one at its address, at the same time", async ({
  page,
  context,
}) => {
  const demo = new DemoPage(page);
  const other = new DemoPage(await context.newPage());
  await other.page.goto(service.page);
  await loadBuiltIn(other);
  await demo.choose("Slow");
  await demo.load.click();
  await expect(demo.heading).toHaveText("Loading");
  await loadOwn(other);
  await expect(demo.heading).toHaveText("Loading");
  expect(paths().toSorted()).toEqual(everything);
  await demo.ended();
  await expect(demo.stat("Findings")).toHaveText("2,400 of 2,400");
  expect(paths().toSorted()).toEqual(everything);
});

test("after a retrieval that was cancelled half way the other service is asked alone", async ({ page }) => {
  const demo = new DemoPage(page);
  await demo.choose("Slow");
  await demo.load.click();
  await expect(demo.stat("Partitions")).toHaveText("6 of 24");
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  await loadOwn(demo);
  expect(paths().toSorted()).toEqual(everything);
});

test("a service worker that was stopped and starts again leaves each service its requests", async ({
  page,
  context,
}) => {
  const demo = new DemoPage(page);
  await loadBuiltIn(demo);
  await stopServiceWorkers(context, page);
  await loadOwn(demo);
  expect(paths().toSorted()).toEqual(everything);
  await stopServiceWorkers(context, page);
  await loadBuiltIn(demo);
  expect(paths().toSorted()).toEqual(everything);
});

test("the built-in service answers although its requests go past it, in a service worker that has forgotten the page", async ({
  page,
  context,
}) => {
  const demo = new DemoPage(page);
  await loadBuiltIn(demo);
  await page.evaluate(async () => {
    for (const name of await caches.keys()) {
      await caches.delete(name);
    }
  });
  await stopServiceWorkers(context, page);
  await loadBuiltIn(demo);
});

test("a retrieval from the built-in service survives a service worker that stops under it", async ({
  page,
  context,
}) => {
  const demo = new DemoPage(page);
  await demo.choose("Slow");
  await demo.load.click();
  await expect(demo.stat("Partitions")).toHaveText("6 of 24");
  await stopServiceWorkers(context, page);
  await demo.ended();
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.stat("Findings")).toHaveText("2,400 of 2,400");
  expect(paths()).toEqual([]);
});

test("the page says which service it has asked, whatever is chosen for the next time", async ({ page }) => {
  const demo = new DemoPage(page);
  const summary = page.locator("#request-summary");
  const code = page.locator(".code-lines");
  await expect(summary).toHaveText("Nothing requested yet");
  await loadBuiltIn(demo);
  const ofBuiltIn = "Requested from the built-in service, with invented data: sentiment findings of inspection 1";
  await page.getByRole("radio", { name: "Your own" }).check();
  await page.getByLabel("Base URL").fill(service.baseUrl);
  await expect(summary).toHaveText(ofBuiltIn);
  await expect(code).toContainText("// Only the demo can call its built-in service");
  await loadOwn(demo);
  await page.getByLabel("Base URL").fill("https://elsewhere.test/");
  await page.getByLabel("Inspection", { exact: true }).fill("7");
  await page.getByRole("radio", { name: "Topics" }).check();
  await expect(summary).toHaveText(`Requested from ${service.baseUrl}: sentiment findings of inspection 1`);
  await expect(code).toContainText(`baseUrl: "${service.baseUrl}"`);
  await expect(code).not.toContainText("built-in");
});

async function loadBuiltIn(demo: DemoPage): Promise<void> {
  await demo.page.getByRole("radio", { name: "Built in" }).check();
  await demo.run("Small");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
  await demo.shows(250);
}

/** Loads from the real service, which has three findings, and looks at them. */
async function loadOwn(demo: DemoPage): Promise<void> {
  await demo.page.getByRole("radio", { name: "Your own" }).check();
  await demo.page.getByLabel("Base URL").fill(service.baseUrl);
  await demo.page.getByLabel("Inspection", { exact: true }).fill("1");
  await demo.load.click();
  await demo.ended();
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.rows).toContainText(["Real 0", "Real 1", "Real 2"]);
  await demo.shows(3);
}

/** What the real service was asked for, below its base URL. */
function paths(): string[] {
  return service.asked.map(({ url }) => url.slice(new URL(service.baseUrl).pathname.length));
}

async function stopServiceWorkers(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.stopAllWorkers");
  await session.detach();
}
