/** The appearance: accessible in light and dark, from a phone to a large screen, without layout shifts. */

import { join } from "node:path";
import type { Page } from "@playwright/test";
import { violations } from "../axe.js";
import { type DemoPage, expect, later, test } from "./demo-page.js";

const artefacts = join(import.meta.dirname, "..", "..", "target", "artefacts");

const looks = {
  light: { colorScheme: "light", viewport: { width: 1440, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1440, height: 900 } },
  phone: { colorScheme: "light", viewport: { width: 360, height: 760 } },
  "dark phone": { colorScheme: "dark", viewport: { width: 360, height: 760 } },
  "4K": { colorScheme: "light", viewport: { width: 3840, height: 2160 } },
} as const;

const states: { name: string; reach: (demo: DemoPage) => Promise<void> }[] = [
  { name: "ready", reach: async () => {} },
  {
    name: "loading",
    reach: async (demo) => {
      await demo.choose("Slow");
      await demo.load.click();
      await demo.receives("8 of 24");
    },
  },
  { name: "complete", reach: (demo) => demo.run("Small") },
  {
    name: "filtered",
    reach: async (demo) => {
      await demo.value("Sentiment", "Very negative").click();
      await demo.page.getByRole("button", { name: "Topics as a table" }).click();
    },
  },
  {
    name: "finding",
    reach: async (demo) => {
      await demo.rows.first().click();
      await expect(demo.finding).toBeVisible();
    },
  },
  {
    name: "no finding",
    reach: async (demo) => {
      await demo.page.keyboard.press("Escape");
      await demo.search.fill("nobody wrote this");
      await expect(demo.grid).toBeHidden();
    },
  },
  { name: "topics", reach: (demo) => demo.run("Small", "Topics") },
  {
    name: "SQL",
    reach: async ({ page }) => {
      await page.getByText("Ask in SQL").click();
      await page.getByRole("textbox", { name: "Query" }).fill("SELECT * FROM topics LIMIT 12");
      await page.getByRole("button", { name: "Run", exact: true }).click();
      await expect(page.locator("output.sql-state")).toHaveText(/^12 rows,/, { timeout: 30_000 });
    },
  },
  { name: "incomplete", reach: (demo) => demo.run("Service errors") },
  { name: "failed", reach: (demo) => demo.run("Unknown inspection") },
  {
    name: "cancelled",
    reach: async (demo) => {
      await demo.choose("Slow");
      await demo.load.click();
      await demo.cancel.click();
      await demo.ended();
    },
  },
  {
    name: "laboratory",
    reach: async ({ page }) => {
      await page.goto(later("jitter=40&error-rate=25&seed=11"));
      await page.getByText("Fault laboratory").click();
      await page.getByRole("button", { name: "Copy link" }).click();
    },
  },
  { name: "your own service", reach: (demo) => demo.page.getByRole("radio", { name: "Your own" }).check() },
];

/** In the quick tier axe looks at these only, in this order: an open dialog would cover what follows. */
const typical = ["incomplete", "complete", "finding"].flatMap((name) => states.filter((state) => state.name === name));

for (const look of ["light", "dark", "phone"] as const) {
  test.describe(look, () => {
    test.use({ ...looks[look], failingStatuses: true });

    if (look === "light") {
      test("axe reports nothing in three typical states, and nothing is cut off", async ({ demo, page }) => {
        test.setTimeout(180_000);
        await isAccessible(demo, page, look, typical);
      });
    }

    test("axe reports nothing in any state, and nothing is cut off", { tag: "@full" }, async ({ demo, page }) => {
      test.setTimeout(240_000);
      await isAccessible(demo, page, look, states);
    });
  });
}

