// The options of a client or of a call, read when they are given: what the caller changes later does not reach them.

import type { Options } from "./inspection_findings.js";
import { OPTION_NAMES } from "./option_names.js";
import { needStack } from "./stack.js";

/** Returns options that have been read, or throws what reading them has thrown, in the call that is to be rejected with it. */
export type Given = () => Options | undefined;

/**
 * Reads options as WebIDL reads a dictionary: each known one once, whether or not it is inherited. Throws only the host's own error for
 * an exhausted stack: kept, it would reject every later call of a client.
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

/** Merges options with others, which win unless they are undefined. What is no object is left for the module to refuse. */
export function merged(options: Options | undefined, winning: Options | undefined): Options | undefined {
  if (winning === undefined) return options;
  if (options === undefined || !isObject(winning)) return winning;
  const given = Object.entries(winning).filter(([, value]) => value !== undefined);
  return { ...options, ...Object.fromEntries(given) };
}

/** Copies the known options. An unknown one is named, for the module to refuse, but not read. */
function copy(options: Options | undefined): Options | undefined {
  if (!isObject(options)) return options;
  const unknown = Object.keys(options).filter((name) => !(OPTION_NAMES as readonly string[]).includes(name));
  const read = OPTION_NAMES.map((name) => [name, options[name]]);
  return Object.fromEntries([...read, ...unknown.map((name) => [name, undefined])]);
}

function isObject(options: Options | undefined): options is Options {
  return typeof options === "object" && options !== null;
}
