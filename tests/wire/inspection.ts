/** The inspection of the service. The page knows it as well, and compares its results with it. */

import { createFakeService } from "inspection-findings/testing";

/** With this seed, the encoded bodies are such that each damage of the tests makes them undecodable. */
const seed = 4;

/** The number of findings in each partition. */
export const findingsEach = 25;

/** The options of a fake service with this number of partitions of each kind. */
export function optionsOf(partitions: number) {
  const extent = { partitions, findings: partitions * findingsEach };
  return { seed, sentiment: extent, topics: extent };
}

/** The topic findings of one partition. */
export function findingsOf(index: number) {
  return allFindings(index + 1).slice(-findingsEach);
}

/** The topic findings of this number of partitions. */
export function allFindings(partitions: number) {
  return createFakeService(optionsOf(partitions)).findings("topics");
}

/** The length of a partition's body in bytes, before any encoding. */
export function bodyLength(index: number): number {
  return new TextEncoder().encode(JSON.stringify({ Findings: findingsOf(index), errors: null })).length;
}
