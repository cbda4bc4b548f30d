// All that Rust calls. No entry throws, because an error would stop WebAssembly and every call with it: a page may lack
// a global or have replaced it, and may pass anything.

import { ownError } from "../error/call-stack.js";
import { ErrorClass } from "../error/error-class.js";
import * as clock from "../host/clock.js";
import * as credentials from "../host/credentials.js";
import { memberOf, orUndefined } from "../host/member.js";
import { inMicrotask, nowOrSoon } from "../host/microtask.js";
import * as networkReason from "../host/network-reason.js";
import * as offline from "../host/offline.js";
import * as promises from "../host/promise.js";
import { Redaction } from "../host/redaction.js";
import * as slice from "../host/slice.js";
import * as findingLists from "../table/finding-lists.js";
import type { Origin } from "../table/origin.js";
import type { Finding } from "../table/rows/row-layout.js";
import * as tables from "../table/table.js";
import type { Columns, Groups } from "./engine.js";
import type { Performer } from "./performer.js";

/** What a function has returned or thrown. */
interface Outcome {
  readonly isThrown: boolean;
  readonly value: unknown;
}

// The clock, chance, and the event loop.

/** Milliseconds since 1970. */
export const date = safe(0, clock.date);
/** Milliseconds since 1970 of a text; NaN if it is no date. */
export const parseDate = safe(Number.NaN, (text: string) => Date.parse(text));
/** A random number from 0 to 1. */
export const random = safe(0.5, clock.random);
/** A promise to wait for if the time slice is used up; undefined if it is not. */
export const pause = safe(undefined, slice.pause);
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

// The network.

export const isOffline = safe(false, offline.isOffline);

// Objects of the package: the settings of a call, and the head of a response.

/** Writes the key of an inspection, given as a bigint or decimal digits: its low and its high word. False if the page has replaced `BigInt`. */
export const writeInspection = safe(false, (key: bigint | string, words: Uint32Array) => {
  // Of anything else that a page's own `BigInt` returns, `|` makes a bigint or an error.
  const value = BigInt(key) | 0n;
  words.set([Number(value & 0xffffffffn), Number(value >> 32n)]);
  return true;
});

/**
 * Writes the members of an object that are numbers or booleans, or whether they are a word: `name` or `name=word`, divided by spaces.
 * Returns false if one is absent, or neither.
 */
export const writeNumbers = safe(false, (object: object, names: string, numbers: Float64Array) => {
  const values = names.split(" ").map((one) => {
    const [name, word] = one.split("=");
    const value = memberOf(object, name as string);
    if (value === undefined) return Number.NaN;
    return Number(word === undefined ? value : value === word);
  });
  numbers.set(values);
  return !values.includes(Number.NaN);
});

// What the calls of a client need: the methods of a performer.

/** Takes note of a call that begins, and returns it with its settings. */
export const enterCall = ofCall("enter");
/** Ends a call with its result, or with an error. */
export const endCall = ofCall("endCall");
/** Ends a call with the error that lists its failures. */
export const failCall = ofCall("failCall");
/** Forgets a call, of which nothing comes any more. */
export const forgetCall = ofCall("forgetCall");
/** Ends a call with what a function of its caller has thrown. */
export const abortCall = ofCall("abort");
/** The reader's end of a stream. */
export const readerOf = ofCall("readerOf");
export const askHeaders = ofCall("askHeaders");
export const sendRequest = ofCall("sendRequest");
/** Cancels what is under way under a number, and drops what is kept. */
export const cancel = ofOp("cancel");
export const useWorker = ofCall("useWorker");
/** The number of bytes of a body that have arrived. */
export const bodyLength = ofPerformer("bodyLength", 0);
/** Copies the first bytes of a body; false if the page has replaced what that needs. */
export const copyBody = ofPerformer("copyBody", false);
/** Lets a worker decode a body. */
export const delegate = ofCall("delegate");
/** Decodes a body in the page. */
export const decode = ofOp("decode");
/** The caller's `readCounts`. */
export const readCounts = ofCall("readCounts");
/** The fixed headers of a call; undefined if a function returns them, and null if they cannot be read: then every text may contain them. */
export const fixedHeaders = ofPerformer("fixedHeaders", null);
/** The number of an advice about a request that got no response; 0 for none. */
export const adviceOf = ofPerformer("adviceOf", 0);
export const reportProgress = ofCall("reportProgress");
export const reportPartition = ofCall("reportPartition");
/** Gives the reader of a stream a partition, or keeps its objects. */
export const deliver = ofCall("deliver");
/** Lets time pass until a moment; false if the page has replaced what that needs. */
export const wakeAt = ofPerformer("wakeAt", false);
/** Takes note that the client has been freed. */
export const leave = ofPerformer("leave", undefined);

// Errors.

export const makeError = safe(undefined, newError);
/** The error of a wrong argument. */
export const makeRangeError = safe(undefined, (message: string) => ownError(new RangeError(message)));
export const makeTypeError = safe(undefined, (message: string) => ownError(new TypeError(message)));
/** Why a request has failed, according to its cause; empty if the cause does not say. */
export const reasonOf = safe("", (cause: unknown) => String(networkReason.reasonOf(cause)));
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

/** Creates a table from columns and their origin. */
export const makeTable = caught((columns: Columns, origin: Origin) => tables.tableOf(columns, origin));
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
/** Joins the lists of findings of partitions, in index order. */
export const joinFindings = caught((lists: ReadonlyMap<number, Finding[]>) =>
  findingLists.joinedLists([...lists].sort(([one], [other]) => one - other).map(([, list]) => list)),
);

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
 * Returns a function that calls a method of a performer. Where that throws, it returns undefined, and the call with this number ends.
 */
/* @__NO_SIDE_EFFECTS__ */
function ofCall<Name extends keyof Performer>(name: Name) {
  return (performer: Performer, ...parameters: Parameters<Performer[Name]>) => {
    try {
      return calling(performer, name, parameters);
    } catch (reason) {
      orUndefined(() => nowOrSoon(() => performer.abort(parameters[0] as number, reason)));
      return undefined;
    }
  };
}

/**
 * Returns a function that calls a method of a performer. Where that throws, what is under way under this number is lost.
 */
/* @__NO_SIDE_EFFECTS__ */
function ofOp(name: "cancel" | "decode") {
  return (performer: Performer, op: number): void => {
    try {
      calling(performer, name, [op]);
    } catch (reason) {
      orUndefined(() => inMicrotask(() => performer.lose(op, reason)));
    }
  };
}

/**
 * Returns a function that calls a method of a performer, and returns `fallback` where that throws.
 */
/* @__NO_SIDE_EFFECTS__ */
function ofPerformer<Name extends keyof Performer, Fallback>(name: Name, fallback: Fallback) {
  return safe(fallback, (performer: Performer, ...parameters: Parameters<Performer[Name]>) =>
    calling(performer, name, parameters),
  );
}

function calling<Name extends keyof Performer>(
  performer: Performer,
  name: Name,
  parameters: Parameters<Performer[Name]>,
): ReturnType<Performer[Name]> {
  return (performer[name] as (...parameters: unknown[]) => ReturnType<Performer[Name]>).apply(performer, parameters);
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
