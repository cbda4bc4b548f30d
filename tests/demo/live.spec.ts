/** The live table: charts, list and search work from the first partition on and grow, and nothing that the reader does is lost. */

import type { Page } from "@playwright/test";
import { type DemoPage, expect, test } from "./demo-page.js";
import { type SecondOrigin, serve } from "./second-origin.js";

test.use({ otherPorts: true });

/** Findings of each partition. */
const size = 40;
const partitions = 5;

/** Topics of which the second is the most frequent from the second partition on. */
const topicOf = (index: number, row: number) => ((index === 4 ? row % 4 === 0 : row % 4 !== 0) ? "Breakfast" : "Rooms");

const bodies = Array.from({ length: partitions }, (_, index) =>
  JSON.stringify(
    Array.from({ length: size }, (_, row) => ({
      StringKey: 1000 * index + row,
      Comment: `Comment ${row} of partition ${index}`,
      Topic: { Text: topicOf(index, row) },
      TopicGroup: "Hotel",
      ExpressionGroup: "Stay",
      Sentiment: (row % 5) - 2,
    })),
  ),
);

let service: SecondOrigin;
let gates: PromiseWithResolvers<void>[];

test.beforeEach(async () => {
  gates = bodies.map(() => Promise.withResolvers<void>());
  const gateOf = (url: string) => gates[Number(/Sentiment\/(\d+)$/.exec(url)?.[1] ?? Number.NaN)]?.promise;
  service = await serve({ partitions: bodies, held: gateOf });
});

test.afterEach(() => service.close());

/** Loads the inspection, of which the service holds every partition. */
async function load({ page, load, heading }: DemoPage): Promise<void> {
  await page.getByRole("radio", { name: "Your own" }).check();
  await page.getByLabel("Base URL").fill(service.baseUrl);
  await load.click();
  await expect(heading).toHaveText("Loading");
}

/** Releases partitions, and waits until the page shows them. */
async function release(demo: DemoPage, ...indexes: number[]): Promise<void> {
  const done = Number.parseInt((await demo.stat("Partitions").textContent()) ?? "", 10) || 0;
  for (const index of indexes) {
    gates[index]?.resolve();
  }
  const now = done + indexes.length;
  const words = now === partitions ? "All 5 partitions" : `${now} of 5 partitions`;
  await expect(demo.completeness.locator("strong")).toHaveText(words);
  // The charts are drawn one in each frame.
  await demo.settled();
}

test("charts, map, list and search work from the first partition on, and say how much of the inspection they show", async ({
  demo,
  page,
}) => {
  await load(demo);
  await expect(demo.result).toContainText("The first findings appear as soon as they arrive.");
  await release(demo, 2);
  await expect(demo.heading).toHaveText("Loading");
  await expect(page.locator("#map .partition[data-state=received]")).toHaveCount(1);
  await demo.shows(size);
  expect(await demo.number("Sentiment", "Positive")).toBe(size / 5);
  await expect(demo.rows.first()).toContainText("Comment 0 of partition 2");
  await demo.search.fill("comment 1");
  await demo.shows(11);

  await release(demo, 0, 4);
  await demo.shows(3 * 11);
  await expect(demo.search).toHaveValue("comment 1");
  await expect(demo.search).toBeFocused();
  await expect(demo.rows.first()).toContainText("Comment 1 of partition 0");
  await release(demo, 1, 3);
  await expect(demo.heading).toHaveText("Complete");
  await demo.shows(5 * 11);
  await expect(demo.completeness).toContainText("200 findings, complete and in order.");
});

