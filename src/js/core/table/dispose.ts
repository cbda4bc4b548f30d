/// <reference lib="esnext.disposable" preserve="true" />
// The keys of the methods that `using` and `await using` call.

/** `Symbol.dispose`, or in an engine without it the symbol that compiled `using` looks for. */
export const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");

/** `Symbol.asyncDispose`, or its substitute like {@link DISPOSE}. */
export const ASYNC_DISPOSE: typeof Symbol.asyncDispose = Symbol.asyncDispose ?? Symbol.for("Symbol.asyncDispose");
