/** The inspection of the service. The page knows it as well, and compares its results with it. */

import { createFakeService } from "inspection-findings/testing";

/** With this seed, the encoded bodies are such that each damage of the tests makes them undecodable. */
const seed = 4;

/** The number of findings in each partition. */
export const findingsEach = 25;

/**
 * The options of a fake service with this number of partitions of each kind.
 * @param {number} partitions
 */
export function optionsOf(partitions) {
  const extent = { partitions, findings: partitions * findingsEach };
  return { seed, sentiment: extent, topics: extent };
}

/**
 * The topic findings of one partition.
 * @param {number} index
 */
export function findingsOf(index) {
  return allFindings(index + 1).slice(-findingsEach);
}

/**
 * The topic findings of this number of partitions.
 * @param {number} partitions
 */
export function allFindings(partitions) {
  return createFakeService(optionsOf(partitions)).findings("topics");
}

/**
 * The length of a partition's body in bytes, before any encoding.
 * @param {number} index
 */
export function bodyLength(index) {
  return new TextEncoder().encode(JSON.stringify({ Findings: findingsOf(index), errors: null })).length;
}
