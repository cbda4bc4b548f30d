/** Small inspections: the first call of a page, which loads the package, and the second one. Every call sends a token. */

import { setTimeout } from "node:timers/promises";
import { defaults } from "./contenders.js";
import { DevTools } from "./devtools.js";
import { partitions } from "./options.js";
import { inRounds } from "./rounds.js";
import { withService } from "./service.js";
import { inTab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */
/** @typedef {import("./service.js").Service} Service */

/**
 * Times in milliseconds. The first call begins before the import of the package.
 * @typedef {object} Calls
 * @property {number} first
 * @property {number} [firstTask] the time of the main thread's tasks during the first call, waits for a processor included; in Chromium only
 * @property {number} [firstProcessor] the processor time of the main thread during the first call; in Chromium only
 * @property {number} second
 */

/** @typedef {{ findings: number, partitions: number }} Size */

/** @type {[Size, Size]} */
export const sizes = [
  { findings: 200, partitions: 1 },
  { findings: 10_000, partitions },
];

/**
 * Milliseconds from the opening of a tab to its first call. With a tab, Chromium opens a window and starts the page of its address bar, which keeps a
 * processor busy for half a second; a page of a user's has its window before.
 */
const rest = 1000;

/** The rounds for each round of a retrieval: a first call is short, and so varies more. */
const more = 3;

/**
 * The calls of each contender in a fresh tab each time, by the number of findings.
 * @param {Setting} setting
 */
export async function measureStart(setting) {
  const { options, note } = setting;
  /** @type {Record<string, Awaited<ReturnType<typeof measureSize>>>} */
  const results = {};
  for (const size of options.figures ? sizes.slice(0, 1) : sizes) {
    const noteSize = (/** @type {string} */ what) => note(`${size.findings} findings, ${what}`);
    results[size.findings] = await measureSize({ ...setting, note: noteSize }, size);
  }
  return results;
}

/**
 * @param {Setting} setting
 * @param {Size} size
 */
function measureSize(setting, size) {
  const { options, note } = setting;
  const rounds = options.figures ? more * options.rounds : options.rounds;
  return withService(setting, (service) => inRounds(defaults, rounds, note, (name) => callIn(setting, service, name)), {
    ...size,
    token: true,
  });
}

/**
 * @param {Setting} setting
 * @param {Service} service
 * @param {ContenderName} name
 * @returns {Promise<Calls>}
 */
function callIn({ engine, browser }, { url, findings }, name) {
  return inTab(browser, url, async (tab) => {
    await setTimeout(rest);
    const call = async () => (await tab.call("retrieve", name, findings, { token: true })).wallTime;
    if (engine !== "chromium") {
      return { first: await call(), second: await call() };
    }
    const { value: first, mainThread } = await new DevTools(browser, tab).traced(call);
    const { taskTime: firstTask, processorTime: firstProcessor } = mainThread;
    return { first, firstTask, firstProcessor, second: await call() };
  });
}
