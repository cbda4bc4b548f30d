/** The appearance: accessible in light on a large screen and in dark on a phone, and still while findings load. */

import { join } from "node:path";
import type { Page } from "@playwright/test";
import { isQuick } from "../tier.js";
import { type DemoPage, expect, expectAccessible, test } from "./demo-page.js";

const artefacts = join(import.meta.dirname, "..", "..", "target", "artefacts");

/** The dark phone has the same elements, so the quick tier asks only what size and colours change. */
const rulesOfPhone = isQuick ? ["color-contrast", "scrollable-region-focusable", "target-size"] : undefined;

const looks = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 }, rules: undefined },
  { name: "phone", colorScheme: "dark", viewport: { width: 390, height: 844 }, rules: rulesOfPhone },
] as const;

const states: { name: string; reach: (demo: DemoPage) => Promise<unknown> }[] = [
  { name: "ready", reach: async () => {} },
  {
    name: "loading",
    reach: async (demo) => {
      await demo.choose("A slow service");
      await demo.load.click();
      // Some findings, and not all: which number is seen depends on when the browser is asked.
      await expect(demo.facts).toHaveText(/^[1-9][\d,]* of/);
    },
  },
  {
    name: "cancelled",
    reach: async (demo) => {
      // The load of the state before may have ended.
      await demo.ended();
      await demo.load.click();
      await demo.cancel.click();
    },
  },
  { name: "complete", reach: (demo) => demo.run("Responses overtake each other") },
  { name: "filtered", reach: (demo) => demo.bar("Topic groups", "Mobile app").click() },
  {
    name: "compared",
    reach: async ({ page }) => {
      await page.getByRole("button", { name: "Let the token expire" }).click();
      await expect(page.locator(".side-state").nth(1)).toHaveText(/^All/);
    },
  },
  { name: "finding", reach: (demo) => demo.rows.first().getByRole("button").click() },
  {
    name: "no match",
    reach: async (demo) => {
      await demo.page.keyboard.press("Escape");
      await demo.search.fill("nobody wrote this");
    },
  },
  { name: "incomplete", reach: (demo) => demo.run("A partition with errors") },
  { name: "failed", reach: (demo) => demo.run("An unknown inspection") },
  { name: "own service", reach: (demo) => demo.choose("Your own service …") },
];

test("axe reports nothing in any state, and nothing is cut off, in light and on a dark phone", async ({
  demo,
  page,
}) => {
  test.setTimeout(180_000);
  for (const { name: state, reach } of states) {
    await test.step(state, async () => {
      await reach(demo);
      for (const { name, viewport, colorScheme, rules } of looks) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const path = join(artefacts, `demo ${name} ${state}.png`.replaceAll(" ", "-"));
        if (!isQuick) await page.screenshot({ path, fullPage: true });
        await expectAccessible(page, rules && [...rules]);
      }
    });
  }
});

test("bars, cells and the chosen option keep their difference in forced colours", {
  tag: "@full",
}, async ({ demo, page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await demo.run("A partition with errors");
  await demo.bar("Topic groups", "Staff").click();
  await expect(demo.bar("Topic groups", "Staff")).not.toHaveCSS("outline-style", "none");
  const backgrounds = await page
    .locator("#map .cell")
    .evaluateAll((cells) => cells.map((cell) => getComputedStyle(cell).background));
  expect(new Set(backgrounds).size).toBe(2);
  await expectAccessible(page);
});

test("nothing moves noticeably on a slow phone while findings load", async ({ context, page }) => {
  // A slow device paints more of what comes between.
  const { url, rate } = isQuick ? { url: "./?scenario=jittered", rate: 4 } : { url: "./", rate: 8 };
  await page.setViewportSize({ width: 390, height: 844 });
  await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate });
  await page.goto(url);
  const shifts = await layoutShifts(page);
  await expect(page.locator("#state")).toHaveText("Complete", { timeout: 30_000 });
  await page.waitForTimeout(300);
  expect(await shifts()).toBeLessThan(0.02);
  // A real shift is detected.
  await page.evaluate(() =>
    document.body.prepend(Object.assign(document.createElement("p"), { textContent: "Moves everything" })),
  );
  await expect.poll(shifts).toBeGreaterThan(0.02);
});

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
