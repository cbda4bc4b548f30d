/** Progress and Cancel: how much is there is told exactly, and an end is an end. */

import { expect, test } from "./demo-page.js";

test("the progress is exact, in partitions and findings, and only ever grows", async ({ demo, page }) => {
  await page.evaluate(() => {
    const seen: { done: number; total: number; text: string }[] = [];
    const bar = document.querySelector("[role=progressbar]") as HTMLElement;
    new MutationObserver(() => {
      seen.push({
        done: Number(bar.getAttribute("aria-valuenow")),
        total: Number(bar.getAttribute("aria-valuemax")),
        text: ["figure-findings", "figure-partitions", "share"]
          .map((id) => document.getElementById(id)?.textContent)
          .join("; "),
      });
    }).observe(bar, { attributes: true, attributeFilter: ["aria-valuetext"] });
    Object.assign(globalThis, { seen });
  });
  await demo.choose("Slow");
  await demo.load.click();
  await expect(demo.heading).toHaveText("Loading");
  await expect(demo.load).toHaveAttribute("aria-disabled", "true");
  await demo.ended();
  const seen: { done: number; total: number; text: string }[] = await page.evaluate(() =>
    Reflect.get(globalThis, "seen"),
  );
  const steps = seen.filter(({ total }) => total === 24);
  expect(steps.map(({ done }) => done)).toEqual(steps.map(({ done }) => done).toSorted((one, other) => one - other));
  expect(steps[0]).toMatchObject({ done: 0, text: "0 of 2,400; 0 of 24; 0 %" });
  expect(steps.at(-1)).toMatchObject({ done: 24, text: "2,400 of 2,400; 24 of 24; 100 %" });
  for (const { done, text } of steps) {
    expect(text).toBe(
      `${(done * 100).toLocaleString("en")} of 2,400; ${done} of 24; ${Math.floor((100 * done) / 24)} %`,
    );
  }
});

test("Cancel ends the retrieval: nothing is shown, and nothing more is asked for", async ({ demo, page }) => {
  const asked: string[] = [];
  page.on("request", (request) => asked.push(request.url()));
  await demo.choose("Slow");
  await demo.load.click();
  await expect(demo.figure("Partitions")).toHaveText("6 of 24");
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  // The counts, six partitions that came, and those that were on their way.
  expect(asked.length).toBeGreaterThan(7);
  asked.length = 0;
  await expect(demo.result).toContainText(/Cancelled\d+ of 24 partitions had come\./);
  await expect(demo.grid).toBeHidden();
  await expect(demo.load).toHaveAttribute("aria-disabled", "false");
  await page.waitForTimeout(1_500);
  expect(asked).toEqual([]);
});

test("after Cancel everything can be loaded", async ({ demo }) => {
  await demo.choose("Slow");
  await demo.load.click();
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  await demo.run("Small");
  await expect(demo.figure("Findings")).toHaveText("250 of 250");
});

test("a screen reader is told the beginning, the quarters and the end", async ({ demo, page }) => {
  await page.evaluate(() => {
    const said: (string | null)[] = [];
    const region = document.querySelector("[role=status]") as HTMLElement;
    new MutationObserver(() => said.push(region.textContent)).observe(region, { childList: true });
    Object.assign(globalThis, { said });
  });
  await demo.run("Slow");
  expect(await page.evaluate(() => Reflect.get(globalThis, "said"))).toEqual([
    "Loading",
    "25 % loaded",
    "50 % loaded",
    "75 % loaded",
    "Complete: 2,400 findings",
  ]);
});

// It measures time.
test("findings per second and the time that is left are told while it loads", { tag: "@full" }, async ({
  demo,
  page,
}) => {
  await demo.choose("Slow");
  await demo.load.click();
  // Looked for in every frame: it is there for 700 ms, and Playwright looks once a second.
  await page.waitForFunction(() => document.getElementById("figure-partitions")?.textContent === "12 of 24");
  await expect(demo.figure("Findings/s")).toHaveText(/^\d+$/);
  const perSecond = Number(await demo.figure("Findings/s").textContent());
  // Six partitions of a hundred findings every 700 ms, at the very most.
  expect(perSecond).toBeGreaterThan(0);
  expect(perSecond).toBeLessThan(1_200_000 / 700);
  const left = Number.parseFloat((await demo.figure("Time left").textContent()) ?? "");
  expect(left).toBeGreaterThan(0.5);
  expect(left).toBeLessThan(30);
  await demo.ended();
  await expect(demo.figure("Time left")).toHaveText("0.0 s");
});
