// All that Rust calls. No entry throws, because an error would stop WebAssembly and every call with it: a page may lack
// a global or have replaced it, and may pass anything.

import { ownError } from "../error/call-stack.js";
import { ErrorClass } from "../error/error-class.js";
import * as clock from "../host/clock.js";
import * as credentials from "../host/credentials.js";
import { memberOf } from "../host/member.js";
import { nowOrSoon } from "../host/microtask.js";
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
import type { RunningCall } from "./running-call.js";
import type { Work } from "./work.js";

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

// The methods of a performer, of a call and of an attempt that throw.

/** Ends a call with what a method of it has thrown. */
export const abortCall = safe(undefined, (call: RunningCall, reason: unknown) => nowOrSoon(() => call.abort(reason)));
/** Drops an attempt of which a method has thrown. */
export const loseWork = safe(undefined, (work: Work, reason: unknown) => work.lose(reason));

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
