/** Small inspections: the first call of a page, which loads the package, and the second one. */

import { setTimeout } from "node:timers/promises";
import { DevTools } from "./devtools.js";
import { partitions } from "./options.js";
import { inRounds } from "./rounds.js";
import { startService } from "./service.js";
import { inTab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */

/**
 * Times in milliseconds. The first call begins before the import of the package.
 * @typedef {object} Calls
 * @property {number} first
 * @property {number} [firstTask] the time of the main thread's tasks during the first call, waits for a processor included; in Chromium only
 * @property {number} [firstProcessor] the processor time of the main thread during the first call; in Chromium only
 * @property {number} second
 */

/** @typedef {{ findings: number, partitions: number }} Size */

/** @type {Size[]} */
export const sizes = [
  { findings: 200, partitions: 1 },
  { findings: 10_000, partitions },
];

/**
 * Milliseconds from the opening of a tab to its first call. With a tab, Chromium opens a window and starts the page of its address bar, which keeps a
 * processor busy for half a second; a page of a user's has its window before.
 */
const rest = 1000;

const names = /** @type {const} */ (["promiseAll", "getFindings", "loadTable"]);

/**
 * The calls of each contender in a fresh tab each time, by the number of findings.
 * @param {Setting} setting
 */
export async function measureStart(setting) {
  /** @type {Record<string, Awaited<ReturnType<typeof measureSize>>>} */
  const results = {};
  for (const size of sizes) {
    results[size.findings] = await measureSize(setting, size);
  }
  return results;
}

/**
 * @param {Setting} setting
 * @param {Size} size
 */
async function measureSize({ engine, browser, page, options, note }, { findings, partitions }) {
  const { latency, corpus, rounds } = options;
  const service = await startService({ page, latency, corpus, partitions, partitionSize: findings / partitions });
  try {
    return await inRounds(
      names,
      rounds,
      (round) => note(`${findings} findings, ${round}`),
      (name) =>
        inTab(browser, service.url, async (tab) => {
          await setTimeout(rest);
          return engine === "chromium"
            ? callTwiceWithDevTools(browser, tab, name, findings)
            : callTwice(tab, name, findings);
        }),
    );
  } finally {
    service.close();
  }
}

/**
 * @param {import("./tab.js").Tab} tab
 * @param {ContenderName} name
 * @param {number} findings
 * @returns {Promise<Calls>}
 */
async function callTwice(tab, name, findings) {
  const first = await tab.call("retrieve", name, findings);
  const second = await tab.call("retrieve", name, findings);
  return { first: first.wallTime, second: second.wallTime };
}

/**
 * @param {import("../../tools/engine.js").Browser} browser
 * @param {import("./tab.js").Tab} tab
 * @param {ContenderName} name
 * @param {number} findings
 * @returns {Promise<Calls>}
 */
async function callTwiceWithDevTools(browser, tab, name, findings) {
  const devTools = await DevTools.of(browser, tab);
  const { value, mainThread } = await devTools.traced(() => tab.call("retrieve", name, findings));
  const second = await tab.call("retrieve", name, findings);
  return {
    first: value.wallTime,
    firstTask: mainThread.taskTime,
    firstProcessor: mainThread.processorTime,
    second: second.wallTime,
  };
}
