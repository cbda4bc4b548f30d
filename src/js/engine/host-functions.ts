// All that Rust calls. No entry throws, because an error would stop WebAssembly and every call with it: a page may lack
// a global or have replaced it, and may pass anything.

import { ownError } from "../error/call-stack.js";
import { ErrorClass } from "../error/error-class.js";
import * as cleanup from "../host/cleanup.js";
import * as clock from "../host/clock.js";
import * as credentials from "../host/credentials.js";
import { memberOf } from "../host/member.js";
import * as networkReason from "../host/network-reason.js";
import * as offline from "../host/offline.js";
import * as promises from "../host/promise.js";
import { Redaction } from "../host/redaction.js";
import * as yields from "../host/yield_now.js";
import * as findingLists from "../table/finding-lists.js";
import { PackedRows } from "../table/rows/packed-rows.js";
import type { Finding } from "../table/rows/row-layout.js";
import * as tables from "../table/table.js";
import type { KeptBody } from "../worker/body.js";
import { bytesOf, type Exchange } from "../worker/exchange.js";
import type { Decoded, Decoding } from "../worker/pool.js";
import { WorkerUse } from "../worker/worker-use.js";
import type { Groups } from "./engine.js";
import { FetchExchange } from "./fetch-exchange.js";

/** What a function has returned or thrown. */
interface Outcome {
  readonly isThrown: boolean;
  readonly value: unknown;
}

/** Packed rows from which findings are being built. */
interface RowsInUse {
  readonly bytes: Uint8Array;
  rows?: PackedRows;
  failure?: unknown;
}

const RESOLVED = Promise.resolve();

// The clock, chance, and the event loop.

/** Milliseconds since 1970. */
export const date = safe(0, clock.date);
/** Milliseconds since 1970 of a text; NaN if it is no date. */
export const parseDate = safe(Number.NaN, (text: string) => Date.parse(text));
/** Milliseconds on a clock that never goes back. */
export const now = safe(0, clock.now);
/** A random number from 0 to 1. */
export const random = safe(0.5, clock.random);
/** Resolves in a later task. */
export const yieldNow = safe(RESOLVED, yields.yieldNow);
export const startTimer = safe(undefined, cleanup.startTimer);
/** Resolves when the time has passed or the timer is cleared. */
export const timerOver = safe(RESOLVED, (timer: cleanup.Timer) => timer.over);
export const clearTimer = safe(undefined, (timer: cleanup.Timer) => timer.clear());
export const listen = caught(cleanup.listenUntilStop);
export const endListening = safe(undefined, (listener: cleanup.ListenerHandle) => listener.end());
/** A promise that settles like another, and whose rejection may stay unnoticed; undefined for any other value. */
export const promiseOf = safe(undefined, promises.promiseOf);

// Strings.

let encoder: TextEncoder | undefined;

/** Encodes a text as far as there is room. Writes the numbers of code units and of bytes to `counts`; false if the page has no encoder. */
export const encodeText = safe(false, (text: string, target: Uint8Array, counts: Uint32Array) => {
  encoder ??= new TextEncoder();
  const { read, written } = encoder.encodeInto(text, target);
  counts.set([read, written]);
  return true;
});

// The network, and the console.

export const isOffline = safe(false, offline.isOffline);
export const warn = safe(undefined, (message: string) => console.warn(message));

// Objects of the package: the settings of a call, and the head of a response.

/** The key of an inspection, given as a bigint or decimal digits; undefined if the page has replaced `BigInt`. */
// Of anything else that a page's own `BigInt` returns, `|` makes a bigint or an error.
export const inspectionOf = safe(undefined, (key: bigint | string) => BigInt(key) | 0n);

/** Whether a member of an object has this value. */
export const isMember = safe(false, (object: object, name: string, value: string) => memberOf(object, name) === value);
/** Writes the members of an object that are numbers or booleans. Their names are divided by spaces. */
export const writeNumbers = safe(undefined, (object: object, names: string, numbers: Float64Array) => {
  numbers.set(names.split(" ").map((name) => Number(memberOf(object, name))));
});

