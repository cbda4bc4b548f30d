/** The peak of Chromium's memory during a retrieval: the resident sets of all its processes together, as Linux counts them. */

import { existsSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { Chromium } from "./chromium.js";
import { defaults } from "./contenders.js";
import { withService } from "./service.js";
import { inRounds } from "./statistics.js";
import { inTab } from "./tab.js";

/** How many times the findings of a retrieval. */
const factor = 4;

/** The pauses between two looks, in milliseconds: at the memory, and at which processes there are. */
const pause = 10;
const processPause = 250;

/** @param {import("./run.js").Setting} setting */
export async function measurePeak(setting) {
  const { options, note } = setting;
  /** @type {Record<string, import("./statistics.js").Rows>} */
  const measured = {};
  for (const corpus of existsSync("/proc/self/status") ? options.corpora : []) {
    const rounds = options.figures ? 1 : options.rounds;
    const noteCorpus = (/** @type {string} */ what) => note(`${corpus}, ${what}`);
    measured[`${corpus}, ${factor} times the findings`] = await withService(
      setting,
      ({ url, findings }) => inRounds(defaults, rounds, (name) => peakOf(url, name, factor * findings), noteCorpus),
      { corpus },
    );
  }
  return measured;
}

/**
 * In a browser of its own and without a warm-up, because processes keep memory that they have once used.
 * @param {string} url
 * @param {import("./contenders.js").ContenderName} name
 * @param {number} inspectionKey
 */
async function peakOf(url, name, inspectionKey) {
  const browser = await Chromium.launch();
  try {
    return await inTab(browser, url, async (tab) => {
      const idle = residentOf(await browser.processIds());
      let peak = 0;
      let isOver = false;
      const watch = async () => {
        while (!isOver) {
          const ids = await browser.processIds();
          for (let looks = 0; looks < processPause / pause && !isOver; looks++) {
            peak = Math.max(peak, residentOf(ids));
            await setTimeout(pause);
          }
        }
      };
      const watched = watch();
      await tab.call("retrieve", name, inspectionKey);
      isOver = true;
      await watched;
      return { "idle MB": idle, "peak MB": peak, "peak − idle MB": peak - idle };
    });
  } finally {
    await browser.close();
  }
}

/**
 * The resident sets of processes, some of which may have ended, in megabytes.
 * @param {number[]} ids
 */
function residentOf(ids) {
  const statuses = ids.map((id) => `/proc/${id}/status`).filter((path) => existsSync(path));
  const kilobytes = statuses.map((path) => Number(readFileSync(path, "utf8").match(/^VmRSS:\s+(\d+) kB$/m)?.[1] ?? 0));
  return kilobytes.reduce((sum, size) => sum + size * 1024, 0) / 1e6;
}
