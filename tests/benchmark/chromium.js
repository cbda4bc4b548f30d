/**
 * Chromium with pages that nobody observes. Playwright's own pages have the domain `Network` of the developer tools enabled, which copies each
 * body that a page reads: with 29 MB of bodies `Promise.all` took 43 MB more, and this package, which takes blobs, 18 to 26 MB.
 */

import { launchChromium } from "../../tools/engine.js";

/** @typedef {import("playwright-core").Browser} PlaywrightBrowser */
/** @typedef {import("playwright-core").CDPSession} Session */

/** Exposes the garbage collector, and exact memory sizes. */
const flags = ["--js-flags=--expose-gc", "--enable-precise-memory-info"];

/** The pause between two looks at a condition, in milliseconds. */
const pause = 20;

export class Chromium {
  #browser;

  static async launch() {
    return new Chromium(await launchChromium(flags));
  }

  /** @param {PlaywrightBrowser} browser */
  constructor(browser) {
    this.#browser = browser;
  }

  version() {
    return this.#browser.version();
  }

  /** Opens a page with its own storage, connections and process. */
  async newPage() {
    return ChromiumPage.open(await this.#browser.newBrowserCDPSession());
  }

  /** The ids of all processes. */
  async processIds() {
    const session = await this.#browser.newBrowserCDPSession();
    const { processInfo } = await session.send("SystemInfo.getProcessInfo");
    await session.detach();
    return processInfo.map(({ id }) => id);
  }

  /**
   * Runs some work, and traces all processes meanwhile.
   * @template Value
   * @param {() => Promise<Value>} work
   * @param {string[]} categories
   */
  async trace(work, categories) {
    await this.#browser.startTracing(undefined, { categories });
    let value;
    let trace;
    try {
      value = await work();
    } finally {
      trace = await this.#browser.stopTracing();
    }
    return { value, trace };
  }

  close() {
    return this.#browser.close();
  }
}

/** @implements {Page} */
export class ChromiumPage {
  #session;
  #context;
  #target;
  #last = 0;
  /** @type {Map<number, { resolve: (result: any) => void, reject: (error: Error) => void }>} */
  #pending = new Map();

  /** @param {Session} session of the browser */
  static async open(session) {
    const { browserContextId } = await session.send("Target.createBrowserContext");
    const { targetId } = await session.send("Target.createTarget", { url: "about:blank", browserContextId });
    // Playwright's sessions have no messages of nested ones, so these are carried by messages.
    const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
    return new ChromiumPage(session, browserContextId, sessionId);
  }

  /**
   * @param {Session} session of the browser
   * @param {string} context
   * @param {string} target the id of the session of the page
   */
  constructor(session, context, target) {
    this.#session = session;
    this.#context = context;
    this.#target = target;
    session.on("Target.receivedMessageFromTarget", ({ message }) => this.#receive(JSON.parse(message)));
    session.on("Target.targetCrashed", () => this.#fail("The tab has crashed."));
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

  async close() {
    await this.#session.send("Target.disposeBrowserContext", { browserContextId: this.#context });
    await this.#session.detach();
  }

  /** @param {{ id?: number, result?: unknown, error?: { message: string } }} message */
  #receive({ id, result, error }) {
    const pending = id === undefined ? undefined : this.#pending.get(id);
    if (id === undefined || pending === undefined) {
      return;
    }
    this.#pending.delete(id);
    if (error === undefined) {
      pending.resolve(result);
    } else {
      pending.reject(new Error(error.message));
    }
  }

  /** @param {string} reason */
  #fail(reason) {
    for (const { reject } of this.#pending.values()) {
      reject(new Error(reason));
    }
    this.#pending.clear();
  }
}

/** @typedef {import("../../tools/engine.js").Page} Page */
