/** The explorer: charts, search and list share one selection, by pointer and by keyboard. */

import { expect, rowsOf, savedBy, test } from "./demo-page.js";

const groups = "Topic groups";

test("bars filter each other's charts and the list, and a chip removes the filter", async ({ story }) => {
  const { bar, filters, number, selected } = story;
  const all = await number("Sentiment", "Very negative");
  const app = await number(groups, "Mobile app");
  await bar(groups, "Mobile app").click();
  expect(await selected()).toBe(app);
  expect(await number("Sentiment", "Very negative")).toBeLessThan(all);
  // Its own chart shows what else could be chosen, also findings without a value.
  expect(await number(groups, "Not mapped")).toBeGreaterThan(1_000);
  await bar(groups, "Staff").click();
  expect(await selected()).toBe(app + (await number(groups, "Staff")));
  await filters.first().click();
  await expect(bar(groups, "Mobile app")).toHaveAttribute("aria-selected", "false");
  await expect(filters).toBeFocused();
  await filters.click();
  await expect(story.count).toHaveText("100,000 of 100,000 findings");
});

test("search answers at each key", async ({ story: { page, rows, search, selected } }) => {
  const counts: number[] = [];
  for (const key of "crash") {
    await search.press(key);
    counts.push(await selected());
  }
  expect(counts).toEqual(counts.toSorted((one, other) => other - one));
  expect(counts.at(-1)).toBeGreaterThan(1_000);
  await expect(page.locator(".answer")).toHaveText(/^Filtered and counted in[\d.]+ ms[\d,]+ of 100,000 findings$/);
  await expect(rows.first()).toContainText("crash");
});

test("a button downloads what is shown, in the chosen format", async ({ story: { page, search, selected } }) => {
  await search.fill("crash");
  const shown = await selected();
  for (const [format, read] of Object.entries(rowsOf)) {
    await page.getByLabel("Format").selectOption(format);
    const { name, bytes } = await savedBy(page, "Download what is shown");
    expect(name).toBe(format === "Excel" ? "findings.xlsx" : "findings.csv");
    expect(await read(bytes)).toHaveLength(shown);
    await expect(page.locator("#announcer")).toHaveText(`${shown.toLocaleString("en")} findings downloaded`);
  }
});

test("on a phone, the list is below two charts, and a search without a hit moves nothing", async ({
  story: { page, search },
}) => {
  await page.setViewportSize({ width: 390, height: 900 });
  await expect(page.locator(".chart, .list").nth(2)).toHaveId("list");
  await search.scrollIntoViewIfNeeded();
  const before = await search.boundingBox();
  await search.fill("nobody wrote this");
  await expect(page.getByText("No finding matches.")).toBeVisible();
  expect(await search.boundingBox()).toEqual(before);
});

test("bars count people in place of findings", async ({ story: { page, bar, filters, number } }) => {
  const [app, staff] = [await number(groups, "Mobile app"), await number(groups, "Staff")];
  await page.getByLabel("Count").selectOption("Count people");
  const people = await number(groups, "Mobile app");
  expect(people).toBeGreaterThan(0);
  expect(people).toBeLessThan(app);
  await expect(bar(groups, "Mobile app")).toContainText("people");
  await bar("Sentiment", "Very negative").click();
  expect(await number(groups, "Mobile app")).toBeLessThan(people);
  await page.getByLabel("Count").selectOption("Count findings");
  await filters.click();
  expect(await number(groups, "Staff")).toBe(staff);
});

test("the order puts the worst findings first, in the words of the only legend", async ({ story: { page, rows } }) => {
  await page.getByLabel("Order").selectOption("Worst first");
  await expect(rows.first()).toContainText("Very negative");
  await expect(page.locator(".chart").first().locator(".scale")).toHaveText("Very negative Very positive");
  await expect(page.locator(".scale")).toHaveCount(1);
});

test("a chart is one stop of the Tab key, and arrow keys move in it", async ({ story: { page, bar } }) => {
  const options = page.getByRole("listbox", { name: groups }).getByRole("option");
  await bar(groups, "Mobile app").focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("Space");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await expect(options.nth(1)).toBeFocused();
  await page.keyboard.press("End");
  await expect(bar(groups, "Not mapped")).toBeFocused();
  await page.keyboard.press("Tab");
  await expect(page.getByRole("listbox", { name: "Sentiment" }).locator(":focus")).toHaveCount(1);
});

test("a skip link and a few stops of the Tab key lead to the search", async ({ story: { page, search } }) => {
  await expect(page.locator("body > :first-child")).toHaveText("Skip to the findings");
  await page.getByRole("link", { name: "Skip to the findings" }).press("Enter");
  const isReached = () => search.evaluate((field) => field === document.activeElement);
  for (let stops = 0; stops < 8 && !(await isReached()); stops++) await page.keyboard.press("Tab");
  expect(await isReached()).toBe(true);
});

test("the list has only visible rows, and the keyboard reaches every finding", async ({ story: { page, rows } }) => {
  const row = (index: number) => page.locator(`[data-index="${index}"]`);
  expect(await rows.count()).toBeLessThan(30);
  await rows.first().getByRole("button").focus();
  await page.keyboard.press("End");
  await expect(row(99_999).getByRole("button")).toBeFocused();
  await expect(row(99_999)).toBeInViewport();
  await page.keyboard.press("ArrowUp");
  await expect(row(99_998).getByRole("button")).toBeFocused();
  await page.locator("#rows").evaluate((list) => list.scrollTo(0, list.scrollHeight / 2));
  await expect(row(50_000)).toBeAttached();
  expect(await rows.count()).toBeLessThan(30);
});

test("a dialog shows whole findings, and returns to their rows", async ({ story: { page, finding, rows } }) => {
  await rows.first().getByRole("button").click();
  await expect(finding.getByRole("heading", { name: "Finding 1 of 100,000" })).toBeVisible();
  const json = JSON.parse(String(await finding.locator("pre").textContent()));
  await expect(finding.locator("blockquote")).toHaveText(json.Comment);
  await expect(finding.locator("mark")).toHaveText(json.Extract.Text);
  await finding.getByRole("button", { name: "Next" }).click();
  await expect(finding.getByRole("heading", { name: "Finding 2 of 100,000" })).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(page.locator('[data-index="1"]').getByRole("button")).toBeFocused();
});
