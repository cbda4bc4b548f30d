/** Progress and Cancel: Cancel ends everything but keeps what has been received. */

import { expect, test } from "./demo-page.js";

test.use({ failingStatuses: true });

test("Cancel keeps the findings received, marked as partial, and no more requests are sent", async ({ demo, page }) => {
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/service/") && asked.push(request.url()));
  await demo.choose("Slow");
  await demo.load.click();
  await demo.receives("8 of 24");
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  // The counts, eight received partitions, and those in flight.
  expect(asked.length).toBeGreaterThan(9);
  asked.length = 0;
  const partitions = Number.parseInt(String(await demo.stat("Partitions").textContent()), 10);
  expect(partitions).toBeGreaterThanOrEqual(8);
  await expect(demo.completeness).toContainText(`Partial: ${partitions} of 24 partitions`);
  await demo.shows(100 * partitions);
  await demo.value("Sentiment", "Positive").click();
  await expect(demo.filters).toHaveCount(1);
  await demo.shows(Number(await demo.number("Sentiment", "Positive")));
  await expect(demo.completeness).toContainText("Partial");
  const waiting = page.locator("#map .partition[data-state=waiting]");
  await expect(waiting).toHaveCount(24 - partitions);
  await expect(demo.load).toHaveAttribute("aria-disabled", "false");
  await page.waitForTimeout(800);
  expect(asked).toEqual([]);
});

test("Cancel before the first finding says that there are none", async ({ demo }) => {
  await demo.choose("Slow");
  await demo.load.click();
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  await expect(demo.result).toContainText("No findings had arrived yet.");
  await expect(demo.completeness).toBeHidden();
  await expect(demo.grid).toBeHidden();
});

test("retries are counted as they happen, and not only with the next partition", { tag: "@full" }, async ({
  demo,
  page,
}) => {
  await page.evaluate(() => {
    const text = (id: string) => document.getElementById(id)?.textContent;
    const before = { retries: 0 };
    new MutationObserver(() => {
      if (text("stat-partitions") === "0 of 6") {
        before.retries = Math.max(before.retries, Number(text("stat-retries")));
      }
    }).observe(document.querySelector(".stats") as HTMLElement, { childList: true, subtree: true });
    Object.assign(globalThis, { before });
  });
  await demo.run("Flaky");
  // The counts were retried, too.
  expect((await page.evaluate(() => Reflect.get(globalThis, "before"))).retries).toBeGreaterThan(1);
});

test("after Cancel all findings can be loaded", { tag: "@full" }, async ({ demo }) => {
  await demo.choose("Slow");
  await demo.load.click();
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  await demo.run("Small");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
});

test("the beginning, each quarter once and the end are announced to screen readers", { tag: "@full" }, async ({
  demo,
  page,
}) => {
  await page.evaluate(() => {
    const said: (string | null)[] = [];
    const region = document.querySelector("[role=status]") as HTMLElement;
    new MutationObserver(() => said.push(region.textContent)).observe(region, { childList: true });
    Object.assign(globalThis, { said });
  });
  await demo.run("Slow");
  const said: string[] = await page.evaluate(() => Reflect.get(globalThis, "said"));
  expect(said.slice(0, 2)).toEqual(["Loading", "25 % loaded"]);
  expect(said.at(-1)).toBe("Complete: 2,400 findings");
  // A quarter that is over within one frame is not announced.
  const quarters = ["25 % loaded", "50 % loaded", "75 % loaded"];
  expect(said.slice(1, -1)).toEqual(quarters.filter((quarter) => said.includes(quarter)));
});

// It measures time.
test("findings per second and the time left are shown during the load", { tag: "@full" }, async ({ demo }) => {
  await demo.choose("Slow");
  await demo.load.click();
  await demo.receives("8 of 24");
  await expect(demo.stat("Findings/s")).toHaveText(/^\d+$/);
  const perSecond = Number(await demo.stat("Findings/s").textContent());
  // At most eight partitions of a hundred findings every 700 ms.
  expect(perSecond).toBeGreaterThan(0);
  expect(perSecond).toBeLessThan(1_200_000 / 700);
  const left = Number.parseFloat((await demo.stat("Time left").textContent()) ?? "");
  expect(left).toBeGreaterThan(0.5);
  expect(left).toBeLessThan(30);
  await demo.ended();
  await expect(demo.stat("Time left")).toHaveText("0.0 s");
});
