/** The main thread's time for a table in a worker, with ten times the findings. */

import { DevTools } from "./devtools.js";
import { median } from "./statistics.js";
import { inTab } from "./tab.js";

/** @typedef {import("./run.js").Setting} Setting */

/** How many times the findings of a retrieval. */
const factor = 10;

const name = "loadTableInWorker";

/**
 * @param {Setting} setting
 * @returns {Promise<{ ratio: number | undefined, rounds: { usual: number, large: number }[] }>} the time of the main thread with ten times the findings
 * ÷ that of a retrieval, and both in milliseconds
 */
export async function measureGrowth(setting) {
  /** @type {{ usual: number, large: number }[]} */
  const rounds = [];
  for (let round = 0; round < setting.options.rounds; round++) {
    setting.note(`round ${round + 1} of ${setting.options.rounds}`);
    const { findings } = setting.options;
    rounds.push({ usual: await taskTime(setting, findings), large: await taskTime(setting, factor * findings) });
  }
  return { ratio: median(rounds.map(({ usual, large }) => large / usual)), rounds };
}

/**
 * @param {Setting} setting
 * @param {number} findings
 */
function taskTime({ browser, service, options }, findings) {
  return inTab(browser, service.url, async (tab) => {
    const devTools = await DevTools.of(browser, tab);
    await tab.call("warmUp", name, options.findings / 10);
    const { mainThread } = await devTools.traced(() => tab.call("retrieve", name, findings));
    return mainThread.taskTime;
  });
}
