/** The developer tools of Chromium: what no other engine lets a benchmark measure. */

import { readProcessorTime, readTrace, traceCategories } from "./trace.js";

/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").Page} Page */
/** @typedef {import("playwright-core").CDPSession} Session */

export class DevTools {
  #browser;
  #page;
  #session;

  /**
   * @param {import("../../tools/engine.js").Browser} browser which is Chromium
   * @param {import("./tab.js").Tab} tab
   */
  static async of(browser, tab) {
    const page = /** @type {Page} */ (/** @type {unknown} */ (tab.page));
    const session = await page.context().newCDPSession(page);
    return new DevTools(/** @type {Browser} */ (/** @type {unknown} */ (browser)), page, session);
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
   * Runs some work, and measures the main thread between the marks of the page.
   * @template Value
   * @param {() => Promise<Value>} work
   */
  async traced(work) {
    const { value, trace } = await this.#trace(work);
    return { value, mainThread: readTrace(trace) };
  }

  /**
   * Runs some work, and measures the processor time between pairs of marks of the page, by their names.
   * @template Value
   * @template {string} Name
   * @param {() => Promise<Value>} work
   * @param {Name[]} names
   */
  async processorTimes(work, names) {
    const { value, trace } = await this.#trace(work);
    const times = Object.fromEntries(names.map((name) => [name, readProcessorTime(trace, name)]));
    return { value, times: /** @type {Record<Name, number>} */ (times) };
  }

  /**
   * @template Value
   * @param {() => Promise<Value>} work
   */
  async #trace(work) {
    await this.#browser.startTracing(this.#page, { categories: traceCategories });
    let value;
    let trace;
    try {
      value = await work();
    } finally {
      trace = await this.#browser.stopTracing();
    }
    return { value, trace };
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
}
