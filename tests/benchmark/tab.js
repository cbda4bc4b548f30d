/** A tab: a fresh page of the benchmark, and its measurements. */

import { readTrace, traceCategories } from "./trace.js";

/** @typedef {import("./page/main.js").Benchmark} Benchmark */
/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").CDPSession} Session */

export class Tab {
  #browser;
  #page;
  #session;

  /**
   * Opens the page in a separate renderer process.
   * @param {Browser} browser
   * @param {string} url
   */
  static async open(browser, url) {
    const page = await (await browser.newContext()).newPage();
    await page.goto(url);
    await page.waitForFunction(() => "benchmark" in globalThis);
    return new Tab(browser, page, await page.context().newCDPSession(page));
  }

  /**
   * @param {Browser} browser
   * @param {Page} page
   * @param {Session} session
   */
  constructor(browser, page, session) {
    this.#browser = browser;
    this.#page = page;
    this.#session = session;
  }

  /**
   * Calls a function of the page.
   * @template {keyof Benchmark} Name
   * @param {Name} name
   * @param {Parameters<Benchmark[Name]>} parameters
   * @returns {Promise<Awaited<ReturnType<Benchmark[Name]>>>}
   */
  call(name, ...parameters) {
    return this.#page.evaluate(
      ([name, parameters]) => /** @type {any} */ (globalThis).benchmark[name](...parameters),
      /** @type {const} */ ([name, parameters]),
    );
  }

  /**
   * Runs some work, and measures the main thread between the marks of the page.
   * @template Value
   * @param {() => Promise<Value>} work
   */
  async traced(work) {
    await this.#browser.startTracing(this.#page, { categories: traceCategories });
    let value;
    let trace;
    try {
      value = await work();
    } finally {
      trace = await this.#browser.stopTracing();
    }
    return { value, mainThread: readTrace(trace) };
  }

  /** The live bytes of the JavaScript heap. */
  async heapUsed() {
    // The first collection runs finalisers, which release more objects.
    await this.#session.send("HeapProfiler.collectGarbage");
    await this.#session.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.#session.send("Runtime.getHeapUsage");
    return usedSize;
  }

  /** Resolves when the tab has crashed. */
  crashed() {
    return new Promise((resolve) => this.#page.once("crash", () => resolve(undefined)));
  }

  close() {
    return this.#page.context().close();
  }
}
