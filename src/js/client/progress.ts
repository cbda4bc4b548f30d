// The progress that a call reports.

import type { FindingsError } from "../error/error.js";

/** The progress of a call. */
export interface Progress {
  /** Number of partitions received. */
  partitionsDone: number;
  /** Total number of partitions. */
  partitions: number;
  /** Number of findings received. */
  findingsDone: number;
  /** Total number of findings; null if the service reports none. */
  findings: number | null;
  /** Size of the bodies of the partitions received, in bytes after decompression. */
  bytes: number;
  /** Number of retries of all requests, the counts request included. */
  retries: number;
  /**
   * With the option `growth: "append"`, if the counts differ from those of `from`: `"append"` once the call has kept
   * the earlier partitions, `"reload"` if it requests everything. Undefined until that is decided.
   */
  growth?: "append" | "reload" | undefined;
}

/** A change of the state of a partition, or of the request for the counts. */
export interface PartitionChange {
  /** The index of the partition; null for the counts. */
  index: number | null;
  /**
   * The new state: `"requested"` when the first attempt begins, `"retrying"` when an attempt has failed and another
   * will follow, `"received"` when the findings or counts are complete, `"failed"` when there will be no other attempt.
   */
  state: "requested" | "retrying" | "received" | "failed";
  /** The number of the attempt, from 1: for `"requested"` and `"retrying"` the next one, otherwise the last one. */
  attempt: number;
  /** The number of findings, once received; before that 0. */
  findings: number;
  /** The size of the body in bytes, once received; before that 0. */
  bytes: number;
  /** For `"retrying"` and `"failed"`: the error of the attempt that failed, without `findings`. */
  error?: FindingsError | undefined;
  /**
   * For `"retrying"`: milliseconds until the next attempt. It can begin later if the service asks the client to pause
   * meanwhile, and earlier if the browser was offline and is online again.
   */
  delay?: number | undefined;
}
