/** The retrieval of an inspection by every contender, each time in a fresh tab that has warmed up. */

import { contenderNames } from "./contenders.js";
import { DevTools } from "./devtools.js";
import { inRounds } from "./rounds.js";
import { inTab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */

/**
 * The measurements of a retrieval: times in milliseconds, memory in bytes per finding.
 * @typedef {object} Figures
 * @property {number} wallTime
 * @property {number} longestStall of the event loop
 * @property {number} stalledTime the sum of what is above 16 ms of every stall
 * @property {number} [taskTime] of the main thread; this and the next three in Chromium only
 * @property {number} [processorTime] of the main thread
 * @property {number} [longestTask]
 * @property {number} [heap] of JavaScript that the result holds
 * @property {number} bytes that the result holds outside the heap: a table, or the bodies
 * @property {number} wasmMemory that the module's memory has grown by
 */

/**
 * @param {Setting} setting
 * @returns {Promise<{ medians: Partial<Record<ContenderName, Figures>>, rounds: Partial<Record<ContenderName, Figures>>[] }>}
 */
export async function measureRetrieval(setting) {
  const { hasTable, options, note } = setting;
  return inRounds(contenderNames(hasTable), options.rounds, note, (name) => measureOnce(setting, name));
}

/**
 * Measures the stalls in a tab of their own, because that changes the other figures a little.
 * @param {Setting} setting
 * @param {ContenderName} name
 * @returns {Promise<Figures>}
 */
async function measureOnce(setting, name) {
  const { engine, browser, service, options } = setting;
  const figures = await inTab(browser, service.url, (tab) =>
    engine === "chromium" ? measureWithDevTools(setting, name, tab) : measure(setting, name, tab),
  );
  const stalls = await inTab(browser, service.url, async (tab) => {
    await tab.call("warmUp", name, options.findings / 10);
    return tab.call("stallsOf", name, options.findings);
  });
  return { ...figures, ...stalls };
}

/**
 * @param {Setting} setting
 * @param {ContenderName} name
 * @param {import("./tab.js").Tab} tab
 */
async function measure({ options: { findings } }, name, tab) {
  await tab.call("warmUp", name, findings / 10);
  return perFinding(await tab.call("retrieve", name, findings), findings);
}

/**
 * @param {Setting} setting
 * @param {ContenderName} name
 * @param {import("./tab.js").Tab} tab
 */
async function measureWithDevTools({ browser, options: { findings } }, name, tab) {
  const devTools = await DevTools.of(browser, tab);
  await tab.call("warmUp", name, findings / 10);
  const heapBefore = await devTools.heapUsed();
  const { value, mainThread } = await devTools.traced(() => tab.call("retrieve", name, findings));
  const heapAfter = await devTools.heapUsed();
  return { ...perFinding(value, findings), ...mainThread, heap: (heapAfter - heapBefore) / findings };
}

/**
 * @param {{ wallTime: number, byteLength: number, memoryGrowth: number }} measured
 * @param {number} findings
 */
function perFinding({ wallTime, byteLength, memoryGrowth }, findings) {
  return { wallTime, bytes: byteLength / findings, wasmMemory: memoryGrowth / findings };
}
