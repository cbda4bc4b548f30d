// The stack of a call. Errors are created after an `await`, where the caller is no longer on the stack, so they get
// this stack.

import { hasMembers, memberOf } from "../host/member.js";
import { promiseOf } from "../host/promise.js";
import { ErrorClass } from "./error-class.js";

/** The stack of the code that called the package. */
export type CallStack = Pick<Error, "stack">;

/**
 * The message of the error that holds a stack until the real message is known. `Error.prepareStackTrace` may write a
 * stack in any form, so the message is found by its text.
 */
const PLACEHOLDER = "inspection-findings: a call";

/** The errors that the package threw for wrong arguments. Others of the same classes are from the caller. */
const ownErrors = new WeakSet<object>();

/** What the caller's code has thrown, and the reasons of its signals: an error among them keeps its stack, even one that the package has made. */
const errorsOfCaller = new WeakSet<object>();

type Capture = { captureStackTrace?: (holder: object, calledFunction: (...parameters: never) => unknown) => void };

/** Marks an error as made by the package. */
export function ownError<Made extends Error>(error: Made): Made {
  ownErrors.add(error);
  return error;
}

/** Marks what the caller's code has thrown, and returns it. */
export function ofCaller(reason: unknown): unknown {
  if (hasMembers(reason)) errorsOfCaller.add(reason);
  return reason;
}

/** Returns what the caller's code returns, and marks what it throws. */
export function resultOfCaller<Result>(call: () => Result): Result {
  try {
    return call();
  } catch (reason) {
    throw ofCaller(reason);
  }
}

/** Wraps a function of the caller: what it throws, or what its promise rejects with, is marked. */
export function functionOfCaller<Parameters extends unknown[], Result>(
  call: (...parameters: Parameters) => Result,
): (...parameters: Parameters) => Result {
  return (...parameters) => {
    const returned = resultOfCaller(() => call(...parameters));
    const marked = promiseOf(returned)?.catch((reason: unknown) => {
      throw ofCaller(reason);
    });
    return (marked ?? returned) as Result;
  };
}

/** Copies an error about a wrong argument, because each call sets the stack of its error. The caller's errors stay as they are. */
export function renewed(reason: unknown): unknown {
  if (!(reason instanceof Error && ownErrors.has(reason)) || errorsOfCaller.has(reason)) return reason;
  return ownError(reason instanceof RangeError ? new RangeError(reason.message) : new TypeError(reason.message));
}

/** Captures the stack of the caller of this public function. Some engines add frames of the package in front. */
export function callStackOf(calledFunction: (...parameters: never) => unknown): CallStack {
  // Only like an error: in WebKit, the stack of an error stays that of its creation.
  const holder: CallStack = Object.create(Error.prototype, { message: { value: PLACEHOLDER } });
  (Error as Capture).captureStackTrace?.(holder, calledFunction);
  return Object.hasOwn(holder, "stack") ? holder : new Error(PLACEHOLDER);
}

/** Settles like a promise. An error of the package gets the stack of the call. */
export async function stacked<Result>(promise: Promise<Result>, stack: CallStack): Promise<Result> {
  try {
    return await promise;
  } catch (reason) {
    throw withCallStack(reason, stack);
  }
}

/** Gives an error of the package the stack of the call. Leaves values that the caller threw untouched. */
function withCallStack(reason: unknown, holder: CallStack): unknown {
  if (!isOwn(reason) || errorsOfCaller.has(reason)) return reason;
  const stack = stackOf(holder);
  if (stack !== undefined) {
    // V8 begins a stack with the name and the message of the error, which other engines leave out.
    const value = stack
      .replace(`Error: ${PLACEHOLDER}`, () => String(reason))
      .replace(PLACEHOLDER, () => reason.message);
    Object.defineProperty(reason, "stack", { value, configurable: true, writable: true });
  }
  return reason;
}

/** Returns the text of a stack; undefined if `Error.prepareStackTrace` throws, or returns another value. */
function stackOf(holder: CallStack): string | undefined {
  const stack = memberOf(holder, "stack");
  return typeof stack === "string" ? stack : undefined;
}

function isOwn(reason: unknown): reason is Error {
  return reason instanceof ErrorClass || (reason instanceof Error && ownErrors.has(reason));
}
