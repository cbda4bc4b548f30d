// The counts of an inspection.

/** The counts of an inspection, for both kinds of findings. */
export interface PartitionCounts {
  /** Counts of the sentiment findings (`SentimentPartitions`, `SentimentFindings`). */
  sentiment: KindCounts;
  /** Counts of the topic findings (`TopicPartitions`, `TopicFindings`). */
  topics: KindCounts;
}

/** The counts of one kind of findings. */
export interface KindCounts {
  /** The number of partitions. Their indexes begin at 0. */
  partitions: number;
  /** The total number of findings in all partitions; null if the service reports none. */
  findings: number | null;
}
