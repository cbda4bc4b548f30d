/**
 * Chromium with pages that nobody observes. Playwright's own pages have the domain `Network` of the developer tools enabled, which copies each
 * body that a page reads: with 29 MB of bodies `Promise.all` took 43 MB more, and this package 18 to 26 MB.
 */

import { launchChromium } from "../../../tools/engine.ts";

type Send = import("playwright-core").CDPSession["send"];

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

/** The milliseconds so far: of all tasks of the main thread, waits for a processor included, of its processor time, and of that of all threads. */
export type Times = Record<"main ms" | "cpu ms" | "all cpu ms", number>;

export type Measures = { times: () => Promise<Times>; heapUsed: () => Promise<number> };

/** Starts Chromium, whose pages have their own storage, connections and process. */
export async function launchUnobserved() {
  const browser = await launchChromium(flags);
  return {
    version: () => browser.version(),
    close: () => browser.close(),
    newPage: async () => {
      const session = await browser.newBrowserCDPSession();
      const { browserContextId } = await session.send("Target.createBrowserContext");
      const { targetId } = await session.send("Target.createTarget", { url: "about:blank", browserContextId });
      // Playwright's sessions have no messages of nested ones, so these are carried by messages.
      const { sessionId } = await session.send("Target.attachToTarget", { targetId, flatten: false });
      const send = nested(session, sessionId);
      const evaluate = async (work: (argument: never) => unknown, argument: unknown) => {
        const expression = `(${work})(${JSON.stringify(argument)})`;
        const evaluated = await send("Runtime.evaluate", { expression, awaitPromise: true, returnByValue: true });
        const { result, exceptionDetails: failure } = evaluated;
        if (failure !== undefined) throw new Error(failure.exception?.description ?? failure.text);
        return result.value;
      };
      return {
        evaluate,
        goto: (url: string) => send("Page.navigate", { url }),
        waitForFunction: async (condition: () => unknown) => {
          while (!(await evaluate(condition, undefined))) await new Promise((resolve) => setTimeout(resolve, 20));
        },
        times: async () => {
          await send("Performance.enable");
          const { metrics } = await send("Performance.getMetrics");
          const ofMain = (wanted: string) => 1000 * (metrics.find(({ name }) => name === wanted)?.value ?? Number.NaN);
          const { processInfo } = await session.send("SystemInfo.getProcessInfo");
          const all = processInfo.reduce((sum, { cpuTime }) => sum + 1000 * cpuTime, 0);
          return { "main ms": ofMain("TaskDuration"), "cpu ms": ofMain("ThreadTime"), "all cpu ms": all };
        },
        /** The live bytes of the JavaScript heap. The first collection runs finalisers, which release more objects. */
        heapUsed: async () => {
          for (const _ of [1, 2]) await send("HeapProfiler.collectGarbage");
          return (await send("Runtime.getHeapUsage")).usedSize;
        },
        close: async () => {
          await session.send("Target.disposeBrowserContext", { browserContextId });
          await session.detach();
        },
      };
    },
  };
}

/** Sends to a session inside another one. */
function nested(session: import("playwright-core").CDPSession, sessionId: string): Send {
  let last = 0;
  const pending: Map<number, { resolve: (result: any) => void; reject: (error: Error) => void }> = new Map();
  session.on("Target.receivedMessageFromTarget", ({ message }) => {
    const { id, result, error } = JSON.parse(message);
    if (error === undefined) pending.get(id)?.resolve(result);
    else pending.get(id)?.reject(new Error(error.message));
    pending.delete(id);
  });
  session.on("Target.targetCrashed", () => {
    for (const { reject } of pending.values()) reject(new Error("The tab has crashed."));
  });
  return (method, params) =>
    new Promise((resolve, reject) => {
      pending.set(++last, { resolve, reject });
      const message = JSON.stringify({ id: last, method, params });
      session.send("Target.sendMessageToTarget", { sessionId, message }).catch(reject);
    });
}
