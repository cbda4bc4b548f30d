// A call that the caller has made: what it asks for, its options, and where it was made.

import { type CallStack, callStackOf } from "../error/call-stack.js";
import { CallerContext } from "../host/caller-context.js";
import type { EndSignal } from "../host/signal.js";
import type { CallTarget } from "../table/call-target.js";
import { CheckedOptions, type ReadFrom } from "./options/checked-options.js";
import type { CallKind } from "./options/option-table.js";
import type { CallSettings } from "./options/settings.js";

/** What makes the findings of a call tables. */
export interface TableForm {
  readonly readFrom: ReadFrom;
  /** Throws a `TypeError` if the call cannot begin with its table `from`. */
  readonly check: (settings: CallSettings, target: CallTarget) => void;
}

/** What a call for all findings asks for. */
export type AllFindings = Required<Omit<CallTarget, "partitionIndex">>;

/** Where a call was made. */
export interface Caller {
  readonly stack: CallStack;
  /** Runs the functions of the caller. */
  readonly context: CallerContext;
}

/** A call that the caller has made: a value, which can be told again. */
export class Call<Target = CallTarget> {
  /**
   * @param options its own, and not those of its client
   * @param form makes its findings tables; undefined for plain objects
   */
  constructor(
    readonly kind: CallKind,
    readonly target: Target,
    readonly options: CheckedOptions,
    readonly caller: Caller,
    readonly form?: TableForm,
  ) {}

  /** Returns the call with other options, which win. */
  with(options: CheckedOptions, caller = this.caller): Call<Target> {
    return new Call(this.kind, this.target, this.options.with(options), caller, this.form);
  }

  /** Returns the call with the options of its `resume()`, which the caller calls now. */
  resumed(options: unknown, stack = this.caller.stack): Call<Target> {
    return this.with(CheckedOptions.of(options, "resume"), { stack, context: new CallerContext() });
  }

  /** Returns the call that the caller makes again, without the signal that has ended it, if that has been aborted. */
  again(signal: EndSignal | undefined): Call<Target> {
    return this.resumed(signal?.aborted ? { signal: null } : undefined);
  }
}

/** Records a call to this public function. */
export function callOf<Target>(
  kind: CallKind,
  target: Target,
  options: unknown,
  calledFunction: (...parameters: never) => unknown,
  form?: TableForm,
): Call<Target> {
  const caller = { stack: callStackOf(calledFunction), context: new CallerContext() };
  return new Call(kind, target, CheckedOptions.of(options, kind, form?.readFrom), caller, form);
}
