// A call that the caller has made: what it asks for, its options, and where it was made.

import { type CallStack, callStackOf } from "../error/call-stack.js";
import type { CallTarget } from "../table/call-target.js";
import { CheckedOptions } from "./options/checked-options.js";
import type { CallKind } from "./options/option-table.js";

/** A call that the caller has made. */
export interface Call<Target = CallTarget> {
  readonly callKind: CallKind;
  readonly target: Target;
  readonly options: CheckedOptions;
  readonly stack: CallStack;
  /** Whether its findings become tables, not plain objects. */
  readonly asTable: boolean;
}

/** What a call for all findings asks for. */
export type AllFindings = Required<Omit<CallTarget, "partitionIndex">>;

/** Records a call to this public function. */
export function callOf<Target>(
  callKind: CallKind,
  target: Target,
  options: unknown,
  calledFunction: (...parameters: never) => unknown,
  asTable = false,
): Call<Target> {
  return {
    callKind,
    target,
    options: CheckedOptions.of(options, callKind),
    stack: callStackOf(calledFunction),
    asTable,
  };
}

/** Returns a call with the options of its `resume()`, which win. */
export function withMore<Target>(call: Call<Target>, more: unknown): Call<Target> {
  return { ...call, options: call.options.with(CheckedOptions.of(more, "resume")) };
}
