/** The key of the method that `using` calls. */

/**
 * `Symbol.dispose`, or in an engine without it the symbol that compiled `using` looks for.
 * @type {typeof Symbol.dispose}
 */
export const dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
