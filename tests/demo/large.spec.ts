/** The large inspection: a hundred thousand findings, of which only those on the screen exist as rows. */

import { expect, test } from "./demo-page.js";

/** More rows than this are never needed for a screen of this height. */
const mostRows = 60;

test("a hundred thousand findings load without a console message and scroll without a gap", async ({ demo, page }) => {
  await demo.run("Large");
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.figure("Findings")).toHaveText("100,000 of 100,000");
  await expect(demo.grid).toHaveAttribute("aria-rowcount", "100001");
  await expect(demo.rows.first()).toBeVisible();
  const steps = await page.evaluate(async () => {
    const body = document.querySelector(".findings .body") as HTMLElement;
    const frame = () => new Promise((resolve) => requestAnimationFrame(resolve));
    const steps: { rows: number; gap: number; ordered: boolean }[] = [];
    for (let step = 0; step <= 100; step++) {
      body.scrollTop = (step / 100) * body.scrollHeight + (step % 3) * 37;
      await frame();
      await frame();
      const area = body.getBoundingClientRect();
      const rows = [...body.querySelectorAll<HTMLElement>("[data-index]")];
      const seen = rows
        .map((row) => row.getBoundingClientRect())
        .filter((row) => row.bottom > area.top && row.top < area.bottom);
      const between = seen.slice(1).map((row, index) => Math.abs(row.top - (seen[index]?.bottom ?? 0)));
      const edges = [(seen[0]?.top ?? Number.POSITIVE_INFINITY) - area.top, area.bottom - (seen.at(-1)?.bottom ?? 0)];
      const numbers = rows.map((row) => Number(row.dataset.index));
      steps.push({
        rows: rows.length,
        gap: Math.max(...between, ...edges),
        ordered: numbers.every((n, i) => i === 0 || n > (numbers[i - 1] ?? 0)),
      });
    }
    return steps;
  });
  expect(Math.max(...steps.map(({ rows }) => rows))).toBeLessThanOrEqual(mostRows);
  expect(Math.max(...steps.map(({ gap }) => gap))).toBeLessThanOrEqual(1);
  expect(steps.every(({ ordered }) => ordered)).toBe(true);
  await expect(demo.grid.locator("[data-index='99999']")).toBeInViewport();
});

test("the wheel moves through the findings and the row in use stays", async ({ demo, page }) => {
  await demo.run("Large");
  await demo.rows.first().focus();
  await demo.grid.hover();
  for (let turn = 0; turn < 20; turn++) {
    await page.mouse.wheel(0, 1_500);
  }
  await expect(demo.rows.last()).not.toHaveAttribute("data-index", /^\d{1,2}$/);
  await expect(demo.grid.locator("[data-index='0']")).toBeFocused();
  expect(await demo.rows.count()).toBeLessThanOrEqual(mostRows);
});

test("another width keeps the place", async ({ demo, page }) => {
  await demo.run("Large");
  await demo.rows.first().focus();
  await page.keyboard.press("End");
  await expect(demo.grid.locator("[data-index='99999']")).toBeInViewport();
  await page.setViewportSize({ width: 500, height: 800 });
  await expect(demo.grid.locator("[data-index='99995']")).toBeAttached();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(500);
});
