/** The demo as a reader uses it, and the watch over what it must never do. */

import { test as base, expect, type Locator, type Page } from "@playwright/test";

export { expect };

interface Watch {
  /** Whether the service is expected to answer with statuses of failure, which a browser writes to its console. */
  failingStatuses: boolean;
  /** Whether the page may ask other ports of this machine. */
  otherPorts: boolean;
  demo: DemoPage;
}

export const test = base.extend<Watch>({
  failingStatuses: [false, { option: true }],
  otherPorts: [false, { option: true }],
  demo: async ({ page, baseURL, failingStatuses, otherPorts }, use) => {
    const unwanted = watch(page, new URL(String(baseURL)), otherPorts);
    await page.goto("./");
    await use(new DemoPage(page));
    expect(unwanted.filter((message) => !(failingStatuses && message.startsWith(failedStatus)))).toEqual([]);
  },
});

const failedStatus = "error: Failed to load resource: the server responded with a status of";

/** What the development server itself says in every page that it serves. */
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

  constructor(page: Page) {
    this.page = page;
    this.load = page.getByRole("button", { name: "Load" });
    this.cancel = page.getByRole("button", { name: "Cancel" });
    this.heading = page.locator("#progress-heading");
    this.bar = page.getByRole("progressbar");
    this.grid = page.getByRole("grid", { name: "Findings" });
    this.rows = this.grid.locator("[data-index]");
    this.result = page.getByRole("region", { name: "Result" });
    this.failure = page.locator("[role=alert]");
  }

  async choose(scenario: string, kind: "Sentiment" | "Topics" = "Sentiment"): Promise<void> {
    await this.page.getByLabel("Scenario").selectOption({ label: scenario });
    await this.page.getByRole("radio", { name: kind }).check();
  }

  /** Loads a scenario and waits for its end, whatever that is. */
  async run(scenario: string, kind?: "Sentiment" | "Topics"): Promise<void> {
    await this.choose(scenario, kind);
    await this.load.click();
    await this.ended();
  }

  async ended(): Promise<void> {
    await expect(this.heading).toHaveText(/Complete|Failed|Cancelled/, { timeout: 45_000 });
  }

  figure(name: string): Locator {
    return this.page.locator(".figures > div", { has: this.page.locator("dt", { hasText: name }) }).locator("dd");
  }
}

/** Collects console messages, uncaught errors, answers that are missing and requests to other hosts. */
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
