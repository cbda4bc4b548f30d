/** The peak of a tab's memory during a retrieval: the resident set of Chromium's renderer, as Linux counts it. */

import { existsSync, readFileSync } from "node:fs";
import { contenderNames } from "./contenders.js";
import { inRounds } from "./rounds.js";
import { inTab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */

/** @typedef {{ idle: number, peak: number }} Peak in bytes: of the tab before the retrieval, and the most during it */

/** @param {Setting} setting */
export async function measurePeak(setting) {
  if (!existsSync("/proc/self/status")) {
    return undefined;
  }
  const { hasTable, options, note } = setting;
  return inRounds(contenderNames(hasTable), options.rounds, note, (name) => peakOf(setting, name));
}

/**
 * Without a warm-up, because the peak is that of a process from its start.
 * @param {Setting} setting
 * @param {ContenderName} name
 * @returns {Promise<Peak>}
 */
function peakOf({ browser, service, options }, name) {
  const chromium = /** @type {import("playwright-core").Browser} */ (/** @type {unknown} */ (browser));
  return inTab(browser, service.url, async (tab) => {
    const session = await chromium.newBrowserCDPSession();
    const idle = await residentOf(session, "VmRSS");
    await tab.call("retrieve", name, options.findings);
    const peak = await residentOf(session, "VmHWM");
    await session.detach();
    return { idle, peak };
  });
}

/**
 * The largest resident set of the browser's renderers: that of the tab, because it is the only one that is not empty.
 * @param {import("playwright-core").CDPSession} session
 * @param {"VmRSS" | "VmHWM"} field
 */
async function residentOf(session, field) {
  const { processInfo } = await session.send("SystemInfo.getProcessInfo");
  const renderers = processInfo.filter(({ type }) => type === "renderer");
  return Math.max(...renderers.map(({ id }) => residentOfProcess(id, field)));
}

/**
 * @param {number} id
 * @param {string} field
 */
function residentOfProcess(id, field) {
  const status = readFileSync(`/proc/${id}/status`, "utf8");
  const kilobytes = status.match(new RegExp(`^${field}:\\s+(\\d+) kB$`, "m"))?.[1];
  return Number(kilobytes) * 1024;
}
