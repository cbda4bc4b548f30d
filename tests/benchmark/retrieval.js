/** The retrieval of an inspection by every contender, each time in a fresh tab that has warmed up. */

import { contenderNames } from "./contenders.js";
import { medians, rotated } from "./statistics.js";
import { Tab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */

/**
 * The measurements of a retrieval: times in milliseconds, memory in bytes per finding.
 * @typedef {object} Figures
 * @property {number} wallTime
 * @property {number} taskTime of the main thread
 * @property {number} processorTime of the main thread
 * @property {number} longestTask
 * @property {number} heap of JavaScript that the result holds
 * @property {number} bytes that the result holds outside the heap: a table, or the bodies
 * @property {number} wasmMemory that the module's memory has grown by
 */

/**
 * @param {Setting} setting
 * @returns {Promise<{ medians: Partial<Record<ContenderName, Figures>>, rounds: Partial<Record<ContenderName, Figures>>[] }>}
 */
export async function measureRetrieval(setting) {
  const names = contenderNames(setting.hasTable);
  /** @type {Partial<Record<ContenderName, Figures>>[]} */
  const rounds = [];
  for (let round = 0; round < setting.options.rounds; round++) {
    setting.note(`round ${round + 1} of ${setting.options.rounds}`);
    /** @type {Partial<Record<ContenderName, Figures>>} */
    const figures = {};
    for (const name of rotated(names, round)) {
      figures[name] = await measureOnce(setting, name);
    }
    rounds.push(figures);
  }
  const entries = names.map((name) => [
    name,
    medians(rounds.flatMap((figures) => (figures[name] === undefined ? [] : [{ ...figures[name] }]))),
  ]);
  return { medians: Object.fromEntries(entries), rounds };
}

/**
 * @param {Setting} setting
 * @param {ContenderName} name
 * @returns {Promise<Figures>}
 */
async function measureOnce({ browser, service, options: { findings } }, name) {
  const tab = await Tab.open(browser, service.url);
  try {
    await tab.call("warmUp", name, findings / 10);
    const heapBefore = await tab.heapUsed();
    const { value, mainThread } = await tab.traced(() => tab.call("retrieve", name, findings));
    const heapAfter = await tab.heapUsed();
    return {
      wallTime: value.wallTime,
      ...mainThread,
      heap: (heapAfter - heapBefore) / findings,
      bytes: value.byteLength / findings,
      wasmMemory: value.memoryGrowth / findings,
    };
  } finally {
    await tab.close();
  }
}
