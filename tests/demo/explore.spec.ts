/** Exploring: charts, search, filters, order and list agree. */

import type { FindingKind, InspectionFinding } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { type DemoPage, expect, test } from "./demo-page.js";

/** The findings of the small inspection of the built-in service. */
function smallFindings(kind: FindingKind = "sentiment"): InspectionFinding[] {
  return createFakeService({ seed: 1, scenario: "small" }).findings(kind);
}

const findings = smallFindings();
const topicOf = ({ Topic }: InspectionFinding) => String(Topic.Text);

function count(isMeant: (finding: InspectionFinding) => boolean, among = findings): number {
  return among.filter(isMeant).length;
}

test("the charts count the findings, in numbers and in the lengths of the bars", async ({ demo }) => {
  await demo.run("Small");
  for (const [word, sentiment] of [
    ["Very positive", 2],
    ["Neutral", 0],
    ["Very negative", -2],
  ] as const) {
    expect(await demo.number("Sentiment", word)).toBe(count(({ Sentiment }) => Sentiment === sentiment));
  }
  expect(await demo.number("Topic groups", "Delivery")).toBe(count(({ TopicGroup }) => TopicGroup === "Delivery"));
  expect(await demo.number("Topic groups", "Not mapped")).toBe(count(({ TopicGroup }) => TopicGroup === null));
  expect(await demo.number("Expression groups", "Price")).toBe(
    count(({ ExpressionGroup }) => ExpressionGroup === "Price"),
  );
  expect(await demo.number("Topics", "price")).toBe(count((finding) => topicOf(finding) === "price"));
  await demo.settled();
  const bars = await demo
    .chart("Topic groups")
    .locator("tbody tr[data-absent=false]")
    .evaluateAll((rows) =>
      rows.map((row) => ({
        number: Number(row.querySelector(".total")?.textContent),
        width: [...row.querySelectorAll("td:not(.total)")].reduce(
          (sum, bar) => sum + bar.getBoundingClientRect().width,
          0,
        ),
      })),
    );
  const perFinding = bars.map(({ number, width }) => width / number);
  expect(Math.max(...perFinding) - Math.min(...perFinding)).toBeLessThan(0.15);
});

test("topics are ordered by volume, those without a name last, and a table has their numbers and filters, too", async ({
  demo,
}) => {
  await demo.run("Small");
  const rows = await demo
    .chart("Topics")
    .locator("tbody tr")
    .evaluateAll((rows) =>
      rows.map((row) => ({
        isNone: row.getAttribute("data-absent") === "true",
        total: Number(row.querySelector(".total")?.textContent),
        parts: [...row.querySelectorAll("td:not(.total)")].map((part) => Number(part.ariaLabel)),
      })),
    );
  const named = rows.filter(({ isNone }) => !isNone).map(({ total }) => total);
  expect(named).toEqual(named.toSorted((one, other) => other - one));
  expect(rows.findIndex(({ isNone }) => isNone)).toBe(named.length);
  for (const { total, parts } of rows) {
    expect(parts.reduce((sum, part) => sum + part, 0)).toBe(total);
  }
  const price = findings.filter((finding) => topicOf(finding) === "price");
  await demo.page.getByRole("button", { name: "Topics as a table" }).click();
  await expect(demo.chart("Topics").getByRole("columnheader")).toHaveText([
    ...["Topic", "Findings"],
    ...["Very negative", "Negative", "Neutral", "Positive", "Very positive", "Other"],
  ]);
  const cells = demo
    .chart("Topics")
    .getByRole("row", { name: /^price/ })
    .locator("td");
  // A number stands in its cell, not at the end of a bar.
  const places = await cells.evaluateAll((all) => all.map((cell) => getComputedStyle(cell).transform));
  expect(new Set(places)).toEqual(new Set(["none"]));
  await expect(cells).toHaveText([
    String(price.length),
    ...[-2, -1, 0, 1, 2].map((sentiment) => String(count(({ Sentiment }) => Sentiment === sentiment, price))),
    "0",
  ]);
  await expect(cells.first()).toBeVisible();
  await demo.value("Topics", "price").click();
  await demo.shows(price.length);
});