for (const look of ["dark phone", "4K"] as const) {
  test.describe(look, () => {
    test.use(looks[look]);

    test("nothing is cut off, and axe reports nothing in the laboratory", { tag: "@full" }, async ({ demo, page }) => {
      await demo.run("Large");
      await expect(demo.chart("Expression groups")).toBeVisible();
      await isShownInFull(page, look, "complete");
      await isAccessible(
        demo,
        page,
        look,
        states.filter(({ name }) => name === "laboratory"),
      );
    });
  });
}

for (const look of ["light", "phone"] as const) {
  test.describe(look, () => {
    test.use(looks[look]);

    test("nothing moves while findings load", { tag: "@full" }, async ({ demo, page }) => {
      const shifts = await layoutShifts(page);
      for (const scenario of ["Jittered order", "Slow"]) {
        await demo.choose(scenario);
        await demo.load.click();
        // Counts only shifts without recent input of the reader.
        await page.waitForTimeout(600);
        await demo.ended();
        await page.waitForTimeout(600);
      }
      expect(await shifts()).toBe(0);
      // A real shift is detected.
      await page.evaluate(() => document.body.prepend(document.createElement("hr")));
      await expect.poll(shifts).toBeGreaterThan(0);
    });

    const opening = "nothing moves while the page opens, loads and is cancelled, or ends with a partial result";
    test(opening, { tag: look === "light" ? "@full" : [] }, async ({ page, demo }) => {
      for (const { query, until } of [
        { query: `findings=${look === "light" ? 100_000 : 20_000}&partition-size=500`, until: "Complete" },
        { query: "scenario=slow", until: "Loading" },
        { query: "scenario=service-errors&latency=200", until: "Incomplete" },
      ]) {
        await page.goto(`./?${query}`);
        const shifts = await layoutShifts(page);
        await expect(demo.heading).toHaveText(until, { timeout: 30_000 });
        if (until === "Loading") {
          await demo.receives("8 of 24");
          // Without input of the reader, after which shifts do not count.
          await page.evaluate(() => document.getElementById("cancel")?.click());
          await expect(demo.heading).toHaveText("Cancelled");
          await expect(demo.completeness).toContainText("Partial");
        }
        await demo.settled();
        await page.waitForTimeout(300);
        expect(await shifts(), query).toBe(0);
      }
    });
  });
}

test("there is no motion for readers who prefer none", async ({ demo, page }) => {
  await page.emulateMedia({ reducedMotion: "reduce" });
  await expect(demo.bar.locator(".progress-bar-done")).toHaveCSS("transition-property", "none");
  await demo.run("Small");
  for (const bar of await demo.chart("Sentiment").locator("tbody td").all()) {
    await expect(bar).toHaveCSS("transition-property", "none");
  }
});

/** Reaches one state after the other. */
async function isAccessible(demo: DemoPage, page: Page, look: keyof typeof looks, reached: typeof states) {
  for (const { name, reach } of reached) {
    await test.step(name, async () => {
      await reach(demo);
      await isShownInFull(page, look, name);
      // Only the colours differ in the dark.
      expect(await violations(page, look === "dark" ? ["color-contrast"] : undefined)).toEqual([]);
    });
  }
}

/** Takes a screenshot of the page, which must not be wider than the window. */
async function isShownInFull(page: Page, look: keyof typeof looks, state: string): Promise<void> {
  await page.evaluate(() => Promise.allSettled(document.getAnimations().map(({ finished }) => finished)));
  await page.screenshot({ path: join(artefacts, `demo ${look} ${state}.png`.replaceAll(" ", "-")), fullPage: true });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(looks[look].viewport.width);
}

/** The sum of layout shifts since the first paint, without those after input of the reader. */
async function layoutShifts(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(() => {
    const watch = { sum: 0 };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        watch.sum += Reflect.get(entry, "hadRecentInput") ? 0 : Reflect.get(entry, "value");
      }
    }).observe({ type: "layout-shift", buffered: true });
    Object.assign(globalThis, { watch });
  });
  return () => page.evaluate(() => Reflect.get(globalThis, "watch").sum);
}
