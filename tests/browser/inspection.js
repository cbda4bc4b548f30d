/** The default inspection of the tests: the same findings under every key and for both kinds. */

/** The most requests in flight by default. */
export const usualConcurrency = 8;

/** How many findings each partition has. */
const findingsEach = 2;

/**
 * The counts of an inspection with this number of partitions of each kind.
 * @param {number} partitions
 */
export function countsOf(partitions) {
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

/**
 * The findings of these partitions, one after the other.
 * @param {Iterable<number>} indexes
 */
export function findingsOfAll(indexes) {
  return Array.from(indexes, findingsOf).flat();
}

/**
 * The findings of this number of partitions.
 * @param {number} partitions
 */
export function allFindings(partitions) {
  return findingsOfAll(upTo(partitions));
}

/**
 * The indexes of this number of partitions.
 * @param {number} count
 */
export function upTo(count) {
  return Array.from({ length: count }, (_, number) => number);
}