test("filters, order and their keyboard focus stay while findings arrive", async ({ demo, page }) => {
  await load(demo);
  await release(demo, 3);
  await demo.value("Sentiment", "Very negative").press("Enter");
  await demo.order.selectOption("Topics, A to Z");
  await demo.filters.first().focus();
  const chip = await demo.filters.first().elementHandle();
  await release(demo, 0);
  await demo.shows((2 * size) / 5);
  expect(await demo.number("Sentiment", "Very negative")).toBe((2 * size) / 5);
  expect(await demo.number("Sentiment", "Neutral")).toBe((2 * size) / 5);
  await expect(demo.filters.first()).toBeFocused();
  expect(await chip?.evaluate((element) => element.isConnected)).toBe(true);
  await expect(demo.order.locator("option:checked")).toHaveText("Topics, A to Z");
  await expect(demo.value("Sentiment", "Very negative")).toHaveAttribute("aria-pressed", "true");
  const topics = await demo.rows.locator(".topic > :first-child").allTextContents();
  expect(topics).toEqual(topics.toSorted());
  await page.getByRole("button", { name: "Clear all", exact: true }).click();
  await demo.shows(2 * size);
});

test("the row in use keeps its finding, its place and the keyboard focus when rows before it arrive", async ({
  demo,
  page,
}) => {
  await load(demo);
  await release(demo, 3);
  await demo.rows.first().focus();
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  const row = await page.evaluateHandle(() => document.activeElement as HTMLElement);
  const topBefore = await row.evaluate((element) => element.getBoundingClientRect().top);
  await release(demo, 0, 1);
  expect(await demo.focusedIndex()).toBe(2 * size + 2);
  await expect(page.locator(":focus")).toContainText("Comment 2 of partition 3");
  await expect(page.locator(":focus .ordinal")).toHaveText(String(2 * size + 3));
  expect(await row.evaluate((element) => element === document.activeElement)).toBe(true);
  expect(await row.evaluate((element) => element.getBoundingClientRect().top)).toBeCloseTo(topBefore, 0);
  await page.keyboard.press("ArrowUp");
  await expect(page.locator(":focus")).toContainText("Comment 1 of partition 3");
});

test("a scrolled list shows the same findings when rows before them arrive", { tag: "@full" }, async ({
  demo,
  page,
}) => {
  await load(demo);
  await release(demo, 3, 4);
  await demo.grid.locator(".body").evaluate((body) => {
    body.scrollTop = 20.5 * (body.querySelector<HTMLElement>(".row-measure")?.offsetHeight ?? 0);
  });
  await expect(demo.grid.locator("[data-index='22']:not([data-away])")).toBeAttached();
  const before = await placesOfRows(page);
  await release(demo, 1);
  expect(await placesOfRows(page)).toEqual(before);
  await expect(demo.grid.locator("[data-index='62']")).toContainText("Comment 22 of partition 3");
});

test("an open finding stays open, and says where it is among more", async ({ demo, page }) => {
  await load(demo);
  await release(demo, 3);
  await demo.rows.nth(1).click();
  await expect(demo.finding.getByRole("heading", { level: 2 })).toHaveText("Finding 2 of 40");
  const content = await demo.finding.locator("blockquote").elementHandle();
  await demo.finding.getByRole("button", { name: "Next" }).focus();
  await release(demo, 0);
  await expect(demo.finding.getByRole("heading", { level: 2 })).toHaveText("Finding 42 of 80");
  expect(await content?.evaluate((element) => element.isConnected)).toBe(true);
  await expect(demo.finding.getByRole("button", { name: "Next" })).toBeFocused();
  await demo.finding.getByRole("button", { name: "Previous" }).click();
  await expect(demo.finding.locator("blockquote")).toHaveText("Comment 0 of partition 3");
  await release(demo, 1, 2, 4);
  await expect(demo.finding.getByRole("heading", { level: 2 })).toHaveText("Finding 121 of 200");
  await page.keyboard.press("Escape");
  // A dialog returns the focus to the row that opened it; its `close` event comes in a later task.
  await expect.poll(() => demo.focusedIndex()).toBe(120);
});

