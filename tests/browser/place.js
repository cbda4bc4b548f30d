/**
 * The package whose calls decode where the configuration says, unless they say otherwise: in a worker, in the page, or by default. The tests that import
 * it run in each place.
 */

import * as findings from "inspection-findings";
import { inject } from "vitest";

/** @typedef {import("inspection-findings").Options} Options */

const worker = /** @type {boolean | undefined} */ (inject(/** @type {never} */ ("inWorker")));

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
  worker === undefined ? findings.FindingsClient : ClientInPlace
);

/** @type {typeof findings.getPartitionCounts} */
export const getPartitionCounts = (key, options) => findings.getPartitionCounts(key, inPlace(options));

/** @type {typeof findings.getPartition} */
export const getPartition = (
  /** @type {any} */ key,
  /** @type {any} */ kind,
  /** @type {any} */ index,
  /** @type {any} */ options,
) => findings.getPartition(key, kind, index, inPlace(options));

/** @type {typeof findings.getFindings} */
export const getFindings = (/** @type {any} */ key, /** @type {any} */ kind, /** @type {any} */ options) =>
  findings.getFindings(key, kind, inPlace(options));

/** Adds the place to options. Wrong options stay as they are. @param {any} options */
function inPlace(options) {
  if (worker === undefined) return options;
  if (options === undefined) return { worker };
  if (typeof options !== "object" || options === null || "worker" in options) return options;
  return new Proxy(options, {
    has: (target, name) => name === "worker" || Reflect.has(target, name),
    get: (target, name) => (name === "worker" ? worker : Reflect.get(target, name)),
  });
}