// Requests, and their responses.

/** Sends a request by the `fetch` of a call. */
export const sendRequest = safe(
  undefined,
  (send: (href: string, headers: Headers, signal: AbortSignal) => unknown, href: string, headers: Headers) =>
    new FetchExchange((signal) => send(href, headers, signal)),
);
/** Lets a worker send a request; undefined if the page has to. */
export const sendRequestInWorker = safe(undefined, (worker: WorkerUse, href: string, headers: Headers) =>
  worker.send(href, headers),
);
/** Resolves with the head of the response. */
export const responseHead = promised(({ head }: Exchange) => head);
/** Why the last promise of an exchange was rejected. */
export const exchangeFailure = safe(0, ({ failure }: Exchange) => failure);
/** Whether a worker keeps the body. */
export const isKept = safe(false, ({ kept }: Exchange) => kept !== undefined);
export const arrivesByTurns = safe(false, ({ arrivesByTurns }: Exchange) => arrivesByTurns);
/** Resolves with the next piece of the body; with undefined at its end. */
export const readPiece = promised((exchange: Exchange) => exchange.read());
/** Resolves with the whole body, once a worker has received it. */
export const keptBody = promised((exchange: Exchange) => exchange.kept?.() ?? rejected());
/** Cancels a request, unless its body has been read. */
export const endExchange = safe(undefined, (exchange: Exchange) => exchange.end());
/** Copies the beginning of a piece, as much as there is room for. */
export const copyPiece = caught((piece: Uint8Array, target: Uint8Array) => {
  target.set(piece.length === target.length ? piece : piece.subarray(0, target.length));
});

// Bodies that a worker or the page keeps.

export const bodyLength = safe(0, ({ length }: KeptBody) => length);
/** Resolves with the bytes of a body. */
export const bodyBytes = promised((body: KeptBody) => body.bytes());
/** Notes that the page no longer needs a body. */
export const dropBody = safe(undefined, (body: KeptBody) => body.drop());

// Workers.

export const useWorker = safe(
  undefined,
  (...parameters: ConstructorParameters<typeof WorkerUse>) => new WorkerUse(...parameters),
);
export const endWorkerUse = safe(undefined, (worker: WorkerUse) => worker.end());
/** Decodes a body that a worker or the page keeps. */
export const decodeKept = safe(undefined, (worker: WorkerUse, body: KeptBody) => worker.decode(body));
/** Decodes a body in the memory of the module; undefined if out of memory for a copy. */
export const decodeBytes = safe(undefined, (worker: WorkerUse, bytes: Uint8Array) => worker.decodeBytes(bytes));
/** Resolves with what the worker has returned. */
export const decodingResult = promised(({ result }: Decoding) => result);
export const cancelDecoding = safe(undefined, (decoding: Decoding) => decoding.cancel());
/** The packed findings; undefined if there are none. A caller's worker may post anything. */
export const decodedFindings = safe(undefined, ({ packed }: Decoded) => bytesOf(packed));
/** The body; undefined if the worker has lost it. */
export const decodedBody = safe(undefined, ({ body }: Decoded) => body);

// Errors.

export const makeError = safe(undefined, newError);
/** The error of a wrong argument. */
export const makeRangeError = safe(undefined, (message: string) => ownError(new RangeError(message)));
export const makeTypeError = safe(undefined, (message: string) => ownError(new TypeError(message)));
/** Why a request has failed, according to its cause; empty if the cause does not say. */
export const reasonOf = safe("", (cause: unknown) => String(networkReason.reasonOf(cause)));
/** The number of an advice about a request without a response, with this cause and to this URL; 0 for none. */
export const networkAdvice = safe(0, networkReason.adviceOf);
/** The number of what is wrong with the credentials in some headers; 0 for nothing. */
export const flawOfCredentials = safe(0, credentials.flawOfCredentials);
/** The redaction of the headers of some attempts; undefined if these cannot be read. */
export const makeRedaction = safe(
  undefined,
  (attempts: readonly Headers[], replacement: string) => new Redaction(attempts, replacement),
);
/** Whether a text may contain a secret of a header. */
export const quotesHeader = safe(true, (redaction: Redaction, text: string) => redaction.quotes(text));
/** A copy of a cause without the secrets of headers. */
export const redactedCause = safe(undefined, (redaction: Redaction, cause: unknown) => redaction.cause(cause));

