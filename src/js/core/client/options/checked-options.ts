// The options of a client or of a call: copied and checked when the caller passes them.

import { membersOf, type Remedies } from "../../argument/passed-object.js";
import { listed, refusal } from "../../argument/refusal.js";
import { renewed } from "../../error/call-stack.js";
import type { PassedTable } from "./earlier-table.js";
import { CALLS, type CallKind, OPTION_NAMES, OPTIONS, type OptionName, type OptionValues } from "./option-table.js";

/** The options that a client does not take. */
const OF_CALLS: readonly OptionName[] = ["columns", "from", "reload"];

/** The options that limit all calls of a client. */
const LIMITS = ["concurrency", "maxBufferedBytes"] as const;

/** Values of options that a caller may pass in place of the options. */
const REMEDIES: Remedies = {
  string: "pass { baseUrl }",
  URL: "pass { baseUrl }",
  Headers: "pass { headers }",
  AbortSignal: "pass { signal }",
};

/** Reads the option `from`. */
export type ReadFrom = (value: unknown, name: string) => PassedTable;

/** Options that the caller has passed. An error about them is kept, so that each call can reject with it. */
export class CheckedOptions {
  private constructor(
    private readonly values: OptionValues,
    /** What reading them has thrown. */
    private readonly failure?: { readonly thrown: unknown },
  ) {}

  /**
   * Copies options and checks them. Throws nothing.
   *
   * @param kind of the call; undefined for a client
   * @param readFrom reads the option `from` of a call for a table
   */
  static of(options: unknown, kind?: CallKind, readFrom?: ReadFrom): CheckedOptions {
    try {
      return new CheckedOptions(options === undefined ? {} : copyOf(options, kind, readFrom));
    } catch (thrown) {
      return new CheckedOptions({}, { thrown });
    }
  }

  /** Returns the checked options, or throws the error about them. */
  get(): OptionValues {
    if (this.failure !== undefined) throw renewed(this.failure.thrown);
    return this.values;
  }

  /** Returns these options, overridden by others. */
  with(more: CheckedOptions): CheckedOptions {
    return new CheckedOptions({ ...this.values, ...more.values }, this.failure ?? more.failure);
  }

  /** Returns the options of a client, overridden by those of its extension or of its call, which can only lower its limits. */
  extendedBy(more: CheckedOptions): CheckedOptions {
    const values: { [Name in OptionName]?: unknown } = { ...this.values, ...more.values };
    for (const name of LIMITS) {
      const own = this.values[name];
      if (own !== undefined) values[name] = Math.min(own, more.values[name] ?? own);
    }
    return new CheckedOptions(values as OptionValues, this.failure ?? more.failure);
  }
}

/** Copies options and checks each. `null` unsets an option that has no default value. */
function copyOf(options: unknown, kind: CallKind | undefined, readFrom: ReadFrom | undefined): OptionValues {
  const names = namesFor(kind);
  const given = membersOf(options, "options", OPTION_NAMES, { listed: names, remedies: REMEDIES });
  const checked: { [Name in OptionName]?: unknown } = {};
  for (const name of OPTION_NAMES) {
    const value = given[name];
    if (value === undefined) continue;
    if (!names.includes(name)) throw misplaced(name, kind);
    const { default: fallback } = OPTIONS[name];
    const read = (name === "from" && readFrom) || OPTIONS[name].read;
    checked[name] = value === null && fallback === undefined ? null : read(value, name);
  }
  return checked as OptionValues;
}

/** The options of a call, or of a client. */
function namesFor(kind: CallKind | undefined): OptionName[] {
  const names: OptionName[] = [];
  for (const name of OPTION_NAMES) {
    if (kind === undefined ? !OF_CALLS.includes(name) : OPTIONS[name].calls.includes(kind)) names.push(name);
  }
  return names;
}

function misplaced(name: OptionName, kind: CallKind | undefined): TypeError {
  const uses = OPTIONS[name].calls.flatMap((kind) => CALLS[kind]);
  return refusal(
    `${name} does not apply to ${kind === undefined ? "a client" : "this call"}, only to ${listed(uses, "and")}`,
  );
}
