/** Large inspections: up to a million findings, of which only the visible ones exist as rows. */

import type { Page } from "@playwright/test";
import { type DemoPage, expect, later, test } from "./demo-page.js";

/** The most rows that a screen of this height needs. */
const mostRows = 60;

test("the wheel moves through the findings and the row in use stays", async ({ demo, page }) => {
  await demo.run("Small");
  await demo.rows.first().focus();
  await demo.grid.hover();
  for (let turn = 0; turn < 20; turn++) {
    await page.mouse.wheel(0, 1_500);
  }
  await expect(demo.rows.last()).not.toHaveAttribute("data-index", /^\d{1,2}$/);
  await expect(demo.grid.locator("[data-index='0']")).toBeFocused();
  expect(await demo.rows.count()).toBeLessThanOrEqual(mostRows);
});

test("another width keeps the scroll position", { tag: "@full" }, async ({ demo, page }) => {
  await demo.run("Small");
  await demo.rows.first().focus();
  await page.keyboard.press("End");
  await expect(demo.grid.locator("[data-index='249']")).toBeInViewport();
  await page.setViewportSize({ width: 500, height: 800 });
  await expect(demo.grid.locator("[data-index='245']")).toBeAttached();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(500);
});

test("a million findings are loaded, scrolled, filtered and sorted", { tag: "@full" }, async ({ demo, page }) => {
  test.setTimeout(150_000);
  await page.goto(later("findings=1000000&partition-size=5000"));
  await demo.load.click();
  await expect(demo.heading).toHaveText("Complete", { timeout: 120_000 });
  await expect(demo.stat("Findings")).toHaveText("1,000,000 of 1,000,000");
  await expect(demo.grid).toHaveAttribute("aria-rowcount", "1000001");
  await expect(page.locator("#map .partition[data-state=received]")).toHaveCount(200);
  await scrollsWithoutGap(demo, page, 999_999);

  await demo.rows.last().focus();
  await page.keyboard.press("Home");
  expect(await demo.focusedIndex()).toBe(0);
  await page.keyboard.press("End");
  expect(await demo.focusedIndex()).toBe(999_999);
  await expect(demo.grid.locator("[data-index='999999']")).toBeInViewport({ ratio: 0.95 });
  await page.keyboard.press("PageUp");
  await page.keyboard.press("ArrowDown");
  expect(await demo.focusedIndex()).toBeGreaterThan(999_980);
  expect(await demo.focusedIndex()).toBeLessThan(999_999);

  const before = await firstInSight(page, 0.5);
  await demo.grid.hover();
  await page.mouse.wheel(0, 300);
  await expect.poll(() => firstInSight(page)).toBeGreaterThan(before);
  expect((await firstInSight(page)) - before).toBeLessThan(12);

  await demo.value("Sentiment", "Very negative").click();
  await expect(demo.grid).not.toHaveAttribute("aria-rowcount", "1000001");
  await demo.order.selectOption("Topics, A to Z");
  await expect(demo.rows.first().locator(".chip")).toHaveText("Very negative");
});

/** The first visible finding, after an optional scroll to a share of the list. */
function firstInSight(page: Page, share?: number): Promise<number> {
  return page.evaluate(async (share) => {
    const body = document.querySelector(".findings .body") as HTMLElement;
    if (share !== undefined) {
      body.scrollTop = share * body.scrollHeight;
      await new Promise(requestAnimationFrame);
      await new Promise(requestAnimationFrame);
    }
    const { top } = body.getBoundingClientRect();
    const rows = [...body.querySelectorAll<HTMLElement>("[data-index]:not([data-away])")];
    return Math.min(
      ...rows.filter((row) => row.getBoundingClientRect().bottom > top).map((row) => Number(row.dataset.index)),
    );
  }, share);
}

/** Scrolls from the first to the last finding in steps. At each step, the rows are consecutive and fill the list. */
async function scrollsWithoutGap(demo: DemoPage, page: Page, last: number): Promise<void> {
  await expect(demo.rows.first()).toBeVisible();
  await demo.grid.evaluate((grid) => grid.scrollIntoView({ block: "end" }));
  const steps = await page.evaluate(async () => {
    const body = document.querySelector(".findings .body") as HTMLElement;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const steps: { rows: number; gap: number; ordered: boolean }[] = [];
    for (let step = 0; step <= 60; step++) {
      body.scrollTop = (step / 60) * body.scrollHeight + (step % 3) * 37;
      await frame();
      await frame();
      const area = body.getBoundingClientRect();
      const rows = [...body.querySelectorAll<HTMLElement>("[data-index]:not([data-away])")];
      const seen = rows
        .map((row) => row.getBoundingClientRect())
        .filter((row) => row.bottom > area.top && row.top < area.bottom);
      const between = seen.slice(1).map((row, index) => Math.abs(row.top - (seen[index]?.bottom ?? 0)));
      const edges = [(seen[0]?.top ?? Number.POSITIVE_INFINITY) - area.top, area.bottom - (seen.at(-1)?.bottom ?? 0)];
      const numbers = rows.map((row) => Number(row.dataset.index));
      steps.push({
        rows: rows.length,
        gap: Math.max(...between, ...edges),
        ordered: numbers.every((n, i) => i === 0 || n === (numbers[i - 1] ?? 0) + 1),
      });
    }
    return steps;
  });
  expect(Math.max(...steps.map(({ rows }) => rows))).toBeLessThanOrEqual(mostRows);
  expect(Math.max(...steps.map(({ gap }) => gap))).toBeLessThanOrEqual(1);
  expect(steps.every(({ ordered }) => ordered)).toBe(true);
  await expect(demo.grid.locator(`[data-index='${last}']`)).toBeInViewport();
}
