// The option `compare`: the entry survey/compare makes its value, so that tables without letters do not load the tests.

import { typeOf, wrongType } from "../../core/argument/refusal.js";
import { isObject, memberOf } from "../../core/host/member.js";
import type { CompareOptions } from "./compare-options.js";
import type { Comparing } from "./comparing.js";

/** The key of the methods of a comparison; the same in every entry. */
export const COMPARING: unique symbol = Symbol.for("inspection-findings.comparing") as never;

/** A comparison of columns or of groups, with its options: what `letters` makes for the option `compare`. */
export interface Comparison extends Readonly<Required<CompareOptions>> {
  /** @internal */
  readonly [COMPARING]: Comparing;
}

/** @internal Reads the smallest base among options. */
export function leastBaseOf({ leastBase }: { readonly leastBase: unknown }, otherwise = 0): number {
  if (leastBase === undefined) return otherwise;
  if (typeof leastBase === "number" && leastBase >= 0) return leastBase;
  throw wrongType("leastBase", "a number of at least 0", leastBase);
}

/** Reads the option. */
export function comparisonOf(given: unknown): Comparison | undefined {
  if (given === undefined || (isObject(given) && memberOf(given, COMPARING) !== undefined)) return given as undefined;
  throw wrongType("compare", "a result of letters", given, (given) =>
    typeOf(given, 'pass letters({ with: "each" }) of "inspection-findings/survey/compare"'),
  );
}
