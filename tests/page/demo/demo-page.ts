/** The demo page, and checks of its console, its requests and its policy. */

import { readFileSync } from "node:fs";
import { test as base, expect, type Page } from "@playwright/test";
import { parse } from "csv-parse/sync";
import readWorkbook from "read-excel-file/node";
import { violations } from "../../axe.js";

export { expect };

export type DemoPage = ReturnType<typeof demoOf>;

interface Fixtures {
  /** Another host to which the page may send requests. */
  service: string;
  /** A page that has loaded nothing. */
  demo: DemoPage;
  /** The page that has loaded the 100,000 findings of the first scenario, with nothing selected. All tests of a file share it. */
  story: DemoPage;
}

/** No test may leave an error in the console, violate the policy, or send a request to another host. */
export const test = base.extend<Fixtures, { shared: { demo: DemoPage; unwanted: string[] } }>({
  service: ["", { option: true }],
  demo: async ({ page, baseURL, service }, use) => {
    const unwanted = watch(page, [new URL(String(baseURL)).host, service]);
    await page.goto("./?load=later");
    await use(demoOf(page));
    expect(unwanted).toEqual([]);
  },
  shared: [
    async ({ browser }, use, { project }) => {
      const page = await browser.newPage(project.use);
      const unwanted = watch(page, [new URL(String(project.use.baseURL)).host]);
      await page.goto("./");
      const demo = demoOf(page);
      await demo.ended();
      await use({ demo, unwanted });
      await page.close();
    },
    { scope: "worker" },
  ],
  story: async ({ shared: { demo, unwanted } }, use) => {
    await demo.selectAll();
    await use(demo);
    expect(unwanted.splice(0)).toEqual([]);
  },
});

/** The rows that a saved file has, by its format. */
export const rowsOf: Record<string, (bytes: Buffer) => unknown> = {
  Excel: async (bytes) => (await readWorkbook(bytes))[0]?.data.slice(1),
  CSV: (bytes) => parse(bytes, { columns: true, bom: true }),
  "CSV with semicolons": (bytes) => parse(bytes, { columns: true, bom: true, delimiter: ";" }),
};

export function demoOf(page: Page) {
  const state = page.locator("#state");
  const count = page.locator("#count");
  const search = page.getByRole("searchbox", { name: "Search the comments" });
  const filters = page.getByRole("list", { name: "Filters" }).getByRole("button");
  const load = page.getByRole("button", { name: "Load", exact: true });
  const integer = (text: string | null) => Number(text?.replaceAll(",", ""));

  /** A bar of a chart. */
  function bar(chart: string, value: string) {
    const options = page.getByRole("listbox", { name: chart, exact: true }).getByRole("option");
    return options.filter({ has: page.getByText(value, { exact: true }) });
  }

  /** Begins to load a scenario. */
  async function begin(scenario: string): Promise<void> {
    await page.getByLabel("Inspection", { exact: true }).selectOption({ label: scenario });
    await load.click();
  }

  /** Waits for any outcome. */
  async function ended(): Promise<void> {
    await expect(state).toHaveText(/^(Complete|Incomplete|Failed|Cancelled)$/, { timeout: 45_000 });
  }

  return {
    page,
    load,
    state,
    count,
    search,
    filters,
    bar,
    begin,
    ended,
    cancel: page.getByRole("button", { name: "Cancel", exact: true }),
    facts: page.locator("#facts"),
    notice: page.locator("#notice"),
    rows: page.getByRole("list", { name: "Findings" }).getByRole("listitem"),
    finding: page.getByRole("dialog"),
    /** Loads a scenario and waits for any outcome. */
    async run(scenario: string): Promise<void> {
      await begin(scenario);
      await ended();
    },
    /** Unsets all that is chosen. */
    async selectAll(): Promise<void> {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.keyboard.press("Escape");
      await search.fill("");
      while ((await filters.count()) > 0) await filters.first().click();
      await page.getByLabel("Order").selectOption("");
      await page.getByLabel("Count").selectOption("findings");
      await page.locator("#rows").evaluate((rows) => rows.scrollTo(0, 0));
      await expect(count).toHaveText("100,000 of 100,000 findings");
    },
    /** The number of findings at a bar. */
    number: async (chart: string, value: string) => integer(await bar(chart, value).locator(".total").textContent()),
    /** The number of findings that are selected. */
    selected: async () => integer((await count.textContent())?.split(" ")[0] ?? null),
  };
}

/** The bytes of the file that a button saves. */
export async function savedBy(page: Page, button: string): Promise<{ name: string; bytes: Buffer }> {
  const downloading = page.waitForEvent("download");
  await page.getByRole("button", { name: button }).click();
  const download = await downloading;
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) };
}

/** Expects that axe reports nothing, by all rules unless some are given, and that the page is not wider than the window. */
export async function expectAccessible(page: Page, rules?: readonly string[]): Promise<void> {
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(page.viewportSize()?.width);
  expect(await violations(page, rules)).toEqual([]);
}

/** Texts that a page must not write to its console, and URLs of other hosts. */
function watch(page: Page, hosts: string[]): string[] {
  const unwanted: string[] = [];
  page.on("console", (message) => {
    // DuckDB's worker logs the errors of queries.
    if (message.type() === "log" && message.text().startsWith("Error: ")) return;
    unwanted.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => unwanted.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, host } = new URL(request.url());
    if (protocol.startsWith("http") && !hosts.includes(host)) unwanted.push(`other host: ${request.url()}`);
  });
  return unwanted;
}
