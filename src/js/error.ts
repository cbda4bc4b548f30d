// The error of everything that can fail after the arguments have been checked.

import type { FindingKind, InspectionFinding } from "./inspection_findings.js";

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
 * - `incomplete`: the number of findings received is not the total that the service gave
 * - `load`: the WebAssembly module could not be loaded or started
 * - `memory`: there is no memory for what was received
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
  | "load"
  | "memory";

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
  /** What the service said about it (`errors` of the answer); empty where it said nothing. */
  readonly messages: readonly string[] = [];
  /** What the service asked for in `Retry-After`, in milliseconds. */
  declare readonly retryAfter?: number;
  /** The total that the service gave, for `incomplete`. */
  declare readonly expected?: number;
  /** The number of findings received, for `incomplete`. */
  declare readonly received?: number;
  /** Findings that came along all the same: of the partition for `service`, all of them for `incomplete`. */
  declare readonly findings?: InspectionFinding[];

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
