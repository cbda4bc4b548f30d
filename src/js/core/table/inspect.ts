// What logs show of an object.

import { orUndefined } from "../host/member.js";

/** The key of the method that the console of Node, Bun and Deno calls: `util.inspect.custom`, without an import of `node:util`. */
export const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;

/** `util.inspect`, which the console passes to the method. */
export type Inspect = (value: unknown, options: object) => string;

/** Returns members for a log, or none if they cannot be read: logging an object must not throw. */
export function readable<Members extends object>(read: () => Members): Partial<Members> {
  return orUndefined(read) ?? {};
}
