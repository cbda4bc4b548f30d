// The key of the method that the console of Node, Bun and Deno calls to show an object.

/** `util.inspect.custom`, without an import of `node:util`. */
export const INSPECT: unique symbol = Symbol.for("nodejs.util.inspect.custom") as never;

/** `util.inspect`, which the console passes to the method. */
export type Inspect = (value: unknown, options: object) => string;
