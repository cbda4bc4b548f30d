// The options of a client or of a call, read when they are given: what the caller changes later does not reach them.

import type { Options } from "./inspection_findings.js";
import { needStack } from "./stack.js";

/** Options that have been read; what was thrown meanwhile is thrown when they are asked for, in the call that it is to reject. */
export type Given = () => Options | undefined;

const NAMES = Object.keys({
  baseUrl: 0,
  headers: 0,
  credentials: 0,
  cache: 0,
  fetch: 0,
  signal: 0,
  concurrency: 0,
  timeout: 0,
  totalTimeout: 0,
  retries: 0,
  maxRetryAfter: 0,
  completeness: 0,
  maxPartitionBytes: 0,
  failurePolicy: 0,
  order: 0,
  maxBufferedBytes: 0,
  readCounts: 0,
  onProgress: 0,
  onPartition: 0,
  measure: 0,
} satisfies Record<keyof Options, 0>) as (keyof Options)[];

/**
 * Reads options as WebIDL reads a dictionary: each known one once, whether or not it is inherited. Throws only the host's own error for
 * an exhausted stack, which would spoil a client for good if it were kept.
 */
export function readOptions(options: Options | undefined): Given {
  needStack();
  try {
    const read = copy(options);
    return () => read;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  }
}

/** Options with others that win, except where they are undefined. What is no object is left to be refused. */
export function merged(options: Options | undefined, winning: Options | undefined): Options | undefined {
  if (winning === undefined) return options;
  if (options === undefined || !isObject(winning)) return winning;
  const given = Object.entries(winning).filter(([, value]) => value !== undefined);
  return { ...options, ...Object.fromEntries(given) };
}

/** A copy in which an unknown option is named, to be refused, but not read. */
function copy(options: Options | undefined): Options | undefined {
  if (!isObject(options)) return options;
  const unknown = Object.keys(options).filter((name) => !(NAMES as string[]).includes(name));
  const read = NAMES.map((name) => [name, options[name]]);
  return Object.fromEntries([...read, ...unknown.map((name) => [name, undefined])]);
}

function isObject(options: Options | undefined): options is Options {
  return typeof options === "object" && options !== null;
}
