// The error for every failure after the arguments have been checked, with the members that each code has.

import type { FindingsOptions } from "../client/options.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { ErrorClass } from "./error-class.js";

/**
 * The code of a {@link FindingsError}, which says what failed:
 *
 * - `network`: the request was refused, the connection broke, or the caller's `fetch` threw or returned no response;
 *   the message names the reason if there is one, such as `ENOTFOUND`
 * - `timeout`: an attempt exceeded `timeout`, or the call exceeded `totalTimeout`
 * - `http`: a status outside 200 to 299, 204 to 206, a redirect, or 403 with `Retry-After`
 * - `unauthorized`: status 401, or 403 without `Retry-After`
 * - `service`: a response with a status of 200 to 299 has `errors`
 * - `decode`: a response does not follow the contract of the service
 * - `too-large`: a body is longer than `maxPartitionBytes`
 * - `incomplete`: the number of findings received is not the total, or the counts have changed before `resume()`
 * - `partial`: partitions are missing from a call whose `failurePolicy` is `"collect"`
 * - `bytes`: `FindingsTable.fromBytes` cannot open the bytes; `reason` says why
 * - `load`: the `.wasm` file, or the worker, could not be loaded or started
 * - `memory`: out of memory, or the worker or WebAssembly has stopped; the next call starts them again
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
  | "bytes"
  | "load"
  | "memory";

/** A missing partition, and why it is missing. */
export interface PartitionFailure<Finding = InspectionFinding> {
  /** The index of the partition. */
  readonly partitionIndex: number;
  /** The reason. */
  readonly error: FindingsError<Finding>;
}

/**
 * Fetches the missing partitions of a call, and resolves with the whole result.
 *
 * @example
 * let resume: Resume<FindingsTable> | undefined;
 * try {
 *   await client.loadTable(42, "topics", { failurePolicy: "collect" });
 * } catch (error) {
 *   if (error instanceof FindingsError && error.code === "partial" && error.table) resume = error.resume;
 * }
 * const table = await resume?.({ retries: 10 });
 */
export type Resume<Result> = (options?: FindingsOptions) => Promise<Result>;

/** The members of an error besides its code and message. Members that you leave out are absent. */
export interface FindingsErrorDetails {
  readonly kind?: FindingKind | undefined;
  readonly inspectionKey?: InspectionKey | undefined;
  readonly partitionIndex?: number | undefined;
  readonly url?: string | undefined;
  readonly status?: number | undefined;
  readonly attempts?: number | undefined;
  readonly messages?: readonly string[] | undefined;
  readonly retryAfter?: number | undefined;
  readonly requestId?: string | undefined;
  readonly expected?: number | undefined;
  readonly received?: number | undefined;
  readonly findings?: InspectionFinding[] | undefined;
  readonly table?: FindingsTable | undefined;
  readonly failures?: readonly PartitionFailure[] | undefined;
  readonly resume?: Resume<InspectionFinding[]> | Resume<FindingsTable> | undefined;
  readonly reason?: BytesReason | undefined;
  readonly cause?: unknown;
}

/**
 * Why `fromBytes` rejects the bytes:
 *
 * - `foreign`: they are something else
 * - `version`: another version of the package wrote them
 * - `truncated`: the end is missing
 * - `damaged`: bytes have changed
 */
export type BytesReason = "foreign" | "version" | "truncated" | "damaged";

