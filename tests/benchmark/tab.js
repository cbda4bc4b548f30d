/** A tab: a fresh page of the benchmark, in any engine. */

/** @typedef {import("./page/main.js").Benchmark} Benchmark */
/** @typedef {import("../../tools/engine.js").Browser} Browser */
/** @typedef {import("../../tools/engine.js").Page} Page */

export class Tab {
  /** The page, as the engine drives it. */
  page;

  /**
   * Opens the page in a separate process.
   * @param {Browser} browser
   * @param {string} url
   */
  static async open(browser, url) {
    const tab = new Tab(await browser.newPage());
    await tab.visit(url);
    return tab;
  }

  /** @param {Page} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * Opens the page, again if it is open.
   * @param {string} url
   */
  async visit(url) {
    await this.page.goto(url);
    await this.page.waitForFunction(() => "benchmark" in globalThis);
  }

  /**
   * Calls a function of the page.
   * @template {keyof Benchmark} Name
   * @param {Name} name
   * @param {Parameters<Benchmark[Name]>} parameters
   * @returns {Promise<Awaited<ReturnType<Benchmark[Name]>>>}
   */
  call(name, ...parameters) {
    return this.page.evaluate(
      ([name, parameters]) => /** @type {any} */ (globalThis).benchmark[name](...parameters),
      /** @type {const} */ ([name, parameters]),
    );
  }

  close() {
    return this.page.close();
  }
}

/**
 * Opens a tab for some work.
 * @template Result
 * @param {Browser} browser
 * @param {string} url
 * @param {(tab: Tab) => Promise<Result>} work
 */
export async function inTab(browser, url, work) {
  const tab = await Tab.open(browser, url);
  try {
    return await work(tab);
  } finally {
    await tab.close();
  }
}