test("the bars of a chart change their order only while it is not in use", { tag: "@full" }, async ({ demo, page }) => {
  await load(demo);
  await release(demo, 4);
  const labels = () => demo.chart("Topics").locator("tbody button").allTextContents();
  expect(await labels()).toEqual(["Rooms", "Breakfast"]);
  await demo.value("Topics", "Breakfast").focus();
  await release(demo, 0, 1);
  expect(await demo.number("Topics", "Breakfast")).toBe(10 + 30 + 30);
  expect(await labels()).toEqual(["Rooms", "Breakfast"]);
  await expect(demo.value("Topics", "Breakfast")).toBeFocused();
  await demo.search.focus();
  await expect.poll(labels).toEqual(["Breakfast", "Rooms"]);
  await demo.chart("Topics").hover();
  await release(demo, 2, 3);
  await expect(page.locator(".chart[data-dimension=topic]")).toContainText("130");
});

test("the bars grow with the partitions, and fill their room with the last", async ({ demo, page }) => {
  await load(demo);
  const shareOfRoom = async () => {
    await demo.settled();
    return page.locator(".chart[data-dimension=topicGroup] tbody tr").evaluate((row) => {
      const parts = [...row.querySelectorAll("td:not(.total)")].map((part) => part.getBoundingClientRect().width);
      return parts.reduce((sum, width) => sum + width, 0) / row.getBoundingClientRect().width;
    });
  };
  const shares: number[] = [];
  for (const index of [2, 0, 4, 1, 3]) {
    await release(demo, index);
    shares.push(await shareOfRoom());
  }
  expect(shares).toEqual(shares.toSorted((one, other) => one - other));
  expect(shares[0]).toBeLessThan(0.5);
  expect(shares[0]).toBeGreaterThan(0.3);
  expect(shares.at(-1)).toBeCloseTo(1, 2);
});

test("the charts appear and stay in the same place with findings that do not match at first", { tag: "@full" }, async ({
  demo,
  page,
}) => {
  await load(demo);
  await release(demo, 3);
  await demo.search.fill("of partition 1");
  await expect(page.getByRole("heading", { name: "No matching findings" })).toBeVisible();
  await page.getByRole("button", { name: "Clear all filters" }).focus();
  await release(demo, 1);
  await expect(demo.grid).toBeVisible();
  await demo.shows(size);
  await expect(demo.search).toBeFocused();
});

test.describe("on opening", () => {
  test("the page loads what its URL says", async ({ page, demo }) => {
    await page.goto("./?scenario=jittered&findings=900&partition-size=30");
    await expect(demo.heading).toHaveText("Complete");
    await expect(demo.stat("Findings")).toHaveText("900 of 900");
    await expect(demo.completeness).toContainText("All 30 partitions");
    await demo.shows(900);
  });

  test("the page with load=later loads nothing", async ({ page, demo }) => {
    await expect(demo.heading).toHaveText("Ready");
    await expect(demo.result).toContainText("Nothing loaded yet");
    await page.waitForLoadState("networkidle");
    await expect(demo.heading).toHaveText("Ready");
    await expect(demo.load).not.toHaveAttribute("aria-disabled", "true");
  });

  test("the first paint does not wait for findings", async ({ page, context }) => {
    const gate = Promise.withResolvers<void>();
    // In the context, because the service worker may fetch the file already.
    await context.route(/\.wasm$/, async (route) => {
      await gate.promise;
      await route.continue();
    });
    await page.goto("./?scenario=small");
    await expect.poll(() => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length)).toBe(1);
    await expect(page.locator("#progress-heading")).toHaveText("Loading");
    gate.resolve();
    await expect(page.locator("#progress-heading")).toHaveText("Complete");
  });
});

/** The comments of the visible rows with their places. */
function placesOfRows(page: Page): Promise<[string, number][]> {
  return page.evaluate(async () => {
    await new Promise(requestAnimationFrame);
    const body = document.querySelector(".findings .body") as HTMLElement;
    const { top, bottom } = body.getBoundingClientRect();
    return [...body.querySelectorAll<HTMLElement>("[data-index]:not([data-away])")]
      .map((row) => [row.querySelector(".excerpt")?.textContent ?? "", row.getBoundingClientRect()] as const)
      .filter(([, place]) => place.bottom > top && place.top < bottom)
      .map(([comment, place]): [string, number] => [comment, Math.round(place.top)]);
  });
}