/** The members that an error of any code may have. */
interface AnyFindingsError<Code extends FindingsErrorCode> extends Error {
  /** The code, which says what failed. */
  readonly code: Code;
  /** The kind of findings that the call requested. */
  readonly kind?: FindingKind;
  /** The inspection, as the caller passed it. */
  readonly inspectionKey?: InspectionKey;
  /** The partition whose request failed. */
  readonly partitionIndex?: number;
  /** The URL of the request that failed; without credentials, because `baseUrl` has none. Absent if it contains a secret of a header. */
  readonly url?: string;
  /** The HTTP status of the response that failed. */
  readonly status?: number;
  /** Number of attempts of the request that failed. */
  readonly attempts?: number;
  /**
   * The messages of the service: the texts in the field `errors` of the response, and for other statuses than 200 also
   * those of problem details; empty if there are none. An element of `errors` without a text is its JSON. At most 1000 messages and 16 KiB are kept; an ellipsis marks
   * the cut. A note replaces a message that contains a secret of a request header.
   */
  readonly messages: readonly string[];
  /** The `Retry-After` of the response, in milliseconds. */
  readonly retryAfter?: number;
  /**
   * The id that the service gave the request, for its operators: the first of the headers `x-request-id`, `request-id` and `x-correlation-id` that the
   * last response has, at most 200 characters. A note replaces an id that contains a secret of a request header. A page sees these headers of another
   * origin only if the service exposes them (`Access-Control-Expose-Headers`).
   */
  readonly requestId?: string;
  /** For code `bytes`: what is wrong with the bytes. */
  readonly reason?: BytesReason;
  /** A copy of the error that `fetch` rejected with: its name, message, code, stack and cause. */
  readonly cause?: unknown;
  /**
   * Returns the error for `JSON.stringify`: its `name`, `message` and other members, at most 10 of its `failures`, and
   * its `cause`, but no findings. A bigint becomes text. Never throws.
   */
  toJSON(): FindingsErrorJSON<Code>;
}

/** A `FindingsError` as JSON. */
export interface FindingsErrorJSON<Code extends FindingsErrorCode = FindingsErrorCode> {
  readonly name: string;
  readonly message: string;
  readonly code: Code;
  readonly [member: string]: unknown;
}

/** The members that the errors of a code never have. */
type Absent<Names extends string> = { readonly [Name in Names]?: undefined };

/** The codes of errors about a request that was sent. */
type RequestCode = "network" | "http" | "unauthorized" | "service" | "decode" | "too-large";

/** The members that every error of a code has. Of several codes, the members of all. */
type Needed<Code extends FindingsErrorCode> = If<Code, RequestCode, { readonly attempts: number }> &
  If<Code, "http" | "unauthorized", { readonly status: number }> &
  If<Code, "incomplete", { readonly received: number }> &
  If<Code, "partial", Required<Pick<FindingsErrorDetails, "failures" | "resume">>> &
  If<Code, "bytes", { readonly reason: BytesReason }>;

type If<Code, Some, Members> = [Extract<Code, Some>] extends [never] ? unknown : Members;

/** The last argument of the constructor: optional for a code whose errors need no details. */
export type NeededDetails<Code extends FindingsErrorCode, Details = FindingsErrorDetails> =
  unknown extends Needed<Code> ? [details?: Details] : [details: Details & Needed<Code>];

/** The arguments of the constructor for any code. */
type AnyArguments = {
  [Code in FindingsErrorCode]: [code: Code, message: string, ...details: NeededDetails<Code>];
}[FindingsErrorCode];

/** An error without findings. */
interface PlainError<Code extends FindingsErrorCode>
  extends AnyFindingsError<Code>,
    Absent<"expected" | "received" | "findings" | "table" | "failures" | "resume"> {}

/** The error of a response that reports errors. */
interface ServiceError<Finding>
  extends AnyFindingsError<"service">,
    Absent<"expected" | "received" | "table" | "failures" | "resume"> {
  /** The findings of the partition, if the response has any besides the errors. */
  readonly findings?: Finding[];
}

/** The error of a call whose number of findings differs from the total. */
interface IncompleteError<Finding> extends AnyFindingsError<"incomplete">, Absent<"failures" | "resume"> {
  /** The total that the service reported; absent if the service no longer reports one at `resume()`. */
  readonly expected?: number;
  /** The number of findings received. */
  readonly received: number;
  /** For `getFindings`: all findings received. Absent if the counts changed before `resume()`. */
  readonly findings?: Finding[];
  /** For `loadTable` and `watchTable`: all findings received; the caller frees the table. Absent if the counts changed before `resume()`. */
  readonly table?: FindingsTable<Finding>;
}

