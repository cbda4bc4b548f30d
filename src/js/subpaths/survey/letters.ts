// Comparisons of columns and groups, as the caller wants them.

import { membersOf } from "../../core/argument/passed-object.js";
import { described, wrongType } from "../../core/argument/refusal.js";
import type { CompareOptions } from "./compare-options.js";
import { ColumnComparison } from "./compared-columns.js";
import { groupsCompared } from "./compared-groups.js";
import { COMPARING, type Comparison, leastBaseOf } from "./comparison.js";
import { quantileOf, twoSided } from "./distribution.js";

/**
 * Makes the value of the option `compare`. With it, {@link crosstab} gives a cell the letter of each column whose share is smaller by more than chance,
 * and {@link meanOf} gives a group the letter of each group whose mean is smaller.
 *
 * Shares are compared by z tests on effective bases, means by Welch's test, or by the normal distribution where people are in two groups.
 *
 * @throws TypeError if an option is invalid
 * @example
 * import { crosstab } from "inspection-findings/survey";
 * import { letters } from "inspection-findings/survey/compare";
 *
 * const { cells } = crosstab(table, "TopicGroup", "ExpressionGroup", {
 *   distinct: "RespondentKey",
 *   compare: letters({ with: "each", correction: "holm", overlap: "account" }),
 * });
 * for (const { row, column, letters } of cells) console.log(row, column, letters);
 */
export function letters(options: CompareOptions = {}): Comparison {
  const read = membersOf(options, "options", ["with", "level", "correction", "overlap", "leastBase"]);
  const { with: whom = "each", level = 0.95, correction = "none", overlap } = read;
  const oneOf = (name: string, value: unknown, values: readonly string[]) => {
    if (!values.includes(value as string)) throw wrongType(name, values.map(described).join(" or "), value);
  };
  oneOf("with", whom, ["each", "previous", "first", "rest"]);
  oneOf("correction", correction, ["none", "holm", "bonferroni", "fdr"]);
  if (overlap !== undefined) oneOf("overlap", overlap, ["account", "independent"]);
  if (typeof level !== "number" || !(level > 0 && level < 1))
    throw wrongType("level", "a number between 0 and 1, such as 0.95", level);
  const own = { with: whom, level, correction, overlap, leastBase: leastBaseOf(read) } as Required<CompareOptions>;
  return Object.freeze({
    ...own,
    [COMPARING]: {
      columns: (...of) => new ColumnComparison(own, ...of),
      quantile: quantileOf(1 - level, twoSided),
      groups: (...of) => groupsCompared(own, ...of),
    },
  } satisfies Comparison);
}
