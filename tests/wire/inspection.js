/** The inspection of the service under every key. The page knows it as well, and compares its results with it. */

import { makeFindings } from "../fake-backend/findings.js";

/** @typedef {import("../fake-backend/findings.js").FindingKind} FindingKind */

/** The seed of the findings. */
export const seed = 4;

/** The number of findings in each partition. */
export const findingsEach = 25;

/**
 * The size of an inspection with this number of partitions of each kind.
 * @param {number} partitions
 */
export function inspectionOf(partitions) {
  const extent = { partitions, findings: partitions * findingsEach };
  return { sentiment: extent, topics: extent };
}

/**
 * The findings of one partition.
 * @param {number} partitionIndex
 * @param {{ kind?: FindingKind, key?: number }} [which]
 */
export function findingsOf(partitionIndex, { kind = "topics", key = 1 } = {}) {
  return makeFindings({ seed, inspectionKey: String(key), kind, partitionIndex, count: findingsEach });
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
