/** The inspection that the service on the wire has under every key; the page knows it as well, so that it can tell what is right. */

import { makeFindings } from "../fake-backend/findings.js";

/** @typedef {import("../fake-backend/findings.js").FindingKind} FindingKind */

/** What the findings are made from. */
export const seed = 4;

/** How many findings each partition has. */
export const findingsEach = 25;

/**
 * The size of an inspection with that many partitions of each kind.
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
 * The findings of that many partitions.
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
