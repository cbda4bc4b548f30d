/** The appearance: accessible in light on a large screen and in dark on a phone, and still while findings load. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { inRepository } from "../../../tools/repository.js";
import { isQuick } from "../../tier.js";
import { type DemoPage, expect, expectAccessible, test } from "./demo-page.js";

const artefacts = join(import.meta.dirname, "..", "..", "..", "target", "artefacts");

/** The dark phone has the same elements, so the quick tier asks only what size and colours change. */
const rulesOfPhone = isQuick ? ["color-contrast", "scrollable-region-focusable", "target-size"] : undefined;

const looks = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 900 }, rules: undefined },
  { name: "phone", colorScheme: "dark", viewport: { width: 390, height: 844 }, rules: rulesOfPhone },
] as const;

/** Each state is reached from the one before. */
const states: Record<string, (demo: DemoPage) => Promise<unknown>> = {
  ready: async () => {},
  async loading({ begin, facts }) {
    await begin("A slow service");
    // Some findings, and not all: which number is seen depends on when the browser is asked.
    await expect(facts).toHaveText(/^[1-9][\d,]* of/);
  },
  async cancelled({ ended, load, cancel }) {
    // The load of the state before may have ended.
    await ended();
    await load.click();
    await cancel.click();
  },
  complete: ({ run }) => run("Responses overtake each other"),
  filtered: ({ bar }) => bar("Topic groups", "Mobile app").click(),
  async compared({ page }) {
    await page.getByRole("button", { name: "Let the token expire" }).click();
    await expect(page.locator(".side-state").nth(1)).toHaveText(/^All/);
  },
  finding: ({ rows }) => rows.first().getByRole("button").click(),
  async "no match"({ page, search }) {
    await page.keyboard.press("Escape");
    await search.fill("nobody wrote this");
  },
  incomplete: ({ run }) => run("A partition with errors"),
  failed: ({ run }) => run("An unknown inspection"),
  "own service": ({ page }) => page.getByLabel("Inspection", { exact: true }).selectOption("own"),
};

test("axe reports nothing in any state, in light and on a dark phone, and nothing is cut off", async ({
  demo,
  page,
}) => {
  test.setTimeout(180_000);
  for (const [state, reach] of Object.entries(states)) {
    await test.step(state, async () => {
      await reach(demo);
      for (const { name, viewport, colorScheme, rules } of looks) {
        await page.setViewportSize(viewport);
        await page.emulateMedia({ colorScheme });
        const path = join(artefacts, `demo ${name} ${state}.png`.replaceAll(" ", "-"));
        if (!isQuick) await page.screenshot({ path, fullPage: true });
        await expectAccessible(page, rules);
      }
    });
  }
});

test("the picture of the guides shows the headings and controls that the demo has", async ({ demo, page }, {
  config,
}) => {
  const picture = inRepository("www", "docs", "demo.webp");
  const shown = join(import.meta.dirname, "picture.json");
  await page.setViewportSize({ width: 1280, height: 720 });
  await page.goto("./");
  await demo.ended();
  const names = await page
    .locator("h1, h2, a, button:not(#rows *), select, input")
    .evaluateAll((all) =>
      all
        .filter((one) => one.checkVisibility() && one.getBoundingClientRect().top < innerHeight)
        .map((one) => one.id || one.textContent),
    );
  if (config.updateSnapshots === "all") {
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", { format: "webp", quality: 20 });
    writeFileSync(picture, data, "base64");
    writeFileSync(shown, `${JSON.stringify(names, null, 2)}\n`);
  }
  expect(names).toEqual(JSON.parse(readFileSync(shown, "utf8")));
});

test("bars, cells and the chosen option keep their difference in forced colours", {
  tag: "@full",
}, async ({ demo, page }) => {
  await page.emulateMedia({ forcedColors: "active" });
  await demo.run("A partition with errors");
  await demo.bar("Topic groups", "Staff").click();
  await expect(demo.bar("Topic groups", "Staff")).not.toHaveCSS("outline-style", "none");
  const cells = page.locator("#map .cell");
  const backgrounds = await cells.evaluateAll((all) => all.map((cell) => getComputedStyle(cell).background));
  expect(new Set(backgrounds).size).toBe(2);
  await expectAccessible(page);
});

test("nothing moves noticeably on a slow phone while findings load", async ({ context, page }) => {
  // A slow device paints more of what comes between.
  const { url, rate } = isQuick ? { url: "./?scenario=jittered", rate: 4 } : { url: "./", rate: 8 };
  await page.setViewportSize({ width: 390, height: 844 });
  await (await context.newCDPSession(page)).send("Emulation.setCPUThrottlingRate", { rate });
  await page.goto(url);
  await page.evaluate(() => {
    const shifts = { sum: 0 };
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) {
        shifts.sum += Reflect.get(entry, "hadRecentInput") ? 0 : Reflect.get(entry, "value");
      }
    }).observe({ type: "layout-shift", buffered: true });
    Object.assign(globalThis, { shifts });
  });
  const shifts = () => page.evaluate(() => Reflect.get(globalThis, "shifts").sum);
  await expect(page.locator("#state")).toHaveText("Complete", { timeout: 30_000 });
  await page.waitForTimeout(300);
  expect(await shifts()).toBeLessThan(0.02);
  // A real shift is detected.
  await page.evaluate(() => document.body.prepend("Moves everything", document.createElement("hr")));
  await expect.poll(shifts).toBeGreaterThan(0.02);
});
