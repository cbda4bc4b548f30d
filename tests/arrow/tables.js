/** Tables in Node, loaded over a `fetch` in memory. */

import { FindingsClient } from "inspection-findings";
import { corpora, makeBodies } from "../benchmark/corpora.js";
import { oddFindings } from "./streams.js";

/**
 * Bodies of partitions of all kinds of findings, by name.
 * @param {number} findings of each corpus
 * @returns {Record<string, string[]>}
 */
export function allBodies(findings) {
  const decoder = new TextDecoder();
  const ofCorpora = Object.keys(corpora).map((name) => {
    const { bodies } = makeBodies(name, { findings, partitions: 3 });
    return [name, bodies.map((body) => decoder.decode(body))];
  });
  const odd = Object.entries(oddFindings).map(([name, json]) => [name, [`{"Findings":${json}}`]]);
  return Object.fromEntries([...ofCorpora, ...odd]);
}

/**
 * Loads the table of an inspection with these partitions, as sentiment findings. The caller frees it.
 * @param {string[]} bodies
 * @returns {Promise<import("inspection-findings").FindingsTable<any>>}
 */
export async function load(bodies) {
  const counts = { SentimentPartitions: bodies.length, errors: null };
  const fetch = async (/** @type {string} */ href) => {
    const index = href.match(/Sentiment\/(\d+)$/)?.[1];
    const { buffer } = new TextEncoder().encode(index === undefined ? JSON.stringify(counts) : bodies[Number(index)]);
    return { status: 200, headers: new Headers(), arrayBuffer: async () => buffer };
  };
  using client = new FindingsClient({ baseUrl: "https://service.test/", fetch: /** @type {any} */ (fetch) });
  return await client.loadTable(42, "sentiment");
}
