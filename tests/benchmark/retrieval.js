/** The retrieval of an inspection by every contender, each time in a fresh tab that has warmed up. */

import { contenderNames, defaults } from "./contenders.js";
import { DevTools } from "./devtools.js";
import { inRounds } from "./rounds.js";
import { withService } from "./service.js";
import { inTab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */
/** @typedef {import("./service.js").Service} Service */

/** What else counts in Chromium, which alone shows the main thread and the heap. */
const ofChromium = /** @type {const} */ ([
  "getFindingsInPage",
  "loadTableInPage",
  "getFindingsOfColumns",
  "loadTableOfColumns",
]);

/**
 * The measurements of a retrieval: times in milliseconds, memory in bytes per finding.
 * @typedef {object} Figures
 * @property {number} wallTime
 * @property {number} [longestStall] of the event loop
 * @property {number} [stalledTime] the sum of what is above 16 ms of every stall
 * @property {number} [taskTime] of the main thread; this and the next three in Chromium only
 * @property {number} [processorTime] of the main thread
 * @property {number} [longestTask]
 * @property {number} [heap] of JavaScript that the result holds
 * @property {number} bytes that the result holds outside the heap: a table, or the bodies
 * @property {number} moduleMemory the size of the module's memory in the page
 */

/** @typedef {{ medians: Partial<Record<ContenderName, Figures>>, rounds: Partial<Record<ContenderName, Figures>>[] }} Measured */
/** @typedef {{ loopback: Measured, network?: Measured }} OfCorpus */

/**
 * @param {Setting} setting
 * @returns {Promise<Record<string, OfCorpus>>} by corpus
 */
export async function measureRetrieval(setting) {
  /** @type {Record<string, OfCorpus>} */
  const measured = {};
  for (const corpus of setting.options.corpora) {
    const note = (/** @type {string} */ what) => setting.note(`${corpus}, ${what}`);
    measured[corpus] = await withService(setting, (service) => measureCorpus({ ...setting, note }, service), {
      corpus,
    });
  }
  return measured;
}

/**
 * @param {Setting} setting
 * @param {Service} service
 * @returns {Promise<OfCorpus>}
 */
async function measureCorpus(setting, service) {
  const { engine, options, note } = setting;
  const { figures, rounds, network } = options;
  const names = figures ? namesOfFigures(engine) : contenderNames;
  const loopback = await inRounds(names, rounds, note, async (name) => {
    const measured = await measureOnce(setting, service, name);
    return figures && !isDefault(name) ? measured : { ...measured, ...(await measureStalls(setting, service, name)) };
  });
  if (network === undefined) {
    return { loopback };
  }
  // Such a retrieval takes seconds, most of which are the network's, so that it varies little.
  const fewer = figures ? 1 : rounds;
  const noteNetwork = (/** @type {string} */ what) => note(`${network} Mbit/s, ${what}`);
  const measure = (/** @type {ContenderName} */ name) => measureOnce(setting, service, name, network);
  return {
    loopback,
    network: await inRounds(figures ? defaults : contenderNames, fewer, noteNetwork, measure),
  };
}

/**
 * @param {Setting["engine"]} engine
 * @returns {readonly ContenderName[]}
 */
function namesOfFigures(engine) {
  return engine === "chromium" ? [...defaults, ...ofChromium] : defaults;
}

/** @param {ContenderName} name */
function isDefault(name) {
  return defaults.some((other) => other === name);
}

/**
 * @param {Setting} setting
 * @param {Service} service
 * @param {ContenderName} name
 * @param {number} [network] in megabits a second
 * @returns {Promise<Figures>}
 */
function measureOnce({ engine, browser }, { url, findings }, name, network) {
  return inTab(browser, url, async (tab) => {
    await tab.call("warmUp", name, findings / 10);
    return engine === "chromium"
      ? measureWithDevTools(new DevTools(browser, tab), tab, name, findings, network)
      : perFinding(await tab.call("retrieve", name, findings), findings);
  });
}

/**
 * @param {DevTools} devTools
 * @param {import("./tab.js").Tab} tab
 * @param {ContenderName} name
 * @param {number} findings
 * @param {number} [network] in megabits a second
 */
async function measureWithDevTools(devTools, tab, name, findings, network) {
  if (network !== undefined) {
    await devTools.limitNetwork(network);
  }
  const heapBefore = await devTools.heapUsed();
  const { value, mainThread } = await devTools.traced(() => tab.call("retrieve", name, findings));
  const heapAfter = await devTools.heapUsed();
  return { ...perFinding(value, findings), ...mainThread, heap: (heapAfter - heapBefore) / findings };
}

/**
 * Measures the stalls in a tab of their own, because that changes the other figures a little.
 * @param {Setting} setting
 * @param {Service} service
 * @param {ContenderName} name
 */
function measureStalls({ browser }, { url, findings }, name) {
  return inTab(browser, url, async (tab) => {
    await tab.call("warmUp", name, findings / 10);
    return tab.call("stallsOf", name, findings);
  });
}

/**
 * @param {{ wallTime: number, byteLength: number, moduleMemory: number }} measured
 * @param {number} findings
 */
function perFinding({ wallTime, byteLength, moduleMemory }, findings) {
  return { wallTime, bytes: byteLength / findings, moduleMemory: moduleMemory / findings };
}