// Tables and findings.

export const makeTable = caught(tables.tableFrom);
/** Creates a table from columns and the text about them; undefined if the text is malformed. */
export const makeTableAbout = safe(undefined, tables.tableAbout);
/** Copies groups out of the memory of the module; undefined if out of memory. */
export const makeGroups = safe(
  undefined,
  (
    grouping: number,
    keys: Uint32Array,
    counts: Uint32Array,
    numbers: Uint32Array,
    statistics: Float64Array,
    distinct: Uint32Array,
  ): Groups => ({
    grouping,
    keys: keys.slice(),
    counts: counts.slice(),
    numbers: numbers.slice(),
    statistics: statistics.slice(),
    distinct: distinct.slice(),
  }),
);
/** Copies a list in the memory of the module; undefined if out of memory. */
export const copyList = safe(undefined, (list: Uint8Array | Uint32Array | Int32Array) => list.slice());
/** Packed rows, of which nothing has been read. */
export const openPackedRows = safe(undefined, (bytes: Uint8Array): RowsInUse => ({ bytes }));
/** Appends findings, and returns true once all are appended; undefined if that has failed. */
export const appendPackedRows = safe(undefined, (inUse: RowsInUse, findings: Finding[], milliseconds: number) => {
  try {
    inUse.rows ??= new PackedRows(inUse.bytes);
    return inUse.rows.append(findings, milliseconds);
  } catch (reason) {
    inUse.failure = reason;
    throw reason;
  }
});
/** What was thrown when findings were appended. */
export const rowsFailure = safe(undefined, ({ failure }: RowsInUse) => failure);
/** Joins lists of findings. */
export const joinFindings = caught(findingLists.joined);

/** Not within an entry: Node prints the line that makes an uncaught error, and a build joins the entries in one. */
function newError(code: string, message: string, details: Record<string, unknown>): unknown {
  return new ErrorClass(code, message, details);
}

/**
 * Returns a function that returns `fallback` where `call` throws.
 */
/* @__NO_SIDE_EFFECTS__ */
function safe<Parameters extends unknown[], Result, Fallback>(
  fallback: Fallback,
  call: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result | Fallback {
  return (...parameters) => {
    try {
      return call(...parameters);
    } catch {
      return fallback;
    }
  };
}

/**
 * Returns a function that returns the promise that `call` returns, or a rejected one.
 */
/* @__NO_SIDE_EFFECTS__ */
function promised<Parameters extends unknown[], Result>(
  call: (...parameters: Parameters) => Promise<Result>,
): (...parameters: Parameters) => Promise<Result> {
  return (...parameters) => {
    try {
      return call(...parameters);
    } catch {
      return rejected();
    }
  };
}

/**
 * The result of a function whose promise cannot be made. It is not made in advance: an error that a script throws or makes while it is
 * evaluated costs an engine a second parse of the whole script, for the position.
 */
async function rejected(): Promise<never> {
  throw new TypeError("this page has replaced what the package needs");
}

/**
 * Returns a function that returns what `call` returns or throws.
 */
/* @__NO_SIDE_EFFECTS__ */
function caught<Parameters extends unknown[]>(
  call: (...parameters: Parameters) => unknown,
): (...parameters: Parameters) => Outcome {
  return (...parameters) => {
    try {
      return { isThrown: false, value: call(...parameters) };
    } catch (value) {
      return { isThrown: true, value };
    }
  };
}
