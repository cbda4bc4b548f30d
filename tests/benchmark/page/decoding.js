/** Decoding of bodies in memory, without the network. */

import { rotated } from "../statistics.js";
import { countsPath, getBodies, getJson } from "./contenders.js";

/** @typedef {{ counts: string, bodies: ArrayBuffer[] }} Inspection */
/** @typedef {(inspection: Inspection) => Promise<{ readonly length: number, free?: () => void }>} Decoder */

/** @type {Record<string, Decoder>} */
const decoders = {
  parse: async ({ bodies }) => bodies.flatMap((body) => JSON.parse(new TextDecoder().decode(body)).Findings),
  getFindings: async (inspection) => {
    const { getFindings } = await import("inspection-findings");
    return getFindings(1, "sentiment", { fetch: answerFrom(inspection) });
  },
  loadTable: async (inspection) => {
    const { FindingsClient } = await import("inspection-findings");
    /** @type {any} Only newer builds have tables, and this compares builds. */
    const client = new FindingsClient({ fetch: answerFrom(inspection) });
    return client.loadTable(1, "sentiment");
  },
};

/**
 * The decoders' times in milliseconds, round by round.
 * @param {object} wanted
 * @param {number} wanted.inspectionKey
 * @param {number} wanted.rounds
 * @param {string[]} wanted.names of the decoders
 */
export async function decode({ inspectionKey, rounds, names }) {
  const counts = await getJson(countsPath(inspectionKey));
  const bodies = await getBodies(inspectionKey, counts.SentimentPartitions);
  const inspection = { counts: JSON.stringify(counts), bodies };
  /** @type {Record<string, number>[]} */
  const times = [];
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    /** @type {Record<string, number>} */
    const time = {};
    for (const name of rotated(names, round)) {
      globalThis.gc?.();
      const begin = performance.now();
      const result = await decoders[name](inspection);
      time[name] = performance.now() - begin;
      if (result.length !== inspectionKey) {
        throw new Error(`${name} gave ${result.length} findings and not ${inspectionKey}`);
      }
      result.free?.();
    }
    times.push(time);
  }
  return { bytes: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0), times: times.slice(1) };
}

/**
 * A service in memory, in place of `fetch`.
 * @param {Inspection} inspection
 */
function answerFrom({ counts, bodies }) {
  const countsBody = new TextEncoder().encode(counts).buffer;
  return async (/** @type {string} */ href) => {
    const index = href.match(/\/Sentiment\/(\d+)$/)?.[1];
    const body = index === undefined ? countsBody : bodies[Number(index)];
    return /** @type {any} */ ({ status: 200, headers: new Headers(), arrayBuffer: async () => body });
  };
}
