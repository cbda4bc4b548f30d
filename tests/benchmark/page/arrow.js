/** Arrow streams of the same findings: from the columns of a table, and from plain objects by apache-arrow. */

import { tableFromIPC, tableFromJSON, tableToIPC } from "apache-arrow";
import { toArrowIPC } from "inspection-findings/arrow";
import { rotated } from "../statistics.js";
import { contenders } from "./contenders.js";

/**
 * The times of all ways in milliseconds, round by round.
 * @param {object} wanted
 * @param {number} wanted.inspectionKey
 * @param {number} wanted.rounds
 */
export async function writeArrow({ inspectionKey, rounds }) {
  const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
  const findings = table.toArray();
  /** @type {{ way: string, write: () => Uint8Array }[]} */
  const ways = [
    { way: "toArrowIPC: table", write: () => toArrowIPC(table) },
    { way: "toArrowIPC: table, utf8", write: () => toArrowIPC(table, { strings: "utf8" }) },
    { way: "apache-arrow: objects", write: () => tableToIPC(tableFromJSON(findings), "stream") },
  ];
  /** @type {Record<string, number>[]} */
  const times = [];
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    /** @type {Record<string, number>} */
    const time = {};
    for (const { way, write } of rotated(ways, round)) {
      globalThis.gc?.();
      const begin = performance.now();
      const stream = write();
      time[way] = performance.now() - begin;
      if (round === 0 && tableFromIPC(stream).numRows !== findings.length) {
        throw new Error(`the stream of ${way} lacks findings`);
      }
    }
    times.push(time);
  }
  return times.slice(1);
}
