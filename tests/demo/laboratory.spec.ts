/** The fault laboratory: its dials, its settings in the address, and a service off the main thread. */

import type { Page } from "@playwright/test";
import { readSettings } from "../fake-backend/settings.js";
import { DemoPage, expect, later, test } from "./demo-page.js";

const faults = "?scenario=jittered&jitter=40&error-rate=25&seed=11";
const faulty = `${faults}&findings=1200&partition-size=30`;
/** Enough findings for a worker. */
const faultyAndLarge = `${faults}&findings=6000&partition-size=500`;

test("a dial changes its text, the URL and the service", async ({ demo, page }) => {
  const laboratory = await open(page);
  await set(page, "Findings", "300");
  await set(page, "Partition size", "100");
  await set(page, "Latency", "30");
  await expect(laboratory).toContainText("300 sentiment findings in 3 partitions");
  await expect(laboratory.getByLabel("Latency")).toHaveAttribute("aria-valuetext", "30 ms");
  await expect.poll(() => parametersOf(page)).toEqual({ latency: "30", findings: "300", "partition-size": "100" });
  await demo.load.click();
  await demo.ended();
  await expect(demo.stat("Findings")).toHaveText("300 of 300");
  await expect(demo.stat("Partitions")).toHaveText("3 of 3");
});

test("another scenario changes the URL, changed dials stay, and Reset restores them", async ({ demo, page }) => {
  const laboratory = await open(page);
  await set(page, "Rate limit", "20");
  await demo.choose("Slow");
  await expect.poll(() => parametersOf(page)).toEqual({ scenario: "slow", "rate-limit": "20" });
  await expect(laboratory.getByLabel("Latency")).toHaveAttribute("aria-valuetext", "700 ms");
  await laboratory.getByRole("button", { name: "Reset" }).click();
  await expect.poll(() => parametersOf(page)).toEqual({ scenario: "slow" });
});

test("a slider that is dragged over all its values leaves the last in the URL", { tag: "@full" }, async ({
  demo: { page },
}) => {
  await open(page);
  await page.getByRole("slider", { name: "Error rate" }).focus();
  for (let step = 0; step < 40; step++) {
    await page.keyboard.press("ArrowRight");
  }
  await expect.poll(() => parametersOf(page)).toEqual({ "error-rate": "100" });
  await page.keyboard.press("Home");
  await expect.poll(() => parametersOf(page)).toEqual({});
});

test("the copied link is the URL, and opens a page with its settings", async ({ page, context }) => {
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(later(faulty));
  const laboratory = await open(page);
  await laboratory.getByLabel("Seed").fill("12");
  await laboratory.getByRole("button", { name: "Copy link" }).click();
  await expect(laboratory).toContainText("Copied.");
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(readSettings(new URL(link).searchParams)).toEqual({
    ...readSettings(new URLSearchParams(faulty)),
    seed: 12,
  });
  await page.goto(link);
  await open(page);
  await expect(page.getByLabel("Scenario").locator("option:checked")).toHaveText("Jittered order");
  await expect(laboratory.getByLabel("Jitter")).toHaveAttribute("aria-valuetext", "up to 40 ms");
  await expect(laboratory.getByLabel("Error rate")).toHaveAttribute("aria-valuetext", "25 %");
  await expect(laboratory.getByLabel("Seed")).toHaveValue("12");
  await expect(laboratory.locator("summary")).toContainText(
    "Jitter up to 40 ms · Error rate 25 % · Findings 1,200 · Partition size 30 · Seed 12",
  );
  await expect(laboratory).toContainText("1,200 sentiment findings in 40 partitions");
  expect(page.url()).toBe(link);
});

