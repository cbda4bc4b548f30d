// The error of everything that can fail after the arguments have been checked.

import type { FindingKind, InspectionFinding, Options } from "./inspection_findings.js";
import type { FindingsTable } from "./table.js";

/**
 * What failed:
 *
 * - `network`: the request was refused or the connection broke; or a `fetch` of the caller's gave no response
 * - `timeout`: an attempt outran `timeout`, or the call outran `totalTimeout`
 * - `http`: a status outside 200 to 299, or a redirect
 * - `unauthorized`: 401 or 403
 * - `service`: `errors` of an answer is neither null nor absent
 * - `decode`: an answer is not what the contract of the service says
 * - `too-large`: a body is longer than `maxPartitionBytes`
 * - `incomplete`: the number of findings received is not the total that the service gave, or a call that was to go on found other
 *   counts than before
 * - `partial`: some partitions could not be had by a call whose `failurePolicy` is `"collect"`
 * - `load`: the WebAssembly module could not be loaded or started
 * - `memory`: there is no memory for what was received, or the WebAssembly module has stopped for want of it; the next
 *   call starts it afresh
 */
export type FindingsErrorCode =
  | "network"
  | "timeout"
  | "http"
  | "unauthorized"
  | "service"
  | "decode"
  | "too-large"
  | "incomplete"
  | "partial"
  | "load"
  | "memory";

/** A partition that could not be had. */
export interface PartitionFailure {
  /** Its index. */
  readonly partitionIndex: number;
  /** Why. */
  readonly error: FindingsError;
}

/** Goes on with a call that could not get everything; gives what the call would have given. */
export type Resume = <Findings extends InspectionFinding[] | FindingsTable = InspectionFinding[]>(
  options?: Options,
) => Promise<Findings>;

/** What is known about a failure besides its code and message; each where it applies. */
export interface FindingsErrorDetails {
  readonly kind?: FindingKind;
  readonly inspectionKey?: number | bigint;
  readonly partitionIndex?: number;
  readonly status?: number;
  readonly attempts?: number;
  readonly messages?: readonly string[];
  readonly retryAfter?: number;
  readonly expected?: number;
  readonly received?: number;
  readonly findings?: InspectionFinding[];
  readonly table?: FindingsTable;
  readonly failures?: readonly PartitionFailure[];
  readonly resume?: Resume;
  readonly cause?: unknown;
}

/** A failure of a call, with its place and everything that is known about it. */
export class FindingsError extends Error {
  /** What failed. */
  declare readonly code: FindingsErrorCode;
  /** The kind of findings that was asked for. */
  declare readonly kind?: FindingKind;
  /** The inspection, as the caller gave it. */
  declare readonly inspectionKey?: number | bigint;
  /** The partition whose request failed. */
  declare readonly partitionIndex?: number;
  /** The HTTP status of the answer that failed. */
  declare readonly status?: number;
  /** Attempts made on the request that failed. */
  declare readonly attempts?: number;
  /**
   * What the service said about it (`errors` of the answer); empty where it said nothing. Of more than 16 KiB or 1000 messages
   * only the first are kept, and an ellipsis ends the last one.
   */
  readonly messages: readonly string[] = [];
  /** What the service asked for in `Retry-After`, in milliseconds. */
  declare readonly retryAfter?: number;
  /** The total that the service gave, for `incomplete`. */
  declare readonly expected?: number;
  /** The number of findings received, for `incomplete`. */
  declare readonly received?: number;
  /**
   * Findings that came along all the same: of the partition for `service`, all of them for `incomplete`, those of all partitions
   * that could be had for `partial` of `getFindings`, unless there was no memory for their rows.
   */
  declare readonly findings?: InspectionFinding[];
  /**
   * The findings that could be had, for `partial` of `loadTable`, unless there was no memory for the table; the caller frees
   * it.
   */
  declare readonly table?: FindingsTable;
  /**
   * The partitions that are missing, in the order of their indexes, for `partial`. After a `totalTimeout`, or when memory ran out, at
   * most 65 536 of those that the call did not come to are among them, and fewer where there is no memory to name them.
   */
  declare readonly failures?: readonly PartitionFailure[];
  /**
   * Goes on, for `partial`: reads the counts again, fails with `incomplete` if they have changed, gets only what is missing, and
   * resolves with all findings, as the call would have done (an array, or a {@link FindingsTable} for `loadTable`). If it fails, it
   * can be called again; what was received meanwhile is kept.
   *
   * @param options win over those of the call, whose signal stays unless another one is given
   */
  declare readonly resume?: Resume;

  constructor(code: FindingsErrorCode, message: string, { cause, ...details }: FindingsErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, details, { code });
  }

  static {
    Object.defineProperty(FindingsError.prototype, "name", {
      value: "FindingsError",
      configurable: true,
      writable: true,
    });
  }
}
