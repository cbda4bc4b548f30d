/** The explorer: charts, search and list share one selection, by pointer and by keyboard. */

import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import readWorkbook from "read-excel-file/node";
import { expect, test } from "./demo-page.js";

test.beforeEach(async ({ demo }) => {
  await demo.run("The mobile app since the update");
});

test("bars filter each other's charts and the list, and a chip removes the filter", async ({ demo }) => {
  const all = await demo.number("Sentiment", "Very negative");
  const app = await demo.number("Topic groups", "Mobile app");
  await demo.bar("Topic groups", "Mobile app").click();
  expect(await demo.selected()).toBe(app);
  expect(await demo.number("Sentiment", "Very negative")).toBeLessThan(all);
  // Its own chart shows what else could be chosen.
  expect(await demo.number("Topic groups", "Staff")).toBeGreaterThan(1_000);
  await demo.bar("Topic groups", "Staff").click();
  expect(await demo.selected()).toBe(app + (await demo.number("Topic groups", "Staff")));
  await demo.filters.first().click();
  await expect(demo.bar("Topic groups", "Mobile app")).toHaveAttribute("aria-selected", "false");
  await expect(demo.filters).toBeFocused();
  await demo.filters.click();
  await expect(demo.count).toHaveText("100,000 of 100,000 findings");
});

test("search answers at each key, and says in large type in how many milliseconds", async ({ demo, page }) => {
  const counts: number[] = [];
  for (const key of "crash") {
    await demo.search.press(key);
    counts.push(await demo.selected());
  }
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect(counts.at(-1)).toBeGreaterThan(1_000);
  await expect(page.locator("#took")).toHaveText(/^[\d.]+ ms$/);
  await expect(page.locator("#took")).toHaveCSS("font-size", "32px");
  await expect(demo.rows.first()).toContainText("crash");
});

test("the time of an answer has a label, and the first chart a legend", async ({ page }) => {
  await expect(page.locator(".answer")).toHaveText(/^Filtered and counted in[\d.]+ ms100,000 of 100,000 findings$/);
  const first = page.locator(".chart").first();
  await expect(first.locator(".scale")).toHaveText("Very negative Very positive");
  await expect(first.locator(".swatch")).toHaveCount(5);
  await expect(page.locator(".scale")).toHaveCount(1);
});

test("a button downloads what is shown, in the chosen format", async ({ demo, page }) => {
  await demo.search.fill("crash");
  const shown = await demo.selected();
  const rowsOf: Record<string, (bytes: Buffer) => unknown[] | Promise<unknown[]>> = {
    Excel: async (bytes) => (await readWorkbook(bytes))[0]?.data.slice(1) ?? [],
    CSV: (bytes) => parse(bytes, { columns: true, bom: true }),
    "CSV with semicolons": (bytes) => parse(bytes, { columns: true, bom: true, delimiter: ";" }),
  };
  for (const [format, read] of Object.entries(rowsOf)) {
    await page.getByLabel("Format").selectOption(format);
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Download what is shown" }).click();
    const download = await downloading;
    expect(download.suggestedFilename()).toBe(format === "Excel" ? "findings.xlsx" : "findings.csv");
    expect(await read(readFileSync(await download.path()))).toHaveLength(shown);
    await expect(page.locator("#announcer")).toHaveText(`${shown.toLocaleString("en")} findings downloaded`);
  }
});

test("the word of the README's search finds something", async ({ demo }) => {
  const [, word = ""] = readFileSync("README.md", "utf8").match(/contains: "(\w+)"/) ?? [];
  await demo.search.fill(word);
  expect(await demo.selected()).toBeGreaterThan(100);
});

test("on a phone, a search without a hit moves nothing", async ({ demo, page }) => {
  await page.setViewportSize({ width: 390, height: 900 });
  await demo.search.scrollIntoViewIfNeeded();
  const before = await demo.search.boundingBox();
  await demo.search.fill("nobody wrote this");
  await expect(page.getByText("No finding matches.")).toBeVisible();
  expect(await demo.search.boundingBox()).toEqual(before);
});

