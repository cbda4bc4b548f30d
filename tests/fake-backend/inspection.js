/** An inspection: the numbers of findings and partitions of each kind. */

/** @typedef {import("inspection-findings").FindingKind} FindingKind */
/** @typedef {{ partitions: number, findings: number }} FindingsSize */
/** @typedef {Record<FindingKind, FindingsSize>} Inspection */

/**
 * The number of findings in a partition. The sizes differ by at most one and add up to the total.
 * @param {FindingsSize} size
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
