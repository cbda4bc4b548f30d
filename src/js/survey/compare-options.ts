// How columns or groups are compared, as the caller says it.

import { membersOf } from "../argument/passed-object.js";
import { described, wrongType } from "../argument/refusal.js";
import type { Comparison } from "./compare.js";

/** Which columns of each row {@link crosstab} compares, or which groups {@link meanOf}, and how. */
export interface CompareOptions {
  /**
   * With which other columns each is compared: with each, with the one before (waves), with the first (a control), or with all other people together.
   *
   * @default "each"
   */
  readonly with?: "each" | "previous" | "first" | "rest" | undefined;
  /**
   * The certainty of a letter, above 0 and below 1: of so many comparisons without a difference, none gets a letter.
   *
   * @default 0.95
   */
  readonly level?: number | undefined;
  /**
   * The correction for the many tests of a row: by Holm or Bonferroni, who keep the chance of a wrong letter in the row, or `"fdr"` by Benjamini and
   * Hochberg, who keep the share of wrong letters.
   *
   * @default "none"
   */
  readonly correction?: "none" | "holm" | "bonferroni" | "fdr" | undefined;
  /**
   * What happens with people who are in two of the columns: `"account"` for them, or test as if the columns were `"independent"`. Needed where people are
   * in two columns.
   *
   * @default undefined, which refuses such columns
   */
  readonly overlap?: "account" | "independent" | undefined;
  /**
   * The smallest effective base of a column that is compared. The trade uses 30 or more.
   *
   * @default 0
   */
  readonly leastBase?: number | undefined;
}

/** Reads how columns are compared. */
export function comparisonOf(given: unknown): Comparison | undefined {
  if (given === undefined) return undefined;
  const read = membersOf(given, "compare", ["with", "level", "correction", "overlap", "leastBase"]);
  const { with: whom = "each", level = 0.95, correction = "none", overlap, leastBase = 0 } = read;
  const oneOf = (name: string, value: unknown, values: readonly string[]) => {
    if (!values.includes(value as string))
      throw wrongType(`${name} of compare`, values.map(described).join(" or "), value);
  };
  oneOf("with", whom, ["each", "previous", "first", "rest"]);
  oneOf("correction", correction, ["none", "holm", "bonferroni", "fdr"]);
  if (overlap !== undefined) oneOf("overlap", overlap, ["account", "independent"]);
  if (typeof level !== "number" || !(level > 0 && level < 1))
    throw wrongType("level of compare", "a number between 0 and 1, such as 0.95", level);
  if (typeof leastBase !== "number" || !(leastBase >= 0))
    throw wrongType("leastBase of compare", "a number of at least 0", leastBase);
  return { with: whom, level, correction, overlap, leastBase } as Comparison;
}
