// The options of a client or of a call: copied and checked when the caller passes them.

import { renewed } from "../../error/call-stack.js";
import { described, listed, refusal, wrongType } from "../../error/refusal.js";
import { isObject } from "../../host/member.js";
import { CALLS, type CallKind, OPTION_NAMES, OPTIONS, type OptionName, type OptionValues } from "./option-table.js";

/** The options that a client does not take. */
const OF_CALLS: readonly OptionName[] = ["columns", "from", "growth"];

/** Options that the caller has passed. An error about them is kept, so that each call can reject with it. */
export class CheckedOptions {
  readonly #get: () => OptionValues;

  private constructor(get: () => OptionValues) {
    this.#get = get;
  }

  /**
   * Copies options and checks them. Throws nothing.
   *
   * @param kind of the call; undefined for a client
   */
  static of(options: unknown, kind?: CallKind): CheckedOptions {
    try {
      if (options instanceof CheckedOptions) return options;
      const checked = options === undefined ? {} : copyOf(options, kind);
      return new CheckedOptions(() => checked);
    } catch (thrown) {
      return new CheckedOptions(() => {
        throw renewed(thrown);
      });
    }
  }

  /** Returns the checked options, or throws the error about them. */
  get(): OptionValues {
    return this.#get();
  }

  /** Returns these options, overridden by others. */
  with(more: CheckedOptions): CheckedOptions {
    return new CheckedOptions(() => ({ ...this.get(), ...more.get() }));
  }
}

/**
 * Reads options as WebIDL reads a dictionary: each known member once, inherited or not. `null` unsets an option that has no default
 * value.
 */
function copyOf(options: unknown, kind: CallKind | undefined): OptionValues {
  if (!isObject(options)) throw wrongType("options", "an object", options);
  const unknown = Object.keys(options).find((name) => !isKnown(name));
  if (unknown !== undefined) throw unknownOption(unknown, kind);
  const checked: { [Name in OptionName]?: unknown } = {};
  for (const name of OPTION_NAMES) {
    const value: unknown = Reflect.get(options, name);
    if (value === undefined) continue;
    if (!applies(name, kind)) throw misplaced(name, kind);
    const { read, default: fallback } = OPTIONS[name];
    checked[name] = value === null && fallback === undefined ? null : read(value, name);
  }
  return checked as OptionValues;
}

/** Whether an option of this name applies to some call of the entry. */
function isKnown(name: string): boolean {
  return OPTION_NAMES.includes(name as OptionName) && OPTIONS[name as OptionName].calls.length > 0;
}

/** Whether an option applies to a call, or to a client. */
function applies(name: OptionName, kind: CallKind | undefined): boolean {
  return kind === undefined ? !OF_CALLS.includes(name) : OPTIONS[name].calls.includes(kind);
}

function misplaced(name: OptionName, kind: CallKind | undefined): TypeError {
  const uses = OPTIONS[name].calls.flatMap((kind) => CALLS[kind]);
  return refusal(
    `${name} does not apply to ${kind === undefined ? "a client" : "this call"}, only to ${listed(uses, "and")}`,
  );
}

function unknownOption(unknown: string, kind: CallKind | undefined): TypeError {
  const names = OPTION_NAMES.filter((name) => applies(name, kind));
  const beginning = (name: string) => name.slice(0, 4).toLowerCase();
  // Such as `retries` for `retry`, but not `maxRetryAfter` for `maxRetries`.
  const similar = names.find(
    (name) => beginning(name) === beginning(unknown) && Math.abs(name.length - unknown.length) <= 2,
  );
  const question = similar === undefined ? "" : ` (did you mean ${similar}?)`;
  return refusal(`unknown option ${described(unknown)}${question}; the options are ${names.join(", ")}`);
}
