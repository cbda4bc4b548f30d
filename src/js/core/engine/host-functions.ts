// All that Rust calls. What is thrown here stops WebAssembly and every call with it, unless Rust catches it (`src/web/host_functions.rs`): memory that
// runs out.

import { ownError } from "../error/call-stack.js";
import { ErrorClass } from "../error/error-class.js";
import { Redaction } from "../host/redaction.js";
import { joinedLists } from "../table/finding-lists.js";
import type { Finding } from "../table/rows/row-layout.js";
import type { Groups } from "./engine.js";

export { flawOfCredentials } from "../host/credentials.js";
export { adviceOf, reasonOf } from "../host/network-reason.js";
export { isOffline } from "../host/offline.js";
export { promiseOf } from "../host/promise.js";
export { pause } from "../host/slice.js";
export { tableAbout as makeTableAbout, tableOf as makeTable } from "../table/table.js";

let encoder: TextEncoder | undefined;

/** Encodes a text as far as there is room. Writes the numbers of code units and of bytes to `counts`. */
export function encodeText(text: string, target: Uint8Array, counts: Uint32Array): void {
  encoder ??= new TextEncoder();
  const { read, written } = encoder.encodeInto(text, target);
  counts.set([read, written]);
}

/** Writes the members of an object that are numbers or booleans, or whether they are a word: `name` or `name=word`, divided by spaces. */
export function writeNumbers(object: Record<string, unknown>, names: string, numbers: Float64Array): void {
  const values = names.split(" ").map((one) => {
    const [name, word] = one.split("=");
    const value = object[name as string];
    return Number(word === undefined ? value : value === word);
  });
  numbers.set(values);
}

export function makeError(code: string, message: string, details: Record<string, unknown>): Error {
  return new ErrorClass(code, message, details);
}

/** The error of a wrong argument. */
export function makeRangeError(message: string): Error {
  return ownError(new RangeError(message));
}

export function makeTypeError(message: string): Error {
  return ownError(new TypeError(message));
}

/** The redaction of the headers of some attempts. */
export function makeRedaction(attempts: readonly Headers[], replacement: string): Redaction {
  return new Redaction(attempts, replacement);
}

/** Copies groups out of the memory of the module. Throws if out of memory. */
export function makeGroups(
  grouping: number,
  keys: Uint32Array,
  counts: Uint32Array,
  numbers: Uint32Array,
  statistics: Float64Array,
  distinct: Uint32Array,
): Groups {
  return {
    grouping,
    keys: keys.slice(),
    counts: counts.slice(),
    numbers: numbers.slice(),
    statistics: statistics.slice(),
    distinct: distinct.slice(),
  };
}

/** Copies a list in the memory of the module. Throws if out of memory. */
export function copyList(list: Uint8Array | Uint32Array | Int32Array): typeof list {
  return list.slice();
}

/** Joins the lists of findings of partitions, in index order. Throws if out of memory. */
export function joinFindings(lists: ReadonlyMap<number, Finding[]>): Finding[] {
  return joinedLists([...lists].sort(([one], [other]) => one - other).map(([, list]) => list));
}
