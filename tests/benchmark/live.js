/** A table that grows while it loads: from a body to the charts, and what live charts cost beside charts at the end. In Chromium only. */

import { withService } from "./service.js";
import { inRounds, median } from "./statistics.js";
import { inTab } from "./tab.js";

/** The partitions of which a snapshot is measured, and how many times those of a retrieval they are. */
const chunks = 500;
const more = 10;

/** The rows. */
export const charts = "ten charts";
export const questions = "their questions";
export const snapshot = `a snapshot of ${chunks} chunks`;

/** @typedef {import("./tab.js").Tab} Tab */
/** @typedef {{ work: import("./tab.js").Work }} Traced */

/**
 * Milliseconds. Those of the processor leave out the waits for one: the worker and the network keep all of them busy.
 * @param {import("./run.js").Setting} setting
 */
export function measureLive(setting) {
  return withService(setting, async ({ url, findings }) => {
    /** @type {<Result>(work: (tab: Tab) => Promise<Result>) => Promise<Result>} */
    const inNewTab = (work) => inTab(setting.browser, url, work);
    /** @param {"loadLive" | "loadThenDraw"} name */
    const load = (name) =>
      inNewTab(async (tab) => {
        await tab.call(name, findings / 10);
        return tab.traced(name, findings);
      });
    /** @type {Record<string, () => Promise<import("./statistics.js").Figures>>} */
    const measures = {
      async [charts]() {
        const live = await load("loadLive");
        // Before the next retrieval sends the same responses again.
        const sent = await (await fetch(new URL("sent", url))).json();
        const delays = (live.value ?? [])
          .toSorted((one, other) => one.shown - other.shown)
          .map(({ partition, shown }) => shown - sent[`Findings/${findings}/Sentiment/${partition}`]);
        const atEnd = await load("loadThenDraw");
        return {
          "live ms": live.work["main ms"],
          "at end ms": atEnd.work["main ms"],
          ...processorTimes(live, atEnd),
          "first charts ms": delays[0],
          "later charts ms": median(delays.slice(1)),
        };
      },
      [questions]: () =>
        inNewTab(async (tab) => {
          await tab.call("askSnapshots", findings / 10);
          const live = await tab.traced("askSnapshots", findings);
          const atEnd = await tab.traced("askOnce", findings);
          return { "live ms": live.value, "at end ms": atEnd.value, ...processorTimes(live, atEnd) };
        }),
      [snapshot]: async () => ({
        "live ms": median(await inNewTab((tab) => tab.call("takeSnapshots", more * findings, chunks - 10))),
      }),
    };
    const names = Object.keys(measures);
    return { worker: await inRounds(names, setting.options.rounds, (name) => measures[name](), setting.note) };
  });
}

/**
 * @param {Traced} live
 * @param {Traced} atEnd
 */
function processorTimes(live, atEnd) {
  return { "live cpu ms": live.work["cpu ms"], "at end cpu ms": atEnd.work["cpu ms"] };
}
