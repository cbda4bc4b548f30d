/** The explorer: charts, search and list share one selection, by pointer and by keyboard. */

import { readFileSync } from "node:fs";
import { parse } from "csv-parse/sync";
import readWorkbook from "read-excel-file/node";
import { expect, test } from "./demo-page.js";

const phone = { width: 390, height: 900 };

test("bars filter each other's charts and the list, and a chip removes the filter", async ({ story }) => {
  const all = await story.number("Sentiment", "Very negative");
  const app = await story.number("Topic groups", "Mobile app");
  await story.bar("Topic groups", "Mobile app").click();
  expect(await story.selected()).toBe(app);
  expect(await story.number("Sentiment", "Very negative")).toBeLessThan(all);
  // Its own chart shows what else could be chosen.
  expect(await story.number("Topic groups", "Staff")).toBeGreaterThan(1_000);
  await story.bar("Topic groups", "Staff").click();
  expect(await story.selected()).toBe(app + (await story.number("Topic groups", "Staff")));
  await story.filters.first().click();
  await expect(story.bar("Topic groups", "Mobile app")).toHaveAttribute("aria-selected", "false");
  await expect(story.filters).toBeFocused();
  await story.filters.click();
  await expect(story.count).toHaveText("100,000 of 100,000 findings");
});

test("the mobile app stands out since the update in week 7, and unmapped findings have a bar", async ({ story }) => {
  expect(await story.number("Topic groups", "Not mapped")).toBeGreaterThan(1_000);
  await story.bar("Topic groups", "Mobile app").click();
  await story.bar("Sentiment", "Very negative").click();
  expect(await story.number("Weeks", "7")).toBeGreaterThan(20 * (await story.number("Weeks", "6")));
});

test("search answers at each key, in a labelled number of milliseconds, and finds the word of the README", async ({
  story,
}) => {
  const counts: number[] = [];
  for (const key of "crash") {
    await story.search.press(key);
    counts.push(await story.selected());
  }
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect(counts.at(-1)).toBeGreaterThan(1_000);
  await expect(story.page.locator(".answer")).toHaveText(
    /^Filtered and counted in[\d.]+ ms[\d,]+ of 100,000 findings$/,
  );
  await expect(story.rows.first()).toContainText("crash");
  const [, word = ""] = readFileSync("README.md", "utf8").match(/contains: "(\w+)"/) ?? [];
  await story.search.fill(word);
  expect(await story.selected()).toBeGreaterThan(100);
});

test("the first chart, and no other one, has a legend", async ({ story: { page } }) => {
  const first = page.locator(".chart").first();
  await expect(first.locator(".scale")).toHaveText("Very negative Very positive");
  await expect(first.locator(".swatch")).toHaveCount(5);
  await expect(page.locator(".scale")).toHaveCount(1);
});

test("a button downloads what is shown, in the chosen format", async ({ story }) => {
  const { page } = story;
  await story.search.fill("crash");
  const shown = await story.selected();
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

test("on a phone, the list comes after two charts, and a search without a hit moves nothing", async ({ story }) => {
  const { page } = story;
  await page.setViewportSize(phone);
  await expect(page.locator(".chart, .list").nth(2)).toHaveId("list");
  await story.search.scrollIntoViewIfNeeded();
  const before = await story.search.boundingBox();
  await story.search.fill("nobody wrote this");
  await expect(page.getByText("No finding matches.")).toBeVisible();
  expect(await story.search.boundingBox()).toEqual(before);
});

test("bars count people in place of findings, each once in a bar", async ({ story }) => {
  const { page } = story;
  const [app, staff] = [await story.number("Topic groups", "Mobile app"), await story.number("Topic groups", "Staff")];
  await page.getByLabel("Count").selectOption("Count people");
  const people = await story.number("Topic groups", "Mobile app");
  expect(people).toBeGreaterThan(0);
  expect(people).toBeLessThan(app);
  await expect(story.bar("Topic groups", "Mobile app")).toContainText("people");
  await story.bar("Sentiment", "Very negative").click();
  expect(await story.number("Topic groups", "Mobile app")).toBeLessThan(people);
  await page.getByLabel("Count").selectOption("Count findings");
  await story.filters.click();
  expect(await story.number("Topic groups", "Staff")).toBe(staff);
});

test("the order puts the worst findings first", async ({ story }) => {
  const { page } = story;
  await page.getByLabel("Order").selectOption("Worst first");
  await expect(story.rows.first()).toContainText("Very negative");
});

test("a chart is one stop of the Tab key, and arrow keys move in it", async ({ story }) => {
  const { page } = story;
  await story.bar("Topic groups", "Mobile app").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  const second = page.getByRole("listbox", { name: "Topic groups" }).getByRole("option").nth(1);
  await expect(second).toHaveAttribute("aria-selected", "true");
  await expect(second).toBeFocused();
  await page.keyboard.press("End");
  await expect(story.bar("Topic groups", "Not mapped")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("listbox", { name: "Sentiment" }).locator(":focus")).toHaveCount(1);
});

test("a skip link leads to the findings, and the search follows after a few stops of the Tab key", async ({
  story,
}) => {
  const { page } = story;
  const skip = page.getByRole("link", { name: "Skip to the findings" });
  await expect(page.locator("body > :first-child")).toHaveText("Skip to the findings");
  await skip.press("Enter");
  for (let stops = 0; stops < 8; stops++) {
    await page.keyboard.press("Tab");
    if (await story.search.evaluate((search) => search === document.activeElement)) return;
  }
  throw new Error("The search is more than eight stops away.");
});

test("the list has only the visible rows, and the keyboard reaches every finding", async ({ story }) => {
  const { page } = story;
  expect(await story.rows.count()).toBeLessThan(30);
  await story.rows.first().getByRole("button").focus();
  await page.keyboard.press("End");
  const last = page.locator('[data-index="99999"]');
  await expect(last.getByRole("button")).toBeFocused();
  await expect(last).toBeInViewport();
  await page.keyboard.press("ArrowUp");
  await expect(page.locator('[data-index="99998"]').getByRole("button")).toBeFocused();
  await page.locator("#rows").evaluate((list) => list.scrollTo(0, list.scrollHeight / 2));
  await expect(page.locator('[data-index="50000"]')).toBeAttached();
  expect(await story.rows.count()).toBeLessThan(30);
});

test("a dialog shows the whole finding and the next ones, and returns to its row", async ({ story }) => {
  const { page } = story;
  await page.locator('[data-index="0"]').getByRole("button").click();
  await expect(story.finding.getByRole("heading", { name: "Finding 1 of 100,000" })).toBeVisible();
  const json = JSON.parse(String(await story.finding.locator("pre").textContent()));
  await expect(story.finding.locator("blockquote")).toHaveText(json.Comment);
  await expect(story.finding.locator("mark")).toHaveText(json.Extract.Text);
  await story.finding.getByRole("button", { name: "Next" }).click();
  await expect(story.finding.getByRole("heading", { name: "Finding 2 of 100,000" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator('[data-index="1"]').getByRole("button")).toBeFocused();
});
