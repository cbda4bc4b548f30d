/// <reference lib="esnext.disposable" preserve="true" />
// The key of the methods that `using` calls.

/** `Symbol.dispose`, or in an engine without it the symbol that compiled `using` looks for. */
export const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol.for("Symbol.dispose");
