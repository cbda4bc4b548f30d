/** The package whose calls decode in one place unless they say otherwise: the tests of the default run in both places as well. */

import * as findings from "inspection-findings";
import { inject } from "vitest";

/** @typedef {import("inspection-findings").Options} Options */

const worker = /** @type {boolean} */ (inject(/** @type {never} */ ("inWorker")));

export * from "inspection-findings";

export class FindingsClient extends findings.FindingsClient {
  /** @param {Options} [options] */
  constructor(options) {
    super(inPlace(options));
  }
}

/**
 * @param {import("inspection-findings").InspectionKey} inspectionKey
 * @param {Options} [options]
 */
export function getPartitionCounts(inspectionKey, options) {
  return findings.getPartitionCounts(inspectionKey, inPlace(options));
}

/**
 * @param {import("inspection-findings").InspectionKey} inspectionKey
 * @param {import("inspection-findings").FindingKind} kind
 * @param {number} partitionIndex
 * @param {Options} [options]
 */
export function getPartition(inspectionKey, kind, partitionIndex, options) {
  return findings.getPartition(inspectionKey, kind, partitionIndex, inPlace(options));
}

/**
 * @param {import("inspection-findings").InspectionKey} inspectionKey
 * @param {import("inspection-findings").FindingKind} kind
 * @param {Options} [options]
 */
export function getFindings(inspectionKey, kind, options) {
  return findings.getFindings(inspectionKey, kind, inPlace(options));
}

/**
 * Adds the place to options. Wrong options stay as they are.
 * @param {Options | undefined} options
 */
function inPlace(options) {
  if (options === undefined) return { worker };
  if (typeof options !== "object" || options === null || "worker" in options) return options;
  return new Proxy(options, {
    has: (target, name) => name === "worker" || Reflect.has(target, name),
    get: (target, name) => (name === "worker" ? worker : Reflect.get(target, name)),
  });
}
