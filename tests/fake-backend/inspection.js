/** An inspection: how many findings of each kind it has, and in how many partitions. */

/** @typedef {import("./findings.js").FindingKind} FindingKind */
/** @typedef {{ partitions: number, findings: number }} Extent */
/** @typedef {Record<FindingKind, Extent>} Inspection */

/**
 * How many findings the partition holds. The sizes differ by one at most and add up to the total.
 * @param {Extent} extent
 * @param {number} index
 */
export function partitionSize({ partitions, findings }, index) {
  return Math.floor(((index + 1) * findings) / partitions) - Math.floor((index * findings) / partitions);
}

/**
 * The fields of an `InspectionFindingsResponse`.
 * @param {Inspection} inspection
 */
export function countsOf({ sentiment, topics }) {
  return {
    TopicPartitions: topics.partitions,
    TopicFindings: topics.findings,
    SentimentPartitions: sentiment.partitions,
    SentimentFindings: sentiment.findings,
    errors: /** @type {string[] | null} */ (null),
  };
}
