/** A table that grows while it loads: from a body to the charts, and what live charts cost beside charts at the end. In Chromium only. */

import { DevTools } from "./devtools.js";
import { withService } from "./service.js";
import { median, medians } from "./statistics.js";
import { inTab } from "./tab.js";

/** @typedef {import("./run.js").Setting} Setting */

/**
 * Times in milliseconds. Those of the processor leave out the waits for one: the worker and the network keep all of them busy.
 * @typedef {object} LiveFigures
 * @property {number} toFirstCharts from the body of a partition to the first charts
 * @property {number} toLaterCharts from the body of a later partition to the charts that show it, the median
 * @property {number} live main-thread time of loading with ten charts of every snapshot
 * @property {number} atEnd main-thread time of `loadTable` with ten charts at the end
 * @property {number} liveProcessor processor time of the main thread, of loading with ten charts of every snapshot
 * @property {number} atEndProcessor the same of `loadTable` with ten charts at the end
 * @property {number} questionsAtEach the questions of ten charts at each snapshot
 * @property {number} questionsOnce the questions of ten charts at the end
 * @property {number} questionsAtEachProcessor processor time of the questions at each snapshot
 * @property {number} questionsOnceProcessor processor time of the questions at the end
 * @property {number} snapshot to take a snapshot of 500 chunks
 */

/** The number of chunks of which a snapshot is measured, and how many times that of a retrieval it is. */
const chunks = 500;
const more = 10;

/**
 * @param {Setting} setting
 * @returns {Promise<{ medians: LiveFigures, rounds: LiveFigures[] } | undefined>} undefined in other engines, which do not measure the main thread
 */
export async function measureLive(setting) {
  if (setting.engine !== "chromium") {
    return undefined;
  }
  return withService(setting, async (service) => {
    /** @type {LiveFigures[]} */
    const rounds = [];
    for (let round = 0; round < setting.options.rounds; round++) {
      setting.note(`round ${round + 1} of ${setting.options.rounds}`);
      rounds.push({ ...(await measureLoading(setting, service)), ...(await measureQuestions(setting, service)) });
    }
    return { medians: /** @type {LiveFigures} */ (medians(/** @type {any} */ (rounds))), rounds };
  });
}

/**
 * @param {Setting} setting
 * @param {import("./service.js").Service} service
 */
async function measureLoading({ browser }, { url, findings }) {
  const live = await inTab(browser, url, async (tab) => {
    await tab.call("loadLive", findings / 10);
    return new DevTools(browser, tab).traced(() => tab.call("loadLive", findings));
  });
  // Before the next retrieval sends the same responses again.
  const sent = await (await fetch(new URL("sent", url))).json();
  const atEnd = await inTab(browser, url, async (tab) => {
    await tab.call("loadThenDraw", findings / 10);
    return new DevTools(browser, tab).traced(() => tab.call("loadThenDraw", findings));
  });
  const delays = live.value
    .toSorted((one, other) => one.shown - other.shown)
    .map(({ partition, shown }) => shown - sent[`Findings/${findings}/Sentiment/${partition}`]);
  return {
    toFirstCharts: delays[0],
    toLaterCharts: median(delays.slice(1)) ?? Number.NaN,
    live: live.mainThread.taskTime,
    atEnd: atEnd.mainThread.taskTime,
    liveProcessor: live.mainThread.processorTime,
    atEndProcessor: atEnd.mainThread.processorTime,
  };
}

/**
 * @param {Setting} setting
 * @param {import("./service.js").Service} service
 */
function measureQuestions({ browser }, { url, findings }) {
  return inTab(browser, url, async (tab) => {
    const devTools = new DevTools(browser, tab);
    await tab.call("askSnapshots", findings / 10);
    const asked = await devTools.processorTimes(() => tab.call("askSnapshots", findings), ["at each", "once"]);
    const snapshots = await tab.call("takeSnapshots", more * findings, chunks - 10);
    return {
      questionsAtEach: asked.value.atEach,
      questionsOnce: asked.value.once,
      questionsAtEachProcessor: asked.times["at each"],
      questionsOnceProcessor: asked.times.once,
      snapshot: median(snapshots) ?? Number.NaN,
    };
  });
}
