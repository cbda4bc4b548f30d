/** Rounds: measures everybody once in each, in turns, so that nobody is always first. */

import { medians, rotated } from "./statistics.js";

/**
 * @template {string} Name
 * @template {object} Figures
 * @param {readonly Name[]} names who is measured
 * @param {number} count the number of rounds
 * @param {(what: string) => void} note prints a message
 * @param {(name: Name) => Promise<Figures>} measure
 * @returns {Promise<{ medians: Record<Name, Figures>, rounds: Record<Name, Figures>[] }>} of each figure
 */
export async function inRounds(names, count, note, measure) {
  /** @type {Record<Name, Figures>[]} */
  const rounds = [];
  for (let round = 0; round < count; round++) {
    note(`round ${round + 1} of ${count}`);
    const figures = /** @type {Record<Name, Figures>} */ ({});
    for (const name of rotated([...names], round)) {
      figures[name] = await measure(name);
    }
    rounds.push(figures);
  }
  const entries = names.map((name) => [name, medians(rounds.map((figures) => /** @type {any} */ (figures[name])))]);
  return { medians: Object.fromEntries(entries), rounds };
}
