/** A tab: a fresh page of the benchmark, in any engine. Other engines than Chromium show neither the main thread nor the heap. */

import { ChromiumPage } from "./chromium.js";
import { processorTime } from "./processes.js";

/** @typedef {import("./page/main.js").Benchmark} Benchmark */
/** @typedef {import("../../tools/engine.js").Browser} Browser */
/** @typedef {{ "main ms"?: number, "cpu ms"?: number, "all cpu ms": number }} Work */

export class Tab {
  #page;
  #chromium;

  /** @param {import("../../tools/engine.js").Page} page */
  constructor(page) {
    this.#page = page;
    this.#chromium = page instanceof ChromiumPage ? page : undefined;
  }

  /**
   * Opens the page, again if it is open.
   * @param {string} url
   */
  async visit(url) {
    await this.#page.goto(url);
    await this.#page.waitForFunction(() => "benchmark" in globalThis);
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
   * Calls a function of the page, and measures the main thread between its marks, and the processor time of the whole browser.
   * @template {keyof Benchmark} Name
   * @param {Name} name
   * @param {Parameters<Benchmark[Name]>} parameters
   */
  async traced(name, ...parameters) {
    let all = 0;
    const work = async () => {
      const before = processorTime();
      const value = await this.call(name, ...parameters);
      all = processorTime() - before;
      return value;
    };
    const { value, mainThread } = (await this.#chromium?.traced(work)) ?? { value: await work(), mainThread: {} };
    return { value, work: /** @type {Work} */ ({ ...mainThread, "all cpu ms": all }) };
  }

  async heapUsed() {
    return (await this.#chromium?.heapUsed()) ?? Number.NaN;
  }

  close() {
    return this.#page.close();
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
  const tab = new Tab(await browser.newPage());
  try {
    await tab.visit(url);
    return await work(tab);
  } finally {
    await tab.close();
  }
}