test("a bar filters the list and all other charts, and its own chart keeps its other bars", async ({ demo }) => {
  await demo.run("Small");
  await demo.value("Sentiment", "Very negative").click();
  const negative = findings.filter(({ Sentiment }) => Sentiment === -2);
  await demo.shows(negative.length);
  await expect(demo.grid).toHaveAttribute("aria-rowcount", String(negative.length + 1));
  expect(await demo.number("Topic groups", "Delivery")).toBe(count((f) => f.TopicGroup === "Delivery", negative));
  expect(await demo.number("Sentiment", "Neutral")).toBe(count(({ Sentiment }) => Sentiment === 0));
  await expect(demo.value("Sentiment", "Very negative")).toHaveAttribute("aria-pressed", "true");

  await demo.value("Sentiment", "Negative").click();
  const either = findings.filter(({ Sentiment }) => Sentiment === -2 || Sentiment === -1);
  await demo.shows(either.length);

  await demo.value("Topic groups", "Not mapped").click();
  const unmapped = either.filter(({ TopicGroup }) => TopicGroup === null);
  await demo.shows(unmapped.length);
  await expect(demo.filters).toHaveCount(3);
  const comments = await demo.rows.locator(".chip").allTextContents();
  expect(new Set(comments)).toEqual(new Set(["Very negative", "Negative"]));
});

test("every filter has a chip that removes it, and one button removes all", async ({ demo, page }) => {
  await demo.run("Small");
  await demo.value("Sentiment", "Positive").click();
  await demo.value("Topic groups", "Value").click();
  await demo.search.fill("preis");
  await expect(demo.filters).toHaveCount(3);
  const { length } = findings.filter(
    ({ Sentiment, TopicGroup, Comment }) => Sentiment === 1 && TopicGroup === "Value" && /preis/i.test(Comment),
  );
  expect(length).toBeGreaterThan(0);
  await demo.shows(length);
  await page.getByRole("button", { name: "Remove the filter Comment “preis”" }).press("Enter");
  await expect(demo.search).toHaveValue("");
  await expect(demo.filters).toHaveCount(2);
  await expect(demo.filters.first()).toBeFocused();
  await page.getByRole("button", { name: "Clear all", exact: true }).press("Enter");
  await expect(demo.filters).toHaveCount(0);
  await expect(demo.search).toBeFocused();
  await demo.shows(250);
});

test("search ignores case, and filters charts and list", async ({ demo }) => {
  await demo.run("Small");
  for (const text of ["DELIVERY", "größe", "配送", "\u202e", "<b>"]) {
    await demo.search.fill(text);
    const found = findings.filter(({ Comment }) => Comment.toLowerCase().includes(text.toLowerCase()));
    expect(found.length, text).toBeGreaterThan(0);
    await demo.shows(found.length);
    const positive = await demo.number("Sentiment", "Very positive");
    expect(positive, text).toBe(count(({ Sentiment }) => Sentiment === 2, found));
  }
});

test("an empty selection says so, and offers to clear the filters", { tag: "@full" }, async ({ demo, page }) => {
  await demo.run("Small");
  await demo.search.fill("nobody wrote this");
  await expect(page.getByRole("heading", { name: "No matching findings" })).toBeVisible();
  await expect(demo.grid).toBeHidden();
  expect(await demo.number("Sentiment", "Neutral")).toBe(0);
  await page.getByRole("button", { name: "Clear all filters" }).click();
  await expect(demo.grid).toBeVisible();
  await demo.shows(250);
});

test("the chosen order applies, and stays after a filter", { tag: "@full" }, async ({ demo }) => {
  await demo.run("Small");
  await demo.order.selectOption("Worst first");
  await expect(demo.rows.first().locator(".chip")).toHaveText("Very negative");
  await demo.order.selectOption("Best first");
  await expect(demo.rows.first().locator(".chip")).toHaveText("Very positive");
  await demo.value("Topic groups", "Delivery").click();
  await demo.order.selectOption("Topics, A to Z");
  const topics = await demo.rows.locator(".topic > :first-child").allTextContents();
  expect(topics.length).toBeGreaterThan(3);
  const meant = findings.filter(({ TopicGroup }) => TopicGroup === "Delivery").map(topicOf);
  expect(topics).toEqual(meant.toSorted((one, other) => (one < other ? -1 : 1)).slice(0, topics.length));
  await demo.order.selectOption("Original order");
  const asTheyCame = await demo.rows.locator(".topic > :first-child").allTextContents();
  expect(asTheyCame).toEqual(meant.slice(0, asTheyCame.length));
});

