/** Decoding of bodies in memory, without a network. The same code runs in a page and in Node. */

import { countsOf } from "../../fake-backend/inspection.js";
import { threeColumns } from "../contenders.js";
import { makeBodies } from "../corpora.js";
import { rotated } from "../statistics.js";

/** @typedef {{ counts: string, bodies: ArrayBuffer[] }} Inspection */
/** @typedef {(inspection: Inspection) => Promise<{ readonly length: number, free?: () => void }>} Decoder */
/** @typedef {{ bytes: number, times: Record<string, number>[] }} Decoding */

/** @type {Record<string, Decoder>} */
const decoders = {
  parse: async ({ bodies }) => bodies.flatMap((body) => JSON.parse(new TextDecoder().decode(body)).Findings),
  getFindings: async (inspection) => {
    const { getFindings } = await import("inspection-findings");
    return getFindings(1, "sentiment", optionsFor(inspection));
  },
  loadTable: async (inspection) => {
    const { FindingsClient } = await import("inspection-findings");
    return new FindingsClient(optionsFor(inspection)).loadTable(1, "sentiment");
  },
  loadTableOfColumns: async (inspection) => {
    const { FindingsClient } = await import("inspection-findings");
    return new FindingsClient(optionsFor(inspection)).loadTable(1, "sentiment", { columns: threeColumns });
  },
};

/** No request is sent there. Node has no page whose URL could be the base. */
const baseUrl = "http://localhost/";

/**
 * The decoders' times in milliseconds, round by round.
 * @param {object} wanted
 * @param {string} wanted.corpus
 * @param {number} wanted.findings
 * @param {number} wanted.partitions
 * @param {number} wanted.rounds
 * @param {() => number} [now] a clock in milliseconds
 * @returns {Promise<Decoding>}
 */
export async function decode({ corpus, rounds, ...size }, now = () => performance.now()) {
  const { bodies, findings } = makeBodies(corpus, size);
  const counts = countsOf({
    sentiment: { findings, partitions: bodies.length },
    topics: { findings: 0, partitions: 0 },
  });
  const inspection = { counts: JSON.stringify(counts), bodies };
  /** @type {Record<string, number>[]} */
  const times = [];
  // The first round is the warm-up.
  for (let round = 0; round <= rounds; round++) {
    /** @type {Record<string, number>} */
    const time = {};
    for (const name of rotated(Object.keys(decoders), round)) {
      globalThis.gc?.();
      const begin = now();
      const result = await decoders[name](inspection);
      time[name] = now() - begin;
      if (result.length !== findings) {
        throw new Error(`${name} gave ${result.length} findings and not ${findings}`);
      }
      result.free?.();
    }
    times.push(time);
  }
  return { bytes: bodies.reduce((sum, { byteLength }) => sum + byteLength, 0), times: times.slice(1) };
}

/**
 * The options by which this thread decodes the bodies.
 * @param {Inspection} inspection
 */
function optionsFor(inspection) {
  return { baseUrl, fetch: answerFrom(inspection), worker: false };
}

/**
 * A `fetch` that responds from memory.
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