test("on a phone, the list comes after two charts", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 900 });
  await expect(page.locator(".chart, .list").nth(2)).toHaveId("list");
});

test("bars count people in place of findings, each once in a bar", async ({ demo, page }) => {
  const [app, staff] = [await demo.number("Topic groups", "Mobile app"), await demo.number("Topic groups", "Staff")];
  await page.getByLabel("Count").selectOption("Count people");
  const people = await demo.number("Topic groups", "Mobile app");
  expect(people).toBeGreaterThan(0);
  expect(people).toBeLessThan(app);
  await expect(demo.bar("Topic groups", "Mobile app")).toContainText("people");
  await demo.bar("Sentiment", "Very negative").click();
  expect(await demo.number("Topic groups", "Mobile app")).toBeLessThan(people);
  await page.getByLabel("Count").selectOption("Count findings");
  await demo.filters.click();
  expect(await demo.number("Topic groups", "Staff")).toBe(staff);
});

test("the order puts the worst findings first", async ({ demo, page }) => {
  await page.getByLabel("Order").selectOption("Worst first");
  await expect(demo.rows.first()).toContainText("Very negative");
});

test("a chart is one stop of the Tab key, and arrow keys move in it", async ({ demo, page }) => {
  await demo.bar("Topic groups", "Mobile app").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  const second = page.getByRole("listbox", { name: "Topic groups" }).getByRole("option").nth(1);
  await expect(second).toHaveAttribute("aria-selected", "true");
  await expect(second).toBeFocused();
  await page.keyboard.press("End");
  await expect(demo.bar("Topic groups", "Not mapped")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("listbox", { name: "Sentiment" }).getByRole("option").first()).toBeFocused();
});

test("a skip link leads to the findings, and the search follows after a few stops of the Tab key", async ({
  demo,
  page,
}) => {
  await page.reload();
  await demo.load.waitFor();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Skip to the findings" })).toBeFocused();
  await demo.run("The mobile app since the update");
  await page.getByRole("link", { name: "Skip to the findings" }).press("Enter");
  for (let stops = 0; stops < 8; stops++) {
    await page.keyboard.press("Tab");
    if (await demo.search.evaluate((search) => search === document.activeElement)) return;
  }
  throw new Error("The search is more than eight stops away.");
});

test("the list has only the visible rows, and the keyboard reaches every finding", async ({ demo, page }) => {
  expect(await demo.rows.count()).toBeLessThan(30);
  await demo.rows.first().getByRole("button").focus();
  await page.keyboard.press("End");
  const last = page.locator('[data-index="99999"]');
  await expect(last.getByRole("button")).toBeFocused();
  await expect(last).toBeInViewport();
  await page.keyboard.press("ArrowUp");
  await expect(page.locator('[data-index="99998"]').getByRole("button")).toBeFocused();
  await page.locator("#rows").evaluate((list) => list.scrollTo(0, list.scrollHeight / 2));
  await expect(page.locator('[data-index="50000"]')).toBeAttached();
  expect(await demo.rows.count()).toBeLessThan(30);
});

test("a dialog shows the whole finding and the next ones, and returns to its row", async ({ demo, page }) => {
  await demo.rows.first().getByRole("button").click();
  await expect(demo.finding.getByRole("heading", { name: "Finding 1 of 100,000" })).toBeVisible();
  const json = JSON.parse(String(await demo.finding.locator("pre").textContent()));
  await expect(demo.finding.locator("blockquote")).toHaveText(json.Comment);
  await expect(demo.finding.locator("mark")).toHaveText(json.Extract.Text);
  await demo.finding.getByRole("button", { name: "Next" }).click();
  await expect(demo.finding.getByRole("heading", { name: "Finding 2 of 100,000" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator('[data-index="1"]').getByRole("button")).toBeFocused();
});
