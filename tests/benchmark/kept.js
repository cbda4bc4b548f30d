/** A table that is kept for the next visit: writing it, and opening it in a page that is new. */

import { withService } from "./service.js";
import { medians } from "./statistics.js";
import { inTab } from "./tab.js";

/** @typedef {import("./run.js").Setting} Setting */

/**
 * Times in milliseconds.
 * @typedef {object} Kept
 * @property {number} writing `toBytes`
 * @property {number} opening `fromBytes`
 * @property {number} toFirstChart from the beginning of the first `fromBytes` of a page to the end of the first `countBy`
 * @property {number} requests of the next visit
 * @property {number} bytes ÷ bytes of JSON
 */

/** How often a page writes or opens a table. */
const times = 3;

/**
 * @param {Setting} setting
 * @returns {Promise<Record<string, { medians: Kept, rounds: Kept[] }>>} by corpus
 */
export async function measureKept(setting) {
  /** @type {Record<string, { medians: Kept, rounds: Kept[] }>} */
  const measured = {};
  for (const corpus of setting.options.corpora) {
    const rounds = await withService(setting, (service) => measureRounds(setting, corpus, service), { corpus });
    measured[corpus] = { medians: medians(/** @type {any[]} */ (rounds)), rounds };
  }
  return measured;
}

/**
 * @param {Setting} setting
 * @param {string} corpus
 * @param {import("./service.js").Service} service
 */
async function measureRounds({ browser, options, note }, corpus, { url, findings }) {
  const { byteLength: json } = await inTab(browser, url, (tab) => tab.call("retrieve", "bytesOnly", findings));
  /** @type {Kept[]} */
  const rounds = [];
  while (rounds.length < options.rounds) {
    note(`${corpus}, round ${rounds.length + 1} of ${options.rounds}`);
    const round = await inTab(browser, url, async (tab) => {
      const { writing, byteLength } = await tab.call("keepTable", findings, times);
      await tab.visit(url);
      return { writing, ...(await tab.call("visitAgain", findings, times)), bytes: byteLength / json };
    });
    rounds.push(round);
  }
  return rounds;
}
