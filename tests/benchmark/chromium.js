/**
 * Chromium with pages that nobody observes. Playwright's own pages have the domain `Network` of the developer tools enabled, which copies each
 * body that a page reads: with 29 MB of bodies `Promise.all` took 43 MB more, and this package 18 to 26 MB.
 */

import { launchChromium } from "../../tools/engine.js";
import { readTrace, traceCategories } from "./trace.js";

/** @typedef {import("playwright-core").Browser} Browser */
/** @typedef {import("playwright-core").CDPSession} Session */
/** @typedef {import("../../tools/engine.js").Page} Page */

/**
 * Exposes the garbage collector, and exact memory sizes. Without the page of the address bar's popup: Chromium loads it for each new window, which
 * takes half a second of processor time while a contender is measured. On two cores, main threads wait for it. This list of features replaces
 * Playwright's.
 */
const flags = [
  "--js-flags=--expose-gc",
  "--enable-precise-memory-info",
  "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup",
];

/** The pause between two looks at a condition, in milliseconds. */
const pause = 20;

export class Chromium {
  #browser;

  static async launch() {
    return new Chromium(await launchChromium(flags));
  }

  /** @param {Browser} browser */
  constructor(browser) {
    this.#browser = browser;
  }

  version() {
    return this.#browser.version();
  }

  /** Opens a page with its own storage, connections and process. */
  async newPage() {
    const session = await this.#browser.newBrowserCDPSession();
    const { browserContextId } = await session.send("Target.createBrowserContext");
    const { targetId } = await session.send("Target.createTarget", { url: "about:blank", browserContextId });
    // Playwright's sessions have no messages of nested ones, so these are carried by messages.
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    return new ChromiumPage(this.#browser, session, browserContextId, sessionId);
  }

  close() {
    return this.#browser.close();
  }
}

/** @implements {Page} */
export class ChromiumPage {
  #browser;
  #session;
  #context;
  #target;
  #last = 0;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #pending = new Map();

  /**
   * @param {Browser} browser
   * @param {Session} session of the browser
   * @param {string} context
   * @param {string} target the id of the session of the page
   */
  constructor(browser, session, context, target) {
    this.#browser = browser;
    this.#session = session;
    this.#context = context;
    this.#target = target;
    session.on("Target.receivedMessageFromTarget", ({ message }) => {
      const { id, result, error } = JSON.parse(message);
      if (error === undefined) this.#pending.get(id)?.resolve(result);
      else this.#pending.get(id)?.reject(new Error(error.message));
      this.#pending.delete(id);
    });
    session.on("Target.targetCrashed", () => {
      for (const { reject } of this.#pending.values()) reject(new Error("The tab has crashed."));
    });
  }

  /** @type {Session["send"]} */
  send = (method, params) =>
    new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#pending.set(id, { resolve, reject });
      const message = JSON.stringify({ id, method, params });
      this.#session.send("Target.sendMessageToTarget", { sessionId: this.#target, message }).catch(reject);
    });

  /** @param {string} url */
  goto(url) {
    return this.send("Page.navigate", { url });
  }

  /**
   * @template Argument, Result
   * @param {(argument: Argument) => Result | Promise<Result>} work
   * @param {Argument} argument
   * @returns {Promise<Result>}
   */
  async evaluate(work, argument) {
    const { result, exceptionDetails } = await this.send("Runtime.evaluate", {
      expression: `(${work})(${JSON.stringify(argument)})`,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined) {
      throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    }
    return result.value;
  }

  /** @param {() => unknown} condition */
  async waitForFunction(condition) {
    while (!(await this.evaluate(condition, undefined))) {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }

  /**
   * Runs some work, and measures the main thread between the marks of the page.
   * @template Value
   * @param {() => Promise<Value>} work
   */
  async traced(work) {
    await this.#browser.startTracing(undefined, { categories: traceCategories });
    /** @type {Buffer | undefined} */
    let trace;
    const value = await work().finally(async () => {
      trace = await this.#browser.stopTracing();
    });
    return { value, mainThread: readTrace(/** @type {Buffer} */ (/** @type {unknown} */ (trace))) };
  }

  /** The live bytes of the JavaScript heap. */
  async heapUsed() {
    // The first collection runs finalisers, which release more objects.
    await this.send("HeapProfiler.collectGarbage");
    await this.send("HeapProfiler.collectGarbage");
    const { usedSize } = await this.send("Runtime.getHeapUsage");
    return usedSize;
  }

  async close() {
    await this.#session.send("Target.disposeBrowserContext", { browserContextId: this.#context });
    await this.#session.detach();
  }
}
