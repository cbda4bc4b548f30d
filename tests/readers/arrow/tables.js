/** Tables in Node, loaded from a service in memory. */

import { FindingsClient } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { corpora, makeBodies } from "../../load/benchmark/corpora.ts";
import { scenarioOf } from "../../wire/service/bodies.js";
import { oddFindings } from "./streams.js";

/**
 * Bodies of partitions of all kinds of findings, by name.
 * @param {number} findings of each corpus
 * @returns {Record<string, string[]>}
 */
export function allBodies(findings) {
  const ofCorpora = Object.keys(corpora).map((name) => [
    name,
    makeBodies(name, { findings, partitions: 3 }).map(String),
  ]);
  const odd = Object.entries(oddFindings).map(([name, json]) => [name, [`{"Findings":${json}}`]]);
  return Object.fromEntries([...ofCorpora, ...odd]);
}

/**
 * Loads the table of an inspection with these partitions, as sentiment findings. The caller frees it.
 * @param {string[]} bodies
 * @param {{ columns?: string[] }} [options]
 * @returns {Promise<import("inspection-findings").FindingsTable<any>>}
 */
export async function load(bodies, options) {
  const { baseUrl, fetch } = createFakeService({ scenario: scenarioOf(bodies) });
  using client = new FindingsClient({ baseUrl, fetch });
  return await client.loadTable(42, "sentiment", options);
}