test("invalid settings in the URL are ignored and removed", { tag: "@full" }, async ({ demo, page }) => {
  const nonsense = [
    "?scenario=__proto__&latency=-1&jitter=9e9&error-rate=101&rate-limit=NaN&partition-size=0&findings=1e9&seed=x",
    "?scenario=%00&latency=&seed=99999999999999999999&findings=<img src=x onerror=alert(1)>",
    "?%E0%A4%A&latency=%E0%A4%A&===&&&",
  ];
  for (const query of nonsense) {
    await page.goto(later(query));
    await open(page);
    await expect(page.locator(".laboratory")).toContainText("100,000 sentiment findings in 50 partitions");
    for (const name of ["scenario", "latency", "findings", "seed"]) {
      expect(new URL(page.url()).searchParams.has(name)).toBe(false);
    }
  }
  await demo.run("Small");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
});

test("unknown parameters stay in the URL, which never contains the reader's own service", async ({ page }) => {
  await page.goto(`${later("other=1&seed=3")}#here`);
  await page.getByRole("radio", { name: "Your own" }).check();
  await page.getByLabel("Base URL").fill("https://service.test/cxi/");
  await page.getByRole("radio", { name: "Built in" }).check();
  await open(page);
  await set(page, "Latency", "10");
  await expect.poll(() => parametersOf(page)).toEqual({ other: "1", seed: "3", latency: "10" });
  expect(page.url()).toMatch(/#here$/);
  expect(page.url()).not.toContain("service.test");
});

test.describe("with failures", () => {
  test.use({ failingStatuses: true });

  for (const place of ["worker", "page"]) {
    const tag = place === "page" ? "@full" : [];
    test(`a link reproduces the same requests with the same outcomes in the ${place}`, { tag }, async ({
      context,
      baseURL,
    }) => {
      // While a tab is open, the service worker stays active and intercepts the requests of every new tab at once.
      const first = await context.newPage();
      await first.goto(new URL(later(), baseURL).href);
      await expect.poll(() => first.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");
      const runs = [];
      for (let time = 0; time < 2; time++) {
        const page = await context.newPage();
        const outcomes = outcomesOf(page);
        await page.goto(new URL(later(`${faultyAndLarge}&place=${place}`), baseURL).href);
        await page.getByRole("button", { name: "Load" }).click();
        await new DemoPage(page).ended();
        await expect(page.locator("#work-location")).toContainText(`in ${place === "worker" ? "a" : "the"} ${place}`);
        runs.push(outcomes());
        await page.close();
      }
      expect(runs[0]).toEqual(runs[1]);
      const all = Object.values(runs[0] ?? {});
      expect(all.length).toBe(13);
      expect(all.some((outcomes) => outcomes.length > 1)).toBe(true);
      expect(all.flat().some((outcome) => outcome !== "200")).toBe(true);
    });
  }

  test("the rate limit applies", { tag: "@full" }, async ({ demo, page }) => {
    await page.goto(later("rate-limit=3&findings=120&partition-size=10"));
    const start = Date.now();
    await demo.load.click();
    await demo.ended();
    const seconds = (Date.now() - start) / 1000;
    const [done] = String(await demo.stat("Partitions").textContent()).split(" ");
    expect(Number(done)).toBeLessThanOrEqual(3 + 3 * seconds);
    await expect(demo.stat("Retries")).not.toHaveText("0");
  });
});

test("the first paint does not wait for the built-in service", { tag: "@full" }, async ({ demo, page }) => {
  const gate = Promise.withResolvers<void>();
  let held = 0;
  await page.route(/\/(fake-service|interception|service-worker|mockServiceWorker)\b[^/]*\.js$/, async (route) => {
    held += 1;
    await gate.promise;
    await route.continue();
  });
  await page.goto(later());
  await expect.poll(() => page.evaluate(() => performance.getEntriesByName("first-contentful-paint").length)).toBe(1);
  await expect.poll(() => held).toBeGreaterThan(0);
  gate.resolve();
  await demo.run("Small");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
});

test("after a forced reload beside another tab, it takes control again", { tag: "@full" }, async ({
  demo,
  page,
  context,
  baseURL,
}) => {
  await demo.run("Small");
  const other = await context.newPage();
  await other.goto(new URL(later(), baseURL).href);
  await expect.poll(() => other.evaluate(() => navigator.serviceWorker.controller?.state)).toBe("activated");
  await page.addInitScript(() => Object.assign(globalThis, { firstController: navigator.serviceWorker.controller }));
  const loads: string[] = [];
  page.on("load", () => loads.push(page.url()));
  await reloadByForce(page);
  expect(await page.evaluate(() => Reflect.get(globalThis, "firstController"))).toBeNull();
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/service/") && asked.push(request.url()));
  await demo.run("Slow");
  await expect(demo.stat("Findings")).toHaveText("2,400 of 2,400");
  await demo.load.click();
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  await demo.run("Large");
  await expect(demo.stat("Findings")).toHaveText("100,000 of 100,000");
  await expect(page.locator("#work-location")).toHaveText("in a worker");
  expect(asked.length).toBeGreaterThan(50);
  expect(loads).toHaveLength(1);
  await page.reload();
  asked.length = 0;
  await demo.run("Small");
  expect(asked).toHaveLength(4);
  await other.close();
});

test("after a forced reload of the only tab the service worker is registered again", async ({ demo, page }) => {
  await demo.run("Small");
  await reloadByForce(page);
  await demo.run("Small");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
});

test("in a browser without service workers the built-in service is called directly", async ({ demo, page }) => {
  await page.addInitScript(() => Reflect.deleteProperty(Navigator.prototype, "serviceWorker"));
  await page.goto(later());
  expect(await page.evaluate(() => "serviceWorker" in navigator)).toBe(false);
  const asked: string[] = [];
  page.on("request", (request) => request.url().includes("/service/") && asked.push(request.url()));
  await demo.run("Small");
  await expect(demo.stat("Findings")).toHaveText("250 of 250");
  await demo.run("Slow");
  await expect(demo.stat("Findings")).toHaveText("2,400 of 2,400");
  await demo.load.click();
  await demo.cancel.click();
  await expect(demo.heading).toHaveText("Cancelled");
  expect(asked).toEqual([]);
});

/** Opens the laboratory if it is closed. */
async function open(page: Page) {
  const laboratory = page.locator(".laboratory");
  await expect(laboratory).toBeVisible();
  if ((await laboratory.getAttribute("open")) === null) {
    await laboratory.getByText("Fault laboratory").click();
  }
  return laboratory;
}

/** Moves a slider by the keyboard, from its beginning until the address has the value. */
async function set(page: Page, label: string, value: string): Promise<void> {
  const slider = page.getByRole("slider", { name: label, exact: true });
  await slider.focus();
  await page.keyboard.press("Home");
  for (let step = 0; step < 40; step++) {
    const words = (await slider.getAttribute("aria-valuetext")) ?? "";
    if (words.replaceAll(",", "").match(/[0-9]+/)?.[0] === value) {
      return;
    }
    await page.keyboard.press("ArrowRight");
  }
  throw new Error(`${label} has no stop ${value}.`);
}

function parametersOf(page: Page): Record<string, string> {
  const { load, ...parameters } = Object.fromEntries(new URL(page.url()).searchParams);
  expect(load).toBe("later");
  return parameters;
}

async function reloadByForce(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page);
  const loaded = page.waitForEvent("load");
  await session.send("Page.reload", { ignoreCache: true });
  await loaded;
  await session.detach();
}

/** The outcomes of the requests for each path, in their order. */
function outcomesOf(page: Page): () => Record<string, string[]> {
  const outcomes: Record<string, string[]> = {};
  const note = (url: string, outcome: string) => {
    const path = url.match(/Findings\/.*$/)?.[0];
    if (path !== undefined) {
      outcomes[path] = [...(outcomes[path] ?? []), outcome];
    }
  };
  page.on("response", (response) => note(response.url(), String(response.status())));
  page.on("requestfailed", (request) => note(request.url(), "failed"));
  return () => outcomes;
}
