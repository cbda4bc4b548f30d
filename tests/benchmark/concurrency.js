/** The wall time of a retrieval by this package with several values of `concurrency`, beside the usual way. */

import { baseline } from "./contenders.js";
import { medians, rotated } from "./statistics.js";
import { inTab } from "./tab.js";

/** @typedef {import("./contenders.js").ContenderName} ContenderName */
/** @typedef {import("./run.js").Setting} Setting */

/** The values that a default may have. */
const values = [6, 7, 8, 9, 10];

/** @typedef {{ label: string, name: ContenderName, concurrency?: number }} Way */

/** @type {Way[]} */
const ways = [
  { label: baseline, name: baseline },
  ...values.flatMap((concurrency) =>
    /** @type {const} */ (["getFindings", "loadTable"]).map((name) => ({
      label: `${name}, concurrency ${concurrency}`,
      name,
      concurrency,
    })),
  ),
];

/**
 * @param {Setting} setting
 * @returns {Promise<{ medians: Record<string, number>, rounds: Record<string, number>[] }>} wall times in milliseconds
 */
export async function measureConcurrency({ browser, service, options, note }) {
  /** @type {Record<string, number>[]} */
  const rounds = [];
  for (let round = 0; round < options.rounds; round++) {
    note(`round ${round + 1} of ${options.rounds}`);
    /** @type {Record<string, number>} */
    const times = {};
    for (const { label, name, concurrency } of rotated(ways, round)) {
      const given = concurrency === undefined ? undefined : { concurrency };
      const { wallTime } = await inTab(browser, service.url, async (tab) => {
        await tab.call("warmUp", name, options.findings / 10);
        return tab.call("retrieve", name, options.findings, given);
      });
      times[label] = wallTime;
    }
    rounds.push(times);
  }
  return { medians: medians(rounds), rounds };
}