test("topic findings are explored without sentiments", async ({ demo }) => {
  await demo.run("Small", "Topics");
  const topics = smallFindings("topics");
  await expect(demo.chart("Sentiment")).toHaveCount(0);
  await expect(demo.order.locator("option")).toHaveText([
    ...["Original order", "Topics, A to Z", "Topic groups, A to Z", "Expression groups, A to Z"],
  ]);
  await demo.value("Topic groups", "Delivery").click();
  await demo.shows(count(({ TopicGroup }) => TopicGroup === "Delivery", topics));
  const price = count((f) => topicOf(f) === "livraison" && f.TopicGroup === "Delivery", topics);
  expect(price).toBeGreaterThan(0);
  expect(await demo.number("Topics", "livraison")).toBe(price);
});

test("in every comment the extract is marked", async ({ demo }) => {
  await demo.run("Small");
  for (const [index, finding] of findings.slice(0, 8).entries()) {
    const isPart = finding.Extract.Text !== finding.Comment;
    const marks = demo.grid.locator(`[data-index="${index}"] mark`);
    expect(await marks.allTextContents()).toEqual(isPart ? [finding.Extract.Text] : []);
  }
  expect(count((finding) => finding.Extract.Text !== finding.Comment, findings.slice(0, 8))).toBeGreaterThan(0);
});

test("the number of matching findings is announced to screen readers", { tag: "@full" }, async ({ demo, page }) => {
  await demo.run("Small");
  await demo.value("Sentiment", "Neutral").click();
  const neutral = count(({ Sentiment }) => Sentiment === 0);
  await expect(page.locator("#announcer")).toHaveText(`${neutral} of 250 findings`);
});

test.describe("the dialog of a finding", () => {
  test("has every field, the marked comment and the JSON", async ({ demo }) => {
    await demo.run("Small");
    await openFirst(demo);
    const [first] = findings as [InspectionFinding];
    await expect(demo.finding.getByRole("heading", { level: 2 })).toHaveText("Finding 1 of 250");
    await expect(demo.finding.locator("blockquote")).toHaveText(first.Comment.replaceAll("\n", " "));
    await expect(demo.finding.locator("blockquote mark")).toHaveText(String(first.Extract.Text));
    for (const field of ["VariableKey", "RespondentKey", "RespondentId", "StringKey"] as const) {
      await expect(demo.finding.locator("dl > div", { hasText: field }).locator("dd")).toHaveText(String(first[field]));
    }
    expect(JSON.parse((await demo.finding.locator("pre").textContent()) ?? "")).toEqual(first);
  });

  test("moves to the next and the previous finding, and the list follows", { tag: "@full" }, async ({ demo, page }) => {
    await demo.run("Small");
    await openFirst(demo);
    await demo.finding.getByRole("button", { name: "Previous" }).press("Enter");
    await expect(demo.finding.getByRole("heading", { level: 2 })).toHaveText("Finding 1 of 250");
    for (let turn = 0; turn < 30; turn++) {
      await demo.finding.getByRole("button", { name: "Next" }).click();
    }
    await expect(demo.finding.getByRole("heading", { level: 2 })).toHaveText("Finding 31 of 250");
    await page.keyboard.press("Escape");
    await expect(demo.finding).toBeHidden();
    await expect(demo.grid.locator("[data-index='30']")).toBeFocused();
    await expect(demo.grid.locator("[data-index='30']")).toBeInViewport();
  });
});

async function openFirst(demo: DemoPage): Promise<void> {
  await demo.rows.first().click();
  await expect(demo.finding).toBeVisible();
}
