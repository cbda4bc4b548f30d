// The stack of a call, which its errors get: the module makes them after it has returned to the host, where no caller is on the stack.

import { FindingsError } from "./error.js";

/** The stack of the code that called the package. */
export type CallStack = Pick<Error, "stack">;

/** The name of an error that has none of its own. */
const NAME = "Error";

/** The errors that the package made of wrong arguments; others of their classes are the caller's. */
const ownErrors = new WeakSet<object>();

type Capture = { captureStackTrace?: (holder: object, calledFunction: (...parameters: never) => unknown) => void };

/** Marks an error as made by the package. The glue calls it, too. */
export function ownError<Made extends Error>(error: Made): Made {
  ownErrors.add(error);
  return error;
}

/** Returns a new error like one that the package made of a wrong argument, because each call gives its error a stack. */
export function renewed(reason: unknown): unknown {
  if (!(reason instanceof Error && ownErrors.has(reason))) return reason;
  return ownError(reason instanceof RangeError ? new RangeError(reason.message) : new TypeError(reason.message));
}

/** Captures the stack of the caller of this public function. Some engines add frames of the package in front. */
export function callStackOf(calledFunction: (...parameters: never) => unknown): CallStack {
  const { captureStackTrace } = Error as Capture;
  if (captureStackTrace === undefined) return new Error();
  const holder: CallStack = {};
  captureStackTrace(holder, calledFunction);
  return holder;
}

/** Gives an error of the package the stack of the call. Any other value is the caller's own, and stays as it is. */
export function withCallStack(reason: unknown, { stack }: CallStack): unknown {
  if (isOwn(reason) && typeof stack === "string") {
    // V8 begins a stack with the name of the error, which other engines leave out.
    const isOfV8 = stack === NAME || stack.startsWith(`${NAME}\n`);
    const value = isOfV8 ? `${reason}${stack.slice(NAME.length)}` : stack;
    Object.defineProperty(reason, "stack", { value, configurable: true, writable: true });
  }
  return reason;
}

function isOwn(reason: unknown): reason is Error {
  return reason instanceof FindingsError || (reason instanceof Error && ownErrors.has(reason));
}
