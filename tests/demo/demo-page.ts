/** The demo page, and checks of its console, its requests and its policy. */

import { test as base, expect, type Locator, type Page } from "@playwright/test";
import { violations } from "../axe.js";

export { expect };

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
    await use(new DemoPage(page));
    expect(unwanted).toEqual([]);
  },
  shared: [
    async ({ browser }, use, { project }) => {
      const page = await browser.newPage(project.use);
      const unwanted = watch(page, [new URL(String(project.use.baseURL)).host]);
      await page.goto("./");
      const demo = new DemoPage(page);
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

export class DemoPage {
  readonly page: Page;
  readonly load: Locator;
  readonly cancel: Locator;
  readonly state: Locator;
  readonly facts: Locator;
  readonly notice: Locator;
  readonly search: Locator;
  readonly count: Locator;
  readonly filters: Locator;
  readonly rows: Locator;
  readonly finding: Locator;

  constructor(page: Page) {
    this.page = page;
    this.load = page.getByRole("button", { name: "Load", exact: true });
    this.cancel = page.getByRole("button", { name: "Cancel", exact: true });
    this.state = page.locator("#state");
    this.facts = page.locator("#facts");
    this.notice = page.locator("#notice");
    this.search = page.getByRole("searchbox", { name: "Search the comments" });
    this.count = page.locator("#count");
    this.filters = page.getByRole("list", { name: "Filters" }).getByRole("button");
    this.rows = page.getByRole("list", { name: "Findings" }).getByRole("listitem");
    this.finding = page.getByRole("dialog");
  }

  async choose(scenario: string, kind: "Sentiment" | "Topics" = "Sentiment"): Promise<void> {
    await this.page.getByLabel("Inspection", { exact: true }).selectOption({ label: scenario });
    await this.page.getByLabel("Kind of findings").selectOption(kind);
  }

  /** Loads a scenario and waits for any outcome. */
  async run(scenario: string, kind?: "Sentiment" | "Topics"): Promise<void> {
    await this.choose(scenario, kind);
    await this.load.click();
    await this.ended();
  }

  /** Waits for any outcome. */
  async ended(): Promise<void> {
    await expect(this.state).toHaveText(/^(Complete|Incomplete|Failed|Cancelled)$/, { timeout: 45_000 });
  }

  /** Unsets all that is chosen. */
  async selectAll(): Promise<void> {
    await this.page.setViewportSize({ width: 1280, height: 800 });
    await this.page.keyboard.press("Escape");
    await this.search.fill("");
    while ((await this.filters.count()) > 0) await this.filters.first().click();
    await this.page.getByLabel("Order").selectOption("");
    await this.page.getByLabel("Count").selectOption("findings");
    await this.page.locator("#rows").evaluate((rows) => rows.scrollTo(0, 0));
    await expect(this.count).toHaveText("100,000 of 100,000 findings");
  }

  /** A bar of a chart. */
  bar(chart: string, value: string): Locator {
    const options = this.page.getByRole("listbox", { name: chart, exact: true }).getByRole("option");
    return options.filter({ has: this.page.getByText(value, { exact: true }) });
  }

  /** The number of findings at a bar. */
  async number(chart: string, value: string): Promise<number> {
    return Number((await this.bar(chart, value).locator(".total").textContent())?.replaceAll(",", ""));
  }

  /** The number of findings that are selected. */
  async selected(): Promise<number> {
    return Number((await this.count.textContent())?.split(" ")[0]?.replaceAll(",", ""));
  }
}

/** Expects that axe reports nothing, by all rules unless some are given, and that the page is not wider than the window. */
export async function expectAccessible(page: Page, rules?: string[]): Promise<void> {
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
