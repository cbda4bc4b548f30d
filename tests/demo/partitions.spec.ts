/** Partitions: the progress counts them, the map shows the state of each, and a retry fetches only the failed ones. */

import type { Page } from "@playwright/test";
import { expect, later, test } from "./demo-page.js";

test.use({ failingStatuses: true });

interface Step {
  cell: number;
  state: string;
}

/** Records the states of each cell, and returns a function that reads them. */
async function watchMap(page: Page): Promise<() => Promise<Step[]>> {
  await page.evaluate(() => {
    const steps: { cell: number; state: string }[] = [];
    const map = document.getElementById("map") as HTMLElement;
    const take = (cell: Element) =>
      steps.push({ cell: [...map.children].indexOf(cell), state: String((cell as HTMLElement).dataset.state) });
    new MutationObserver((changes) => {
      for (const { target, type } of changes) {
        if (type === "attributes") {
          take(target as Element);
        }
      }
    }).observe(map, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });
    Object.assign(globalThis, { steps });
  });
  return () => page.evaluate(() => Reflect.get(globalThis, "steps"));
}

/** Records the numbers of the progress bar and the texts beside it, and returns a function that reads them. */
async function watchProgress(page: Page): Promise<() => Promise<{ done: number; total: number; text: string }[]>> {
  await page.evaluate(() => {
    const shown: { done: number; total: number; text: string }[] = [];
    const bar = document.querySelector("[role=progressbar]") as HTMLElement;
    new MutationObserver(() => {
      const texts = ["stat-findings", "stat-partitions", "share"].map((id) => document.getElementById(id)?.textContent);
      shown.push({ done: Number(bar.ariaValueNow), total: Number(bar.ariaValueMax), text: texts.join("; ") });
    }).observe(bar, { attributes: true, attributeFilter: ["aria-valuetext"] });
    Object.assign(globalThis, { shown });
  });
  return () => page.evaluate(() => Reflect.get(globalThis, "shown"));
}

/** Resolves once a retrieval is under way, for however short a time. */
function seenUnderWay(page: Page): Promise<void> {
  return page.evaluate(
    () =>
      new Promise<void>((resolve) => {
        const load = document.getElementById("load") as HTMLElement;
        const observer = new MutationObserver(() => {
          if (load.ariaDisabled === "true") {
            observer.disconnect();
            resolve();
          }
        });
        observer.observe(load, { attributes: true, attributeFilter: ["aria-disabled"] });
      }),
  );
}

async function legend(page: Page): Promise<Record<string, number>> {
  return countsIn(await page.locator("#legend li").allTextContents());
}

function countsIn(entries: string[]): Record<string, number> {
  return Object.fromEntries(
    entries.map((entry) => entry.trim().split(/\s+/)).map(([name, count]) => [name, Number(count)]),
  );
}

test("the progress is exact and only ever grows, and every partition changes from waiting to requested to received", async ({
  demo,
  page,
}) => {
  const steps = await watchMap(page);
  const progress = await watchProgress(page);
  await demo.choose("Slow");
  await demo.load.click();
  await expect(demo.heading).toHaveText("Loading");
  await expect(demo.load).toHaveAttribute("aria-disabled", "true");
  // In the frame that shows them: the next ones follow soon.
  const entries = await page.waitForFunction(
    () =>
      document.querySelectorAll("#map .partition[data-state=received]").length === 8 &&
      Array.from(document.querySelectorAll("#legend li"), ({ textContent }) => textContent ?? ""),
  );
  const meanwhile = countsIn((await entries.jsonValue()) || []);
  expect(meanwhile).toMatchObject({ Retrying: 0, Failed: 0 });
  // Eight requests are in flight, and as many bodies may wait for the worker.
  expect(meanwhile.Requested).toBeGreaterThanOrEqual(8);
  expect(meanwhile.Requested).toBeLessThanOrEqual(16);
  expect(Object.values(meanwhile).reduce((sum, count) => sum + count, 0)).toBe(24);
  await demo.ended();
  expect(await legend(page)).toEqual({ Waiting: 0, Requested: 0, Retrying: 0, Received: 24, Failed: 0 });
  const seen = await steps();
  for (let cell = 0; cell < 24; cell++) {
    const states = seen.filter((step) => step.cell === cell).map(({ state }) => state);
    expect(new Set(states)).toEqual(new Set(["requested", "received"]));
  }
  await expect(page.locator("#map .partition").first()).toHaveAttribute(
    "title",
    /^Partition 0: received, 100 findings, /,
  );
  const shown = (await progress()).filter(({ total }) => total === 24);
  expect(shown.map(({ done }) => done)).toEqual(shown.map(({ done }) => done).toSorted((one, other) => one - other));
  expect(shown[0]?.done).toBe(0);
  expect(shown.at(-1)?.done).toBe(24);
  for (const { done, text } of shown) {
    expect(text).toBe(
      `${(done * 100).toLocaleString("en")} of 2,400; ${done} of 24; ${Math.floor((100 * done) / 24)} %`,
    );
  }
});

