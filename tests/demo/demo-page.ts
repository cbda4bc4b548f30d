/** The demo page, and checks of its console and its requests. */

import { test as base, expect, type Locator, type Page } from "@playwright/test";

export { expect };

interface Watch {
  /** Whether requests are expected to fail, which a browser writes to its console. */
  failingStatuses: boolean;
  /** Whether the page may send requests to other ports of this machine. */
  otherPorts: boolean;
  demo: DemoPage;
}

export const test = base.extend<Watch>({
  failingStatuses: [false, { option: true }],
  otherPorts: [false, { option: true }],
  demo: async ({ page, baseURL, failingStatuses, otherPorts }, use) => {
    const unwanted = watch(page, new URL(String(baseURL)), otherPorts);
    await page.goto(later());
    await use(new DemoPage(page));
    expect(unwanted.filter((message) => !(failingStatuses && message.startsWith(failedRequest)))).toEqual([]);
  },
});

/** The address of a page that loads nothing by itself, with other parameters. */
export function later(query = ""): string {
  return `./?${[query.replace(/^\?/, ""), "load=later"].filter((part) => part !== "").join("&")}`;
}

const failedRequest = "error: Failed to load resource: ";

/** The messages of the development server. */
const developmentServer = /^\[vite\] connect(ing\.\.\.|ed\.)$/;

export class DemoPage {
  readonly page: Page;
  readonly load: Locator;
  readonly cancel: Locator;
  readonly heading: Locator;
  readonly bar: Locator;
  readonly grid: Locator;
  readonly rows: Locator;
  readonly result: Locator;
  readonly failure: Locator;
  /** The strip that says how many of the partitions are shown. */
  readonly completeness: Locator;
  readonly search: Locator;
  readonly order: Locator;
  readonly count: Locator;
  readonly filters: Locator;
  readonly finding: Locator;

  constructor(page: Page) {
    this.page = page;
    this.load = page.getByRole("button", { name: "Load", exact: true });
    this.cancel = page.getByRole("button", { name: "Cancel", exact: true });
    this.heading = page.locator("#progress-heading");
    this.bar = page.getByRole("progressbar", { name: "Partitions loaded" });
    this.grid = page.getByRole("grid", { name: "Findings" });
    this.rows = this.grid.locator("[data-index]");
    this.result = page.getByRole("region", { name: "Result" });
    this.failure = page.locator("[role=alert]");
    this.completeness = page.locator("#completeness");
    this.search = page.getByRole("searchbox", { name: "Search in comments" });
    this.order = page.getByRole("combobox", { name: "Order" });
    this.count = page.locator("#count");
    this.filters = page.getByRole("list", { name: "Filters" }).getByRole("button", { name: /^Remove/ });
    this.finding = page.getByRole("dialog");
  }

  async choose(scenario: string, kind: "Sentiment" | "Topics" = "Sentiment"): Promise<void> {
    await this.page.getByLabel("Scenario").selectOption({ label: scenario });
    await this.page.getByRole("radio", { name: kind }).check();
  }

  /** Loads a scenario and waits for any outcome. */
  async run(scenario: string, kind?: "Sentiment" | "Topics"): Promise<void> {
    await this.choose(scenario, kind);
    await this.load.click();
    await this.ended();
  }

  /** Waits for any outcome. Looks in every frame: Playwright alone would look twice a second. */
  async ended(): Promise<void> {
    await this.page.waitForFunction(
      () =>
        /^(Complete|Incomplete|Failed|Cancelled)$/.test(document.getElementById("progress-heading")?.textContent ?? ""),
      undefined,
      { timeout: 45_000 },
    );
    await this.settled();
  }

  stat(name: string): Locator {
    return this.page.locator(".stats > div", { has: this.page.getByText(name, { exact: true }) }).locator("dd");
  }

  /** Waits until the page shows this number of partitions. Looks in every frame: Playwright alone would look once a second. */
  async receives(partitions: string): Promise<void> {
    await this.page.waitForFunction(
      (expected) => document.getElementById("stat-partitions")?.textContent === expected,
      partitions,
    );
  }

  chart(title: string): Locator {
    return this.page.getByRole("region", { name: title, exact: true });
  }

  /** The bar of a value, which is a button over its whole row. */
  value(title: string, value: string): Locator {
    return this.chart(title).getByRole("button", { name: value, exact: true });
  }

  /** The number of a value in a chart; undefined if there is none. */
  async number(title: string, value: string): Promise<number | undefined> {
    const row = this.chart(title).getByRole("row", { name: value });
    const exact = row.filter({ has: this.page.getByRole("button", { name: value, exact: true }) });
    const text = (await exact.count()) === 0 ? undefined : await exact.locator(".total").textContent();
    return text === undefined || text === null ? undefined : Number(text.replaceAll(",", ""));
  }

  /** The index of the finding whose row has the keyboard’s focus. */
  focusedIndex(): Promise<number> {
    return this.page.evaluate(() => Number((document.activeElement as HTMLElement).dataset.index));
  }

  /** Waits until all charts are drawn, and nothing moves. */
  async settled(): Promise<void> {
    await this.page.evaluate(async () => {
      for (let frame = 0; frame < 8; frame++) {
        await new Promise(requestAnimationFrame);
      }
      await Promise.allSettled(document.getAnimations().map(({ finished }) => finished));
    });
  }

  /** Waits until this number of findings is shown. */
  async shows(findings: number): Promise<void> {
    await expect(this.count.locator("strong")).toHaveText(findings.toLocaleString("en"));
  }
}

/** Collects console messages, uncaught errors, failed requests and requests to other hosts. */
function watch(page: Page, own: URL, otherPorts: boolean): string[] {
  const unwanted: string[] = [];
  page.on("console", (message) => {
    if (!developmentServer.test(message.text())) {
      unwanted.push(`${message.type()}: ${message.text()}`);
    }
  });
  page.on("pageerror", (error) => unwanted.push(`uncaught: ${error.message}`));
  page.on("request", (request) => {
    const { protocol, host, hostname } = new URL(request.url());
    if (protocol.startsWith("http") && host !== own.host && !(otherPorts && hostname === own.hostname)) {
      unwanted.push(`other host: ${request.url()}`);
    }
  });
  return unwanted;
}
