/** The retrieval of an inspection by every contender, each time in a fresh tab that has warmed up. */

import { defaults, wording } from "./contenders.js";
import { limitNetwork, withService } from "./service.js";
import { inRounds } from "./statistics.js";
import { inTab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */
/** @typedef {import("./service.js").Service} Service */
/** @typedef {import("./statistics.js").Rows} Rows */

/** What else counts in Chromium, which alone shows the main thread and the heap. */
const ofChromium = /** @type {ContenderName[]} */ ([
  "getFindingsInPage",
  "loadTableInPage",
  "getFindingsOfColumns",
  "loadTableOfColumns",
  "getFindingsPatched",
  "loadTablePatched",
]);

/** @param {Setting} setting */
export async function measureRetrieval(setting) {
  const { figures, rounds, network, engine } = setting.options;
  const all = /** @type {ContenderName[]} */ (Object.keys(wording));
  const names = !figures ? all : engine === "chromium" ? [...defaults, ...ofChromium] : defaults;
  /** @type {Record<string, Rows>} */
  const measured = {};
  for (const corpus of setting.options.corpora) {
    const note = (/** @type {string} */ what) => setting.note(`${corpus}, ${what}`);
    const measure = async (/** @type {Service} */ service) => {
      measured[corpus] = await inRounds(names, rounds, (name) => measureOnce(setting, service, name), note);
      if (network === undefined) return;
      // Such a retrieval takes seconds, most of which are the network's, so that it varies little.
      measured[`${corpus}, ${network} Mbit/s`] = await inRounds(
        figures ? defaults : names,
        figures ? 1 : rounds,
        (name) => measureOnce(setting, service, name, network),
        (what) => note(`${network} Mbit/s, ${what}`),
      );
    };
    await withService(setting, measure, { corpus });
  }
  return measured;
}

/**
 * Times in milliseconds, memory in bytes per finding.
 * @param {Setting} setting
 * @param {Service} service
 * @param {ContenderName} name
 * @param {number} [network] in megabits a second
 */
async function measureOnce(setting, service, name, network) {
  const { findings } = service;
  const measured = await inWarmTab(setting, service, name, async (tab) => {
    await limitNetwork(service, network);
    const before = await tab.heapUsed();
    const { value, work } = await tab.traced("retrieve", name, findings).finally(() => limitNetwork(service));
    const heap = (await tab.heapUsed()) - before;
    const memory = { heap, bytes: value.byteLength, module: value.moduleMemory };
    const eachFinding = Object.entries(memory).map(([what, size]) => [`${what} B`, size / findings]);
    return { "wall ms": value.wallTime, ...work, ...Object.fromEntries(eachFinding) };
  });
  if (network !== undefined || (setting.options.figures && !defaults.includes(name))) return measured;
  // In a separate tab, because the timer that measures them changes the other figures a little.
  return { ...measured, ...(await inWarmTab(setting, service, name, (tab) => tab.call("stallsOf", name, findings))) };
}

/**
 * The main thread's time for a table in a worker, with ten times the findings. In Chromium only.
 * @param {Setting} setting
 */
export function measureGrowth(setting) {
  return withService(setting, async (service) => {
    const times = async (/** @type {ContenderName} */ name, /** @type {number} */ factor) => {
      const inspectionKey = factor * service.findings;
      const traced = await inWarmTab(setting, service, name, (tab) => tab.traced("retrieve", name, inspectionKey));
      return Number(traced.work["main ms"]);
    };
    const measure = async (/** @type {ContenderName} */ name) => {
      const [usual, large] = [await times(name, 1), await times(name, 10)];
      return { "main ms": usual, "large ms": large, "large ÷ usual": large / usual };
    };
    const growth = await inRounds(["loadTableInWorker"], setting.options.rounds, measure, setting.note);
    return { "ten times the findings": growth };
  });
}

/**
 * Does some work in a tab that has made a tenth of the retrieval.
 * @template Result
 * @param {Setting} setting
 * @param {Service} service
 * @param {ContenderName} name
 * @param {(tab: import("./tab.js").Tab) => Promise<Result>} work
 */
function inWarmTab({ browser }, { url, findings }, name, work) {
  return inTab(browser, url, async (tab) => {
    await tab.call("warmUp", name, findings / 10);
    return work(tab);
  });
}
