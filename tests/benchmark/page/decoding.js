/** Decoding of bodies in memory, without a network. The same code runs in a page and in Node. */

import { threeColumns } from "../contenders.js";
import { makeBodies } from "../corpora.js";
import { timeWays } from "../statistics.js";

/**
 * The size of the bodies and the decoders' times, round by round.
 * @param {{ corpus: string, findings: number, partitions: number, rounds: number }} wanted
 * @returns {Promise<Record<string, number[]>>}
 */
export async function decode({ corpus, rounds, ...size }) {
  const { FindingsClient } = await import("inspection-findings");
  const { bodies, findings } = makeBodies(corpus, size);
  const counts = { SentimentPartitions: bodies.length, SentimentFindings: findings };
  const countsBody = encode({ ...counts, TopicPartitions: 0, TopicFindings: 0, errors: null });
  /** A `fetch` that responds from memory. Node has no page whose URL could be the base. */
  const fetch = async (/** @type {string} */ href) => {
    const index = href.match(/\/Sentiment\/(\d+)$/)?.[1];
    const body = index === undefined ? countsBody : bodies[Number(index)];
    return /** @type {any} */ ({ status: 200, headers: new Headers(), arrayBuffer: async () => body });
  };
  const newClient = () => new FindingsClient({ baseUrl: "http://localhost/", fetch, worker: false });
  const times = await timeWays(
    /** @type {Record<string, () => any>} */ ({
      "parse ms": () => bodies.flatMap((body) => JSON.parse(new TextDecoder().decode(body)).Findings),
      "table ms": () => newClient().loadTable(1, "sentiment"),
      "objects ms": () => newClient().getFindings(1, "sentiment"),
      "three columns ms": () => newClient().loadTable(1, "sentiment", { columns: threeColumns }),
    }),
    rounds,
    (result, way) => {
      if (result.length !== findings) throw new Error(`${way}: ${result.length} findings and not ${findings}`);
      result.free?.();
    },
  );
  const entries = Object.entries(times).map(([way, { ms }]) => [way, ms]);
  const megabytes = bodies.reduce((sum, { byteLength }) => sum + byteLength, 0) / 1e6;
  return { MB: [megabytes], ...Object.fromEntries(entries) };
}

/** @param {object} value */
function encode(value) {
  return new TextEncoder().encode(JSON.stringify(value)).buffer;
}
