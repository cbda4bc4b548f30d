/** "Keep in this browser": off until the reader wants it, fewer requests in the next visit, and a way to delete. */

import type { Page } from "@playwright/test";
import { type DemoPage, expect, later, test } from "./demo-page.js";

test("nothing is kept unless the reader asks for it", async ({ demo, page }) => {
  await demo.run("Small");
  await expect(choice(page)).not.toBeChecked();
  await expect(state(page)).toHaveText("Nothing kept.");
  expect(await keptFiles(page)).toEqual([]);
  await page.reload();
  expect(await requestsOf(demo, () => demo.run("Small"))).toHaveLength(4);
});

test("the next visit shows a kept table after one request", async ({ demo, page }) => {
  await demo.run("Small");
  await choice(page).check();
  await expect(state(page)).toHaveText(/^1 table, [\d.]+ kB\. /);
  expect(await keptFiles(page)).toHaveLength(1);
  await page.reload();
  expect(await requestsOf(demo, () => demo.run("Small"))).toHaveLength(1);
  await expect(choice(page)).toBeChecked();
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
  await expect(page.locator('#map [data-state="received"]')).toHaveCount(3);
  await expect(page.locator("#map .partition").first()).toHaveAttribute("title", /kept in this browser/);
  expect(await demo.number("Sentiment", "Very negative")).toBeGreaterThan(0);
  // Another kind has other findings.
  expect((await requestsOf(demo, () => demo.run("Small", "Topics"))).length).toBeGreaterThan(1);
  await expect(state(page)).toHaveText(/^2 tables, /);
});

test.describe("a partial table", () => {
  test.use({ failingStatuses: true });

  test("is kept, and the next visit requests only what is missing", async ({ demo, page }) => {
    await demo.run("Small");
    await choice(page).check();
    const all = await requestsOf(demo, () => demo.run("Service errors"));
    await expect(demo.heading).toHaveText("Incomplete");
    await expect(state(page)).toHaveText(/^2 tables, /);
    const failed = Number(await page.locator('#map [data-state="failed"]').count());
    await page.reload();
    const paths = new Set(await requestsOf(demo, () => demo.run("Service errors")));
    expect(failed).toBeGreaterThan(0);
    expect(paths.size).toBe(1 + failed);
    expect(new Set(all).size).toBeGreaterThan(paths.size);
  });
});

test("Delete removes what is kept, and so does turning it off", async ({ demo, page }) => {
  await demo.run("Small");
  await choice(page).check();
  await expect.poll(() => keptFiles(page)).toHaveLength(1);
  await page.getByRole("button", { name: "Delete" }).click();
  await expect(state(page)).toHaveText(/^Nothing kept\./);
  expect(await keptFiles(page)).toEqual([]);
  await choice(page).uncheck();
  await choice(page).check();
  await expect.poll(() => keptFiles(page)).toHaveLength(1);
  await choice(page).uncheck();
  await expect(state(page)).toHaveText("Nothing kept.");
  expect(await keptFiles(page)).toEqual([]);
  await page.reload();
  expect(await requestsOf(demo, () => demo.run("Small"))).toHaveLength(4);
  await expect(choice(page)).not.toBeChecked();
});

test("a damaged file is as if nothing had been kept", { tag: "@full" }, async ({ demo, page }) => {
  await demo.run("Small");
  await choice(page).check();
  await expect.poll(() => keptFiles(page)).toHaveLength(1);
  await page.evaluate(async () => {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("findings");
    for await (const handle of (folder as unknown as { values(): AsyncIterable<FileSystemFileHandle> }).values()) {
      const file = await handle.createWritable();
      await file.write("damaged");
      await file.close();
    }
  });
  await page.goto(later());
  expect(await requestsOf(demo, () => demo.run("Small"))).toHaveLength(4);
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
});

test("a browser that has no room says so, and shows the findings", { tag: "@full" }, async ({ demo, page }) => {
  await page.evaluate(() => {
    FileSystemFileHandle.prototype.createWritable = () =>
      Promise.reject(new DOMException("The disk is full.", "QuotaExceededError"));
  });
  await demo.run("Small");
  await choice(page).check();
  await expect(state(page)).toHaveText("This browser keeps nothing. The disk is full.");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
});

function choice(page: Page) {
  return page.getByRole("checkbox", { name: "Keep in this browser" });
}

function state(page: Page) {
  return page.locator(".keeping-state");
}

/** The paths that the page requests from the service during some work. */
async function requestsOf({ page }: DemoPage, work: () => Promise<void>): Promise<string[]> {
  const paths: string[] = [];
  const note = (request: { url(): string }) => {
    if (request.url().includes("/service/")) paths.push(new URL(request.url()).pathname);
  };
  page.on("request", note);
  await work();
  page.off("request", note);
  return paths;
}

/** The names of the files that the origin keeps. */
function keptFiles(page: Page): Promise<string[]> {
  return page.evaluate(async () => {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("findings").catch(() => undefined);
    const names: string[] = [];
    if (folder) {
      for await (const name of (folder as unknown as { keys(): AsyncIterable<string> }).keys()) names.push(name);
    }
    return names;
  });
}