/** The error of a call with `failurePolicy: "collect"` that lacks partitions. */
interface CollectError<Finding, Result> extends AnyFindingsError<"partial">, Absent<"expected" | "received"> {
  /**
   * The missing partitions in index order. After a `totalTimeout`, or if memory ran out, at most 1 000 of the
   * partitions that have not failed are listed, and fewer if memory is short.
   */
  readonly failures: readonly PartitionFailure<Finding>[];
  /**
   * Fetches the missing partitions, and resolves with all findings: an array for `getFindings`, a {@link FindingsTable}
   * for `loadTable`. Reads the counts again first, and rejects with code `incomplete` if they have changed: start a new
   * call. After any other failure you can call it again; the partitions received so far are kept.
   *
   * @param options override the options of the call; without a `signal` here, the call's `signal` stays in force
   */
  readonly resume: Resume<Result>;
}

/** The `partial` error of `getFindings`. */
export interface PartialFindingsError<Finding> extends CollectError<Finding, Finding[]>, Absent<"table"> {
  /** The findings of all partitions received. Absent if there is no memory for them. */
  readonly findings?: Finding[];
}

/** The `partial` error of `loadTable` and `watchTable`. */
export interface PartialTableError<Finding> extends CollectError<Finding, FindingsTable<Finding>>, Absent<"findings"> {
  /** The findings of all partitions received; the caller frees the table. Absent if there is no memory for it. */
  readonly table?: FindingsTable<Finding>;
}

/** The error of bytes that `fromBytes` rejects. */
interface BytesError extends PlainError<"bytes"> {
  /** What is wrong with the bytes. */
  readonly reason: BytesReason;
}

/** The error of a code. */
type ErrorOf<Code extends FindingsErrorCode, Finding> = Code extends "service"
  ? ServiceError<Finding> & Needed<Code>
  : Code extends "incomplete"
    ? IncompleteError<Finding>
    : Code extends "partial"
      ? PartialFindingsError<Finding> | PartialTableError<Finding>
      : Code extends "bytes"
        ? BytesError
        : PlainError<Code> & Needed<Code>;

/**
 * The error of a failed call. Its `code` says what failed. `code`, `message` and `messages` are always present, other
 * members if they apply. A `partial` error has `findings` or `table`, depending on the call: check one of them to
 * narrow the type of `resume()`, too.
 *
 * You can log it: the package never puts secrets of headers, such as tokens, in messages, URLs or causes. `findings`,
 * `table`, `failures` and `resume` are not enumerable, and `JSON.stringify` includes the message, but no findings. `instanceof` also recognizes
 * errors of the package's other entries and of other copies of the package.
 *
 * @example
 * try {
 *   await client.getFindings(42, "sentiment");
 * } catch (error) {
 *   if (!(error instanceof FindingsError)) throw error;
 *   console.error(error.code, error.partitionIndex, error.message);
 * }
 *
 * @example
 * const table = await client.loadTable(42, "topics", { failurePolicy: "collect" }).catch((error: unknown) => {
 *   if (!(error instanceof FindingsError) || error.code !== "partial" || !error.table) throw error;
 *   console.log(`${error.table.length} findings so far`);
 *   error.table.free();
 *   return error.resume({ retries: 10 });
 * });
 */
export type FindingsError<Finding = InspectionFinding> = ErrorOf<FindingsErrorCode, Finding>;

/** The class of {@link FindingsError}. For tests: an error that you construct has only the members that you pass. */
export interface FindingsErrorConstructor {
  new <Code extends FindingsErrorCode>(
    code: Code,
    message: string,
    ...details: NeededDetails<Code>
  ): ErrorOf<Code, InspectionFinding>;
  /** For a class that extends it. */
  new (...parameters: AnyArguments): AnyFindingsError<FindingsErrorCode>;
  readonly prototype: AnyFindingsError<FindingsErrorCode>;
  /** Recognizes the errors of every copy of the package; of a class that extends it, only its own instances. */
  [Symbol.hasInstance]<Class extends { readonly prototype: unknown }>(
    this: Class,
    value: unknown,
  ): value is AnyFindingsError<FindingsErrorCode> extends Class["prototype"] ? FindingsError : Class["prototype"];
}

export const FindingsError = ErrorClass as unknown as FindingsErrorConstructor;
