/** The keys of the methods that `using` and `await using` call. */

/**
 * `Symbol.dispose`, or in an engine without it the symbol that compiled `using` looks for.
 * @type {typeof Symbol.dispose}
 */
export const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/**
 * `Symbol.asyncDispose`, or in an engine without it the symbol that compiled `await using` looks for.
 * @type {typeof Symbol.asyncDispose}
 */
export const asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");
