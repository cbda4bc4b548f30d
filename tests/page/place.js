/** The package, whose calls decode in a worker where the configuration says so, unless they say otherwise. The tests that import it run in both. */

import * as findings from "inspection-findings";
import { inject } from "vitest";

/** @typedef {import("inspection-findings").Options} Options */

const inWorker = inject(/** @type {never} */ ("inWorker")) === true;

export * from "inspection-findings";

/** @extends {findings.FindingsClient<any>} */
class ClientInPlace extends findings.FindingsClient {
  /** @param {Options} [options] */
  constructor(options) {
    super(inPlace(options));
  }
}

/** @typedef {findings.FindingsClient} FindingsClient */
export const FindingsClient = /** @type {typeof findings.FindingsClient} */ (
  inWorker ? ClientInPlace : findings.FindingsClient
);

export const getPartitionCounts = callInPlace(findings.getPartitionCounts, 1);
export const getPartition = callInPlace(findings.getPartition, 3);
export const getFindings = callInPlace(findings.getFindings, 2);

/**
 * Adds the place to the options of a call.
 * @template {(...parameters: any[]) => unknown} Call
 * @param {Call} call
 * @param {number} position of the options
 */
function callInPlace(call, position) {
  const placed = (/** @type {any[]} */ ...parameters) =>
    call(...parameters.slice(0, position), inPlace(parameters[position]));
  return /** @type {Call} */ (placed);
}

/** Adds the place to options. @param {any} options */
function inPlace(options) {
  return inWorker ? { worker: true, ...options } : options;
}
