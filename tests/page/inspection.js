/** The default inspection of the tests: the same findings under every key and for both kinds. */

/** The most requests in flight by default. */
export const usualConcurrency = 8;

/** How many findings each partition has. */
const findingsEach = 2;

/** The counts of an inspection with this number of partitions of each kind. */
export function countsOf(/** @type {number} */ partitions) {
  const findings = partitions * findingsEach;
  return {
    TopicPartitions: partitions,
    TopicFindings: findings,
    SentimentPartitions: partitions,
    SentimentFindings: findings,
    errors: null,
  };
}

/**
 * The findings of a partition.
 * @param {number} index
 * @returns {any[]}
 */
export function findingsOf(index) {
  return Array.from({ length: findingsEach }, (_, number) => ({ Partition: index, Number: number }));
}

/** The findings of these partitions, one after the other. */
export function findingsOfAll(/** @type {Iterable<number>} */ indexes) {
  return Array.from(indexes, findingsOf).flat();
}

/** The findings of this number of partitions. */
export function allFindings(/** @type {number} */ partitions) {
  return findingsOfAll(upTo(partitions));
}

/** The indexes of this number of partitions. */
export function upTo(/** @type {number} */ count) {
  return Array.from({ length: count }, (_, number) => number);
}
