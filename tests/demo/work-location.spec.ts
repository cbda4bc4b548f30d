/** The work location: in a worker or in the page, and how smoothly the page moves meanwhile. */

import type { Page } from "@playwright/test";
import { DemoPage, expect, later, test } from "./demo-page.js";
import { serve } from "./second-origin.js";

/** What the page says where a worker was chosen and has not decoded. */
const afterAll = "in the page: too few findings for a worker, or none could be started";

/** An inspection with enough findings for a worker, and a slow one. */
const large = "findings=6000&partition-size=1500";
const slowAndLarge = "scenario=slow&findings=6000&partition-size=250";

const measured = /^[\d,]+ of [\d,]+, longest gap [\d,]+ ms$/;

test("a large inspection is decoded by a worker unless the reader chooses the page, and the page says which", async ({
  demo,
  page,
}) => {
  await expect(workLocation(page)).toHaveText("–");
  await demo.run("Small");
  await expect(workLocation(page)).toHaveText(afterAll);
  expect(packageWorkers(page)).toBe(0);
  await page.goto(later(large));
  await load(demo);
  await expect(workLocation(page)).toHaveText("in a worker");
  expect(packageWorkers(page)).toBe(1);
  await expect(page.locator(".code-lines")).toContainText('failurePolicy: "collect"');
  await expect(page.locator(".code-lines")).not.toContainText("worker");

  await choose(page, "Page");
  expect(new URL(page.url()).searchParams.get("place")).toBe("page");
  await page.reload();
  await expect(page.getByRole("radio", { name: "Page", exact: true })).toBeChecked();
  await load(demo);
  await expect(demo.stat("Findings")).toHaveText("6,000 of 6,000");
  await expect(workLocation(page)).toHaveText("in the page");
  expect(packageWorkers(page)).toBe(0);
  await expect(page.locator(".code-lines")).toContainText("worker: false");

  await choose(page, "Worker");
  expect(new URL(page.url()).searchParams.has("place")).toBe(false);
  await load(demo);
  await expect(workLocation(page)).toHaveText("in a worker");
});

test("another work location in the URL is ignored and removed", { tag: "@full" }, async ({ demo, page }) => {
  await page.goto(later(`place=moon&${large}`));
  await expect(page.getByRole("radio", { name: "Worker" })).toBeChecked();
  await load(demo);
  await expect(workLocation(page)).toHaveText("in a worker");
  expect(new URL(page.url()).searchParams.has("place")).toBe(false);
});

test("one worker serves one load after the other", { tag: "@full" }, async ({ demo, page }) => {
  const started: string[] = [];
  page.on("worker", (worker) => isOfPackage(worker.url()) && started.push(worker.url()));
  await page.goto(later(large));
  for (let time = 0; time < 3; time++) {
    await load(demo);
    await expect(demo.heading).toHaveText("Complete");
    await expect(workLocation(page)).toHaveText("in a worker");
  }
  expect(started).toHaveLength(1);
});

test.describe("the page says why it does the work itself", () => {
  test("where no worker can be started", { tag: "@full" }, async ({ page }) => {
    const warnings: string[] = [];
    page.on("console", (message) => warnings.push(message.text()));
    await page.addInitScript(() => {
      const Original = Worker;
      // The built-in service has a worker, too.
      globalThis.Worker = class extends Original {
        constructor(url: string | URL, options?: WorkerOptions) {
          if (!String(url).includes("body-workshop")) {
            throw new Error("No workers here.");
          }
          super(url, options);
        }
      };
    });
    await page.goto(later(large));
    const demo = new DemoPage(page);
    await load(demo);
    await expect(demo.stat("Findings")).toHaveText("6,000 of 6,000");
    await expect(workLocation(page)).toHaveText(afterAll);
    expect(warnings).toEqual([]);
  });
});

test.describe("a service of another origin", () => {
  test.use({ otherPorts: true });

  test("is decoded by a worker, too", { tag: "@full" }, async ({ demo, page }) => {
    // It announces no total, so the number of partitions decides.
    const partitions = ["One", "Two", "Three", "Four"].map((word) => `[{"Comment":"${word}"}]`);
    await using service = await serve({ partitions });
    await page.getByRole("radio", { name: "Your own" }).check();
    await page.getByLabel("Base URL").fill(service.baseUrl);
    for (const [name, words] of [
      ["Worker", "in a worker"],
      ["Page", "in the page"],
    ] as const) {
      await choose(page, name);
      await demo.load.click();
      await demo.ended();
      await expect(demo.stat("Findings")).toHaveText("4");
      await expect(workLocation(page)).toHaveText(words);
    }
  });
});

test.describe("the dropped frames", () => {
  test("are shown during and after a load, and kept for the other work location", { tag: "@full" }, async ({
    demo,
    page,
  }) => {
    await page.goto(later(slowAndLarge));
    await demo.load.click();
    await demo.receives("8 of 24");
    await expect(late(page, "worker")).toHaveText(measured);
    const meanwhile = await framesOf(page);
    await demo.ended();
    await expect(late(page, "worker")).toHaveText(measured);
    expect(await framesOf(page)).toBeGreaterThan(meanwhile);
    await expect(late(page, "page")).toHaveText("–");

    const kept = String(await late(page, "worker").textContent());
    await choose(page, "Page");
    await demo.load.click();
    await demo.ended();
    await expect(late(page, "page")).toHaveText(measured);
    await expect(late(page, "worker")).toHaveText(kept);

    await demo.run("Small");
    await expect(late(page, "worker")).toHaveText("–");
  });

  test("include one for which the page was blocked", { tag: "@full" }, async ({ demo, page }) => {
    await page.goto(later(slowAndLarge));
    await demo.load.click();
    await demo.receives("8 of 24");
    await page.evaluate(() => {
      const end = performance.now() + 700;
      while (performance.now() < end);
    });
    await demo.ended();
    const [lateFrames, , longest] = numbersOf(await late(page, "worker").textContent());
    expect(lateFrames).toBeGreaterThan(0);
    // The time of a frame is when it was due, which may be during the block.
    expect(longest).toBeGreaterThan(350);
  });
});

function workLocation(page: Page) {
  return page.locator("#work-location");
}

function late(page: Page, where: "worker" | "page") {
  return page
    .locator(".smoothness > div", { has: page.getByText(`Dropped frames, ${where}`, { exact: true }) })
    .locator("dd");
}

async function load(demo: DemoPage): Promise<void> {
  await demo.load.click();
  await demo.ended();
}

async function choose(page: Page, name: "Worker" | "Page"): Promise<void> {
  await page.getByRole("radio", { name, exact: true }).check();
}

async function framesOf(page: Page): Promise<number> {
  return numbersOf(await late(page, "worker").textContent())[1] ?? 0;
}

function numbersOf(text: string | null): number[] {
  return (text ?? "").replaceAll(",", "").match(/\d+/g)?.map(Number) ?? [];
}

function packageWorkers(page: Page): number {
  return page.workers().filter((worker) => isOfPackage(worker.url())).length;
}

function isOfPackage(worker: string): boolean {
  return /\/worker-[^/]*\.js$/.test(worker);
}
