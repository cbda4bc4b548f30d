// The table of all options: the calls that each applies to, its values and its default.

import { described, listed, outOfRange, typeName, typeOf, wrongType } from "../../argument/refusal.js";
import { functionOfCaller } from "../../error/call-stack.js";
import { isObject } from "../../host/member.js";
import { columnList } from "../../table/column-list.js";
import type { Options, TableOptions } from "../options.js";
import type { PartitionChange, Progress } from "../progress.js";
import { readBaseUrl } from "./base-url.js";
import type { PassedTable } from "./earlier-table.js";
import { readHeaders } from "./headers.js";

/** The kinds of calls, each with the names of its calls. */
export const CALLS: Readonly<Record<CallKind, readonly string[]>> = {
  counts: ["getPartitionCounts"],
  partition: ["getPartition", "loadPartition"],
  findings: ["getFindings"],
  table: ["loadTable", "watchTable"],
  kept: ["load of a store"],
  resume: ["resume"],
  stream: ["streamPartitions", "streamTables"],
};

/** A kind of calls. */
export type CallKind = "counts" | "partition" | "findings" | "table" | "kept" | "resume" | "stream";

/** Returns a checked copy of an option's value; throws a `TypeError` or `RangeError` for a wrong one. */
type Read<Value> = (value: unknown, name: string) => Value;

/** An option. */
interface Option<Value, Default> {
  /** The calls that it applies to. */
  readonly calls: readonly CallKind[];
  readonly read: Read<Value>;
  readonly default: Default;
}

const SEVERAL = ["findings", "table", "kept", "resume", "stream"] as const;
const EVERY = ["counts", "partition", ...SEVERAL] as const;

/** The longest time that timers count, in milliseconds. */
const MAX_TIME = 2 ** 31 - 1;

/** The longest body that fits into WebAssembly memory in one piece. */
const MAX_BODY = 2 ** 31 - 1;

/** The size of WebAssembly memory. */
const MAX_MEMORY = 2 ** 32 - 1;

/** All options. An undefined default means no default, or one that depends on the call. */
export const OPTIONS = {
  baseUrl: option(EVERY, readBaseUrl),
  headers: option(EVERY, readHeaders),
  // Errors name only the type of a wrong value: it may be a token in the wrong place.
  credentials: option(EVERY, oneOf(["omit", "same-origin", "include"], typeOf), "same-origin"),
  cache: option(
    EVERY,
    oneOf(["default", "no-store", "reload", "no-cache", "force-cache", "only-if-cached"]),
    "no-store",
  ),
  fetch: option(
    EVERY,
    callback((fetch: NonNullable<Options["fetch"]>) => fetch),
  ),
  worker: option(EVERY, oneOf([true, false, "auto"]), "auto"),
  signal: option(EVERY, signal),
  concurrency: option(SEVERAL, integer(1, 1000), 8),
  timeout: option(EVERY, integer(1, MAX_TIME), 30_000),
  totalTimeout: option(EVERY, integer(1, MAX_TIME)),
  retries: option(EVERY, integer(0, 1000), 3),
  maxRetryAfter: option(EVERY, integer(0, MAX_TIME), 60_000),
  completeness: option(SEVERAL, oneOf(["strict", "off"]), "strict"),
  maxPartitionBytes: option(EVERY, integer(1, MAX_BODY), 256 * 1024 * 1024),
  failurePolicy: option(SEVERAL, oneOf(["fail-fast", "collect"]), "fail-fast"),
  order: option(["stream"], oneOf(["index", "completion"]), "index"),
  maxBufferedBytes: option(SEVERAL, integer(1, MAX_MEMORY), 64 * 1024 * 1024),
  readCounts: option(["counts", ...SEVERAL], callback(functionOfCaller<[unknown], unknown>)),
  onProgress: option(["partition", ...SEVERAL], callback(functionOfCaller<[Progress], unknown>)),
  onPartition: option(["partition", ...SEVERAL], callback(functionOfCaller<[PartitionChange], unknown>)),
  columns: option(["partition", "findings", "table", "kept", "stream"], columnList),
  // Calls for tables read it themselves, because no other call knows tables.
  from: option(["table"], (value) => value as PassedTable),
  reload: option(["kept"], oneOf([true, false]), false),
} satisfies Record<keyof Options | keyof TableOptions | "columns" | "reload", unknown>;

export type OptionName = keyof typeof OPTIONS;

export const OPTION_NAMES = Object.keys(OPTIONS) as OptionName[];

/** The value of an option that has been copied and checked. */
type Checked<Name extends OptionName> = ReturnType<(typeof OPTIONS)[Name]["read"]>;

/** Options that have been copied and checked; absent ones are missing, and null is in place of a value that the client's options may have. */
export type OptionValues = {
  readonly [Name in OptionName]?: Checked<Name> | (undefined extends Defaults[Name] ? null : never);
};

/** Options that apply, with all defaults. */
export type MergedOptions = { readonly [Name in OptionName]: Checked<Name> | Defaults[Name] };

/** The defaults; undefined where there is none. */
type Defaults = { readonly [Name in OptionName]: (typeof OPTIONS)[Name]["default"] };

const DEFAULTS = Object.fromEntries(OPTION_NAMES.map((name) => [name, OPTIONS[name].default])) as Defaults;

/** Returns the defaults, overridden by each of some options. */
export function merged(...all: OptionValues[]): MergedOptions {
  const options = Object.assign({}, DEFAULTS, ...all);
  for (const name of OPTION_NAMES) options[name] ??= undefined;
  return options;
}

function option<Value>(calls: readonly CallKind[], read: Read<Value>): Option<Value, undefined>;
function option<Value>(calls: readonly CallKind[], read: Read<Value>, fallback: NoInfer<Value>): Option<Value, Value>;
function option<Value>(calls: readonly CallKind[], read: Read<Value>, fallback?: Value): Option<Value, unknown> {
  return { calls, read, default: fallback };
}

function integer(least: number, most: number): Read<number> {
  return (value, name) => {
    if (typeof value !== "number") throw wrongType(name, "a number", value);
    if (Number.isInteger(value) && value >= least && value <= most) return value;
    throw outOfRange(name, `an integer from ${least} to ${most}`, value);
  };
}

function oneOf<const Word extends string | boolean>(words: readonly Word[], describe = described): Read<Word> {
  return (value, name) => {
    if (words.includes(value as Word)) return value as Word;
    const names = words.map((word) => JSON.stringify(word));
    throw wrongType(name, listed(names, "or"), value, describe);
  };
}

/** Reads a function, and wraps it. */
function callback<Callback, Wrapped>(wrap: (callback: Callback) => Wrapped): Read<Wrapped> {
  return (value, name) => {
    if (typeof value === "function") return wrap(value as Callback);
    throw wrongType(name, "a function", value);
  };
}

/** Reads a signal of any realm. */
function signal(value: unknown, name: string): AbortSignal {
  const { aborted, addEventListener, removeEventListener } = isObject(value) ? value : {};
  const isListened = typeof addEventListener === "function" && typeof removeEventListener === "function";
  if (typeof aborted === "boolean" && isListened) return value as unknown as AbortSignal;
  throw wrongType(name, "an AbortSignal", value, () =>
    typeName(value) === "AbortController" ? "an AbortController: pass its signal" : typeOf(value),
  );
}
