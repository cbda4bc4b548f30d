/** The inspection of the service under every key. The page knows it as well, and compares its results with it. */

import { createFakeService } from "inspection-findings/testing";

/** @typedef {import("inspection-findings").FindingKind} FindingKind */

/** The seed of key 0. With it, the encoded bodies of key 1 are such that each damage of the tests makes them undecodable. */
const firstSeed = 3;

/** The number of findings in each partition. */
export const findingsEach = 25;

/**
 * The options of the fake service under a key, which has findings of its own.
 * @param {number} partitions of each kind
 * @param {number} key
 */
export function optionsOf(partitions, key) {
  return { seed: firstSeed + key, ...inspectionOf(partitions) };
}

/**
 * The findings of one partition.
 * @param {number} partitionIndex
 * @param {{ kind?: FindingKind, key?: number }} [which]
 */
export function findingsOf(partitionIndex, { kind = "topics", key = 1 } = {}) {
  const service = createFakeService(optionsOf(partitionIndex + 1, key));
  return service.findings(kind).slice(-findingsEach);
}

/**
 * The findings of this number of partitions.
 * @param {number} partitions
 * @param {{ kind?: FindingKind, key?: number }} [which]
 */
export function allFindings(partitions, which) {
  return Array.from({ length: partitions }, (_, index) => findingsOf(index, which)).flat();
}

/**
 * The length of a partition's body in bytes, before any encoding.
 * @param {number} index
 */
export function bodyLength(index) {
  return new TextEncoder().encode(JSON.stringify({ Findings: findingsOf(index), errors: null })).length;
}

/**
 * The size of an inspection with this number of partitions of each kind.
 * @param {number} partitions
 */
function inspectionOf(partitions) {
  const extent = { partitions, findings: partitions * findingsEach };
  return { sentiment: extent, topics: extent };
}
