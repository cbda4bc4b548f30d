/** The package whose calls use a worker unless they say otherwise: the tests of the page's mode run with it as well. */

import * as findings from "inspection-findings";
import { has } from "./engine.js";
import { addresses } from "./realm.js";

/** @typedef {import("inspection-findings").Options} Options */

/** Where the worker's script is: beside the package's own, or in an engine that runs only the shipped one, there. */
const worker = has("the worker's script from Vite's development server") || addresses.worker;

export * from "inspection-findings";

export class FindingsClient extends findings.FindingsClient {
  /** @param {Options} [options] */
  constructor(options) {
    super(inWorker(options));
  }
}

/**
 * @param {number | bigint} inspectionKey
 * @param {Options} [options]
 */
export function getPartitionCounts(inspectionKey, options) {
  return findings.getPartitionCounts(inspectionKey, inWorker(options));
}

/**
 * @param {number | bigint} inspectionKey
 * @param {import("inspection-findings").FindingKind} kind
 * @param {number} partitionIndex
 * @param {Options} [options]
 */
export function getPartition(inspectionKey, kind, partitionIndex, options) {
  return findings.getPartition(inspectionKey, kind, partitionIndex, inWorker(options));
}

/**
 * @param {number | bigint} inspectionKey
 * @param {import("inspection-findings").FindingKind} kind
 * @param {Options} [options]
 */
export function getFindings(inspectionKey, kind, options) {
  return findings.getFindings(inspectionKey, kind, inWorker(options));
}

/**
 * Adds the worker to options. Wrong options stay as they are.
 * @param {Options | undefined} options
 */
function inWorker(options) {
  if (options === undefined) return { worker };
  if (typeof options !== "object" || options === null || "worker" in options) return options;
  return new Proxy(options, {
    has: (target, name) => name === "worker" || Reflect.has(target, name),
    get: (target, name) => (name === "worker" ? worker : Reflect.get(target, name)),
  });
}
