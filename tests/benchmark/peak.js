/** The peak of Chromium's memory during a retrieval: the resident sets of all its processes together, as Linux counts them. */

import { Chromium } from "./chromium.js";
import { defaults } from "./contenders.js";
import { isCounted, residentMemory } from "./processes.js";
import { withService } from "./service.js";
import { inRounds } from "./statistics.js";
import { inTab } from "./tab.js";

/** How many times the findings of a retrieval. */
const factor = 4;

/** The pause between two looks, in milliseconds. */
const pause = 10;

/** @param {import("./run.js").Setting} setting */
export async function measurePeak(setting) {
  const { options, note } = setting;
  /** @type {Record<string, import("./statistics.js").Rows>} */
  const measured = {};
  for (const corpus of isCounted ? options.corpora : []) {
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
      const idle = residentMemory();
      let peak = idle;
      const timer = setInterval(() => {
        peak = Math.max(peak, residentMemory());
      }, pause);
      await tab.call("retrieve", name, inspectionKey).finally(() => clearInterval(timer));
      return { "idle MB": idle, "peak MB": peak, "peak − idle MB": peak - idle };
    });
  } finally {
    await browser.close();
  }
}
