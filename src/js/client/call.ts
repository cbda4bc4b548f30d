// A call that the caller has made: what it asks for, its options, and where it was made.

import { type CallStack, callStackOf } from "../error/call-stack.js";
import type { CallTarget } from "../table/call-target.js";
import { CheckedOptions, type ReadFrom } from "./options/checked-options.js";
import type { CallKind } from "./options/option-table.js";
import type { CallSettings } from "./options/settings.js";

/** A call that the caller has made. */
export interface Call<Target = CallTarget> {
  readonly callKind: CallKind;
  readonly target: Target;
  readonly options: CheckedOptions;
  readonly stack: CallStack;
  /** Makes its findings tables; undefined for plain objects. */
  readonly form: TableForm | undefined;
}

/** What makes the findings of a call tables. */
export interface TableForm {
  readonly readFrom: ReadFrom;
  /** Throws a `TypeError` if the call cannot begin with its table `from`. */
  readonly check: (settings: CallSettings, target: CallTarget) => void;
}

/** What a call for all findings asks for. */
export type AllFindings = Required<Omit<CallTarget, "partitionIndex">>;

/** Records a call to this public function. */
export function callOf<Target>(
  callKind: CallKind,
  target: Target,
  options: unknown,
  calledFunction: (...parameters: never) => unknown,
  form?: TableForm,
): Call<Target> {
  return {
    callKind,
    target,
    options: CheckedOptions.of(options, callKind, form?.readFrom),
    stack: callStackOf(calledFunction),
    form,
  };
}

/** Returns a call with the options of its `resume()`, which win. */
export function withMore<Target>(call: Call<Target>, more: unknown): Call<Target> {
  return { ...call, options: call.options.with(CheckedOptions.of(more, "resume")) };
}
