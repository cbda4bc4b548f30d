/** The developer tools of Chromium: what no other engine lets a benchmark measure. */

import { Chromium, ChromiumPage } from "./chromium.js";
import { readProcessorTime, readTrace, traceCategories } from "./trace.js";

/** Milliseconds before each response of a limited network. */
const latency = 40;

export class DevTools {
  #browser;
  #page;

  /**
   * @param {import("../../tools/engine.js").Browser} browser
   * @param {import("./tab.js").Tab} tab
   */
  constructor(browser, { page }) {
    if (!(browser instanceof Chromium && page instanceof ChromiumPage)) {
      throw new Error("Only Chromium has these developer tools.");
    }
    this.#browser = browser;
    this.#page = page;
  }

  /**
   * Runs some work, and measures the main thread between the marks of the page.
   * @template Value
   * @param {() => Promise<Value>} work
   */
  async traced(work) {
    const { value, trace } = await this.#browser.trace(work, traceCategories);
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
    const { value, trace } = await this.#browser.trace(work, traceCategories);
    const times = Object.fromEntries(names.map((name) => [name, readProcessorTime(trace, name)]));
    return { value, times: /** @type {Record<Name, number>} */ (times) };
  }

  /** The live bytes of the JavaScript heap. */
  async heapUsed() {
    // The first collection runs finalisers, which release more objects.
    await this.#page.send("HeapProfiler.collectGarbage");
    await this.#page.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.#page.send("Runtime.getHeapUsage");
    return usedSize;
  }

  /**
   * Limits the network of the tab. A response begins {@link latency} after its request, or when the service sends it, if that is later.
   * @param {number} megabits a second
   */
  async limitNetwork(megabits) {
    // Without a buffer, so that no body is copied.
    await this.#page.send("Network.enable", { maxTotalBufferSize: 0, maxResourceBufferSize: 0 });
    const throughput = (megabits * 1e6) / 8;
    await this.#page.send("Network.emulateNetworkConditions", {
      offline: false,
      latency,
      downloadThroughput: throughput,
      uploadThroughput: throughput,
    });
  }
}
