// The progress that a call reports.

import type { FindingsError } from "../error/error.js";

/** The progress of a call at one moment. */
export interface Progress {
  /** Number of partitions received. */
  readonly partitionsDone: number;
  /** Total number of partitions. */
  readonly partitions: number;
  /** Number of findings received. */
  readonly findingsDone: number;
  /** Total number of findings; null if the service reports none. */
  readonly findings: number | null;
  /** Size of the bodies of the partitions received, in bytes after decompression. */
  readonly bytes: number;
  /** Number of retries of all requests, the counts request included. */
  readonly retries: number;
}

/** The members of every change. */
interface InChange {
  /** The index of the partition; null for the counts. */
  readonly index: number | null;
  /** The number of the attempt, from 1: for `"requested"` and `"retrying"` the next one, otherwise the last one. */
  readonly attempt: number;
  /** The number of findings, once received; before that 0. */
  readonly findings: number;
  /** The size of the body in bytes, once received; before that 0. */
  readonly bytes: number;
}

/** A change without an error. One member for each state, so that each comparison narrows the type. */
interface WithoutError<State> extends InChange {
  /**
   * - `requested`: the first attempt begins
   * - `received`: the findings or counts are complete
   */
  readonly state: State;
  readonly error?: undefined;
  readonly delay?: undefined;
}

/** An attempt has failed, and another will follow. */
interface Retrying extends InChange {
  readonly state: "retrying";
  /** The error of the attempt that failed, without `findings`. */
  readonly error: FindingsError;
  /**
   * Milliseconds until the next attempt. It can begin later if the service asks the client to pause meanwhile, and earlier if the
   * browser was offline and is online again.
   */
  readonly delay: number;
}

/** An attempt has failed, and there will be no other. */
interface Failed extends InChange {
  readonly state: "failed";
  /** The error of the attempt, without `findings`. */
  readonly error: FindingsError;
  readonly delay?: undefined;
}

/**
 * A change of the state of a partition, or of the request for the counts. Check `state` to narrow the type: a `retrying` or `failed` partition has an
 * `error`.
 *
 * @example
 * const onPartition = (change: PartitionChange) => {
 *   if (change.state === "retrying") console.warn(change.error.message, `again in ${change.delay} ms`);
 * };
 */
export type PartitionChange = WithoutError<"requested"> | WithoutError<"received"> | Retrying | Failed;
