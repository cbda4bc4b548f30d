/** The peak of Chromium's memory during a retrieval: the resident sets of all its processes together, as Linux counts them. */

import { existsSync, readFileSync } from "node:fs";
import { Chromium } from "./chromium.js";
import { defaults } from "./contenders.js";
import { findingsOf } from "./options.js";
import { inRounds } from "./rounds.js";
import { withService } from "./service.js";
import { inTab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */
/** @typedef {import("./service.js").Service} Service */

/** @typedef {{ idle: number, peak: number }} Peak in bytes: before the retrieval, and the most during it */

/** How many times the findings of a retrieval. */
export const factor = 4;

/** The pauses between two looks, in milliseconds: at the memory, and at which processes there are. */
const pause = 10;
const processPause = 250;

/**
 * @param {Setting} setting
 * @returns {Promise<Record<string, Awaited<ReturnType<typeof measureCorpus>>> | undefined>} by corpus; undefined where there is no Linux
 */
export async function measurePeak(setting) {
  if (!existsSync("/proc/self/status")) {
    return undefined;
  }
  /** @type {Record<string, Awaited<ReturnType<typeof measureCorpus>>>} */
  const measured = {};
  for (const corpus of setting.options.corpora) {
    measured[corpus] = await measureCorpus(setting, corpus);
  }
  return measured;
}

/**
 * @param {Setting} setting
 * @param {string} corpus
 */
function measureCorpus(setting, corpus) {
  const { options, note } = setting;
  const rounds = options.figures ? 1 : options.rounds;
  const noteCorpus = (/** @type {string} */ what) => note(`${corpus}, ${what}`);
  return withService(setting, (service) => inRounds(defaults, rounds, noteCorpus, (name) => peakOf(service, name)), {
    corpus,
    findings: findingsOf(options, corpus),
  });
}

/**
 * In a browser of its own and without a warm-up, because processes keep memory that they have once used.
 * @param {Service} service
 * @param {ContenderName} name
 * @returns {Promise<Peak>}
 */
async function peakOf({ url, findings }, name) {
  const browser = await Chromium.launch();
  try {
    return await inTab(browser, url, async (tab) => {
      const idle = residentOf(await browser.processIds());
      const watch = watchPeak(browser);
      await tab.call("retrieve", name, factor * findings);
      return { idle, peak: await watch.stop() };
    });
  } finally {
    await browser.close();
  }
}

/** @param {Chromium} browser */
function watchPeak(browser) {
  let peak = 0;
  let isOver = false;
  const watched = watch();
  return {
    async stop() {
      isOver = true;
      await watched;
      return peak;
    },
  };

  async function watch() {
    while (!isOver) {
      const ids = await browser.processIds();
      for (let looks = 0; looks < processPause / pause && !isOver; looks++) {
        peak = Math.max(peak, residentOf(ids));
        await new Promise((resolve) => setTimeout(resolve, pause));
      }
    }
  }
}

/**
 * The resident sets of processes together, in bytes.
 * @param {number[]} ids
 */
function residentOf(ids) {
  return ids.reduce((sum, id) => sum + residentOfProcess(id), 0);
}

/** @param {number} id of a process, which may have ended */
function residentOfProcess(id) {
  const path = `/proc/${id}/status`;
  const kilobytes = existsSync(path) ? readFileSync(path, "utf8").match(/^VmRSS:\s+(\d+) kB$/m)?.[1] : undefined;
  return Number(kilobytes ?? 0) * 1024;
}