test("a retried partition shows its state", { tag: "@full" }, async ({ demo, page }) => {
  const steps = await watchMap(page);
  await demo.run("Flaky");
  const seen = await steps();
  expect(new Set(seen.map(({ state }) => state))).toEqual(new Set(["requested", "retrying", "received"]));
  await expect(page.locator("#map .partition").first()).toHaveAttribute("title", /attempt 2/);
});

test("each state has its own shape besides its colour", async ({ page, demo }) => {
  await expect(demo.heading).toHaveText("Ready");
  const forms = await page.locator("#legend .partition").evaluateAll((cells) =>
    cells.map((cell) => {
      const { backgroundImage, boxShadow, backgroundColor } = getComputedStyle(cell);
      const withoutColours = backgroundImage.replace(/(rgba?|color)\([^)]*\)/g, "").replace(/\s+/g, "");
      return `${withoutColours} ${boxShadow === "none"} ${backgroundColor === "rgba(0, 0, 0, 0)"}`;
    }),
  );
  expect(new Set(forms).size).toBe(5);
});

test("every cell of the map is visible at every width", { tag: "@full" }, async ({ demo, page }) => {
  await page.goto(later("findings=500&partition-size=10"));
  await demo.load.click();
  await demo.ended();
  await expect(demo.stat("Partitions")).toHaveText("50 of 50");
  for (let width = 1272; width <= 1288; width++) {
    await page.setViewportSize({ width, height: 800 });
    const cut = await page.evaluate(async () => {
      // The cells are fitted by a resize observer, which runs before the second frame.
      for (let frame = 0; frame < 2; frame++) {
        await new Promise(requestAnimationFrame);
      }
      const map = document.getElementById("map");
      const { top = 0, bottom = 0 } = map?.getBoundingClientRect() ?? {};
      return [...(map?.children ?? [])].filter((cell) => {
        const { top: cellTop, bottom: cellBottom } = cell.getBoundingClientRect();
        return cellTop < top - 0.5 || cellBottom > bottom + 0.5;
      }).length;
    });
    expect(cut, `at a width of ${width}`).toBe(0);
  }
});

test("received findings are shown although a partition is missing, and Retry requests only that one", async ({
  demo,
  page,
}) => {
  await demo.run("Service errors");
  await expect(demo.heading).toHaveText("Incomplete");
  await expect(demo.failure.getByRole("heading")).toHaveText("1 partition missing");
  await demo.shows(300);
  await demo.failure.getByText("Why").click();
  await expect(demo.failure.getByRole("listitem")).toContainText("The analysis of this partition has failed.");
  const asked: string[] = [];
  // The page's icon may be requested late.
  page.on("request", (request) => asked.push(...request.url().split("/Findings").slice(1)));
  await page.getByRole("button", { name: "Retry 1 partition" }).press("Enter");
  await expect.poll(() => asked).toEqual(["/8", "/8/Sentiment/1"]);
  await demo.ended();
  await expect(demo.heading).toHaveText("Incomplete");
  await demo.shows(300);
});

test("Retry can be repeated until all findings are loaded, in order", { tag: "@full" }, async ({ demo, page }) => {
  await page.goto(later("findings=900&partition-size=30&error-rate=50&seed=5"));
  await demo.load.click();
  await demo.ended();
  await expect(demo.heading).toHaveText("Incomplete");
  const { Failed: failed, Received: received } = await legend(page);
  expect(failed).toBeGreaterThan(0);
  expect((failed ?? 0) + (received ?? 0)).toBe(30);
  await demo.shows((received ?? 0) * 30);
  for (let time = 0; time < 8 && (await demo.heading.textContent()) === "Incomplete"; time++) {
    const { Failed: missing } = await legend(page);
    const isUnderWay = seenUnderWay(page);
    await page.getByRole("button", { name: `Retry ${missing} partition` }).click();
    await isUnderWay;
    await demo.ended();
  }
  await expect(demo.heading).toHaveText("Complete");
  await expect(demo.failure).toBeEmpty();
  await demo.shows(900);
  await expect(demo.stat("Findings")).toHaveText("900 of 900");
  await demo.rows.first().click();
  await expect(demo.finding.locator("dl > div", { hasText: "StringKey" }).locator("dd")).toHaveText("9000000");
});

test("a cancelled retry keeps the findings", { tag: "@full" }, async ({ demo, page }) => {
  await page.goto(later("scenario=service-errors&latency=500"));
  await demo.load.click();
  await demo.ended();
  await page.getByRole("button", { name: "Retry 1 partition" }).click();
  await expect(demo.heading).toHaveText("Loading");
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Incomplete");
  await expect(demo.failure).toContainText("The retry was cancelled.");
  await demo.shows(300);
  await expect(page.getByRole("button", { name: "Retry 1 partition" })).toBeVisible();
});
