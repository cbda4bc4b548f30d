/** The main thread's time for a table in a worker, with ten times the findings. */

import { DevTools } from "./devtools.js";
import { withService } from "./service.js";
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
export function measureGrowth(setting) {
  return withService(setting, async (service) => {
    /** @type {{ usual: number, large: number }[]} */
    const rounds = [];
    for (let round = 0; round < setting.options.rounds; round++) {
      setting.note(`round ${round + 1} of ${setting.options.rounds}`);
      rounds.push({ usual: await taskTime(setting, service, 1), large: await taskTime(setting, service, factor) });
    }
    return { ratio: median(rounds.map(({ usual, large }) => large / usual)), rounds };
  });
}

/**
 * @param {Setting} setting
 * @param {import("./service.js").Service} service
 * @param {number} times the findings
 */
function taskTime({ browser }, { url, findings }, times) {
  return inTab(browser, url, async (tab) => {
    await tab.call("warmUp", name, findings / 10);
    const { mainThread } = await new DevTools(browser, tab).traced(() => tab.call("retrieve", name, times * findings));
    return mainThread.taskTime;
  });
}
