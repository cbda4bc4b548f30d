/** The chosen service: all findings come from it, even if two services have the same address. */

import type { BrowserContext, Page } from "@playwright/test";
import { DemoPage, expect, later, test } from "./demo-page.js";
import { type SecondOrigin, serve } from "./second-origin.js";

const findings = [0, 1, 2].map((number) => ({ Comment: `Real ${number}`, Sentiment: 0, Topic: { Text: "Rooms" } }));
const partitions = [JSON.stringify(findings.slice(0, 2)), JSON.stringify(findings.slice(2))];

/** The requests of a retrieval from the real service. */
const everything = ["Findings/1", "Findings/1/Sentiment/0", "Findings/1/Sentiment/1"];

let service: SecondOrigin;

// A real service at the address of the page's built-in service.
test.beforeEach(async ({ page, baseURL }) => {
  const { pathname } = new URL("service/", baseURL);
  service = await serve({ partitions, path: pathname, page: String(baseURL) });
  await page.goto(new URL(later(), service.page).href);
});

test.afterEach(() => service.close());

test("the reader’s own service is reached at the built-in one’s URL, however often they are switched", async ({
  page,
}) => {
  const demo = new DemoPage(page);
  for (let time = 0; time < 2; time++) {
    await loadBuiltIn(demo);
    expect(paths()).toEqual([]);
    await loadOwn(demo);
    expect(paths().toSorted()).toEqual(everything);
    service.asked.length = 0;
  }
});

test("the reader’s own service is reached before the built-in one has been used", async ({ page }) => {
  await loadOwn(new DemoPage(page));
  expect(paths().toSorted()).toEqual(everything);
});

test("one tab uses the built-in service while another uses the real one at its URL", { tag: "@full" }, async ({
  page,
  context,
}) => {
  const demo = new DemoPage(page);
  const other = new DemoPage(await context.newPage());
  await other.page.goto(new URL(later(), service.page).href);
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

test("after a cancelled load only the other service is reached", { tag: "@full" }, async ({ page }) => {
  const demo = new DemoPage(page);
  await demo.choose("Slow");
  await demo.load.click();
  await demo.receives("8 of 24");
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  await loadOwn(demo);
  expect(paths().toSorted()).toEqual(everything);
});

test("a service worker that was stopped and starts again leaves each service its requests", { tag: "@full" }, async ({
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

test("the built-in service works although the service worker has forgotten the page", { tag: "@full" }, async ({
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

test("a load from the built-in service survives a service worker that stops under it", async ({ page, context }) => {
  const demo = new DemoPage(page);
  await demo.choose("Slow");
  await demo.load.click();
  await demo.receives("8 of 24");
  await stopServiceWorkers(context, page);
  await demo.ended();
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.stat("Findings")).toHaveText("2,400 of 2,400");
  expect(paths()).toEqual([]);
});

test("the page names the service of the last load, whatever is chosen for the next", async ({ page }) => {
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

/** The requests to the real service, relative to its base URL. */
function paths(): string[] {
  return service.asked.map(({ url }) => url.slice(new URL(service.baseUrl).pathname.length));
}

async function stopServiceWorkers(context: BrowserContext, page: Page): Promise<void> {
  const session = await context.newCDPSession(page);
  await session.send("ServiceWorker.enable");
  await session.send("ServiceWorker.stopAllWorkers");
  await session.detach();
}
