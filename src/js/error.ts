// The error of everything that can fail once the arguments have been checked.

import type { FindingKind, InspectionFinding, Options } from "./inspection_findings.js";
import type { FindingsTable } from "./table.js";

/**
 * What failed:
 *
 * - `network`: the request was refused, the connection broke, or the caller's `fetch` returned no response; the message names
 *   the reason if the host gives one, such as `ENOTFOUND`
 * - `timeout`: an attempt exceeded `timeout`, or the call exceeded `totalTimeout`
 * - `http`: a status outside 200 to 299, or a redirect
 * - `unauthorized`: status 401 or 403
 * - `service`: the field `errors` of a response is neither null nor absent
 * - `decode`: a response does not follow the contract of the service
 * - `too-large`: a body is longer than `maxPartitionBytes`
 * - `incomplete`: the number of findings received is not the total, or the counts have changed before `resume()`
 * - `partial`: partitions are missing from a call whose `failurePolicy` is `"collect"`
 * - `load`: the WebAssembly module could not be loaded or started
 * - `memory`: memory ran out; if that stopped the WebAssembly module, the next call starts it again
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

/** A missing partition, and why it is missing. */
export interface PartitionFailure {
  /** The index of the partition. */
  readonly partitionIndex: number;
  /** The reason. */
  readonly error: FindingsError;
}

/**
 * Fetches the missing partitions of a call, and resolves with what the call would have resolved with: an array, or a
 * {@link FindingsTable} for `loadTable`.
 */
export type Resume = <Findings extends InspectionFinding[] | FindingsTable = InspectionFinding[]>(
  options?: Options,
) => Promise<Findings>;

/** The members of an error besides its code and message, each where it applies. */
export interface FindingsErrorDetails {
  readonly kind?: FindingKind;
  readonly inspectionKey?: number | bigint;
  readonly partitionIndex?: number;
  readonly url?: string;
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

/**
 * The error of a failed call. Members besides `code`, `message` and `messages` are present where they apply.
 *
 * No message or cause quotes the value of a header, and `findings`, `table` and `failures` are not enumerable, so an error is
 * safe to log.
 *
 * @example
 * try {
 *   await client.getFindings(42, "sentiment");
 * } catch (error) {
 *   if (!(error instanceof FindingsError)) throw error;
 *   console.error(error.code, error.partitionIndex, error.message);
 * }
 */
export class FindingsError extends Error {
  /** What failed. */
  declare readonly code: FindingsErrorCode;
  /** The kind of findings that the call requested. */
  declare readonly kind?: FindingKind;
  /** The inspection, as the caller gave it. */
  declare readonly inspectionKey?: number | bigint;
  /** The partition whose request failed. */
  declare readonly partitionIndex?: number;
  /** The address of the request that failed; without credentials, because `baseUrl` has none. */
  declare readonly url?: string;
  /** The HTTP status of the response that failed. */
  declare readonly status?: number;
  /** Number of attempts of the request that failed. */
  declare readonly attempts?: number;
  /**
   * The messages of the service (field `errors` of the response); empty if there are none. At most 1000 messages and
   * 16 KiB are kept; an ellipsis marks the cut.
   */
  readonly messages: readonly string[] = [];
  /** The `Retry-After` of the response, in milliseconds. */
  declare readonly retryAfter?: number;
  /** The total that the service announced, for `incomplete`. */
  declare readonly expected?: number;
  /** The number of findings received, for `incomplete`. */
  declare readonly received?: number;
  /**
   * The findings received in spite of the error: for `service` those of the partition, for `incomplete` all, for `partial`
   * of `getFindings` those of all partitions received. Absent if there is no memory for them.
   */
  declare readonly findings?: InspectionFinding[];
  /**
   * The findings of all partitions received, for `partial` of `loadTable`; the caller frees the table. Absent if there is
   * no memory for it.
   */
  declare readonly table?: FindingsTable;
  /**
   * The missing partitions in index order, for `partial`. After a `totalTimeout`, or if memory ran out, at most 65 536
   * unrequested partitions are listed, and fewer if memory is short.
   */
  declare readonly failures?: readonly PartitionFailure[];
  /**
   * Fetches the missing partitions, for `partial`, and resolves with all findings: an array, or a {@link FindingsTable} for
   * `loadTable`. Reads the counts again first, and rejects with code `incomplete` if they have changed. After a failure it
   * can be called again; the partitions received so far are kept.
   *
   * @param options win over those of the call; the call's `signal` stays in force unless there is another one here
   * @example
   * const findings = await client.getFindings(42, "topics", { failurePolicy: "collect" }).catch((error) => {
   *   if (error.code !== "partial") throw error;
   *   return error.resume({ retries: 10 });
   * });
   */
  declare readonly resume?: Resume;

  constructor(code: FindingsErrorCode, message: string, { cause, ...details }: FindingsErrorDetails = {}) {
    super(message, cause === undefined ? undefined : { cause });
    Object.assign(this, details, { code });
    // An error that is logged as JSON should not carry what respondents wrote.
    for (const name of ["findings", "table", "failures"]) {
      if (name in this) Object.defineProperty(this, name, { enumerable: false });
    }
  }

  static {
    Object.defineProperty(FindingsError.prototype, "name", {
      value: "FindingsError",
      configurable: true,
      writable: true,
    });
  }
}
