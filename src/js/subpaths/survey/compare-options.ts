// How columns or groups are compared, as the caller says it.

/** Which columns of each row {@link crosstab} compares, or which groups {@link meanOf}, and how. */
export interface CompareOptions {
  /**
   * With which other columns each is compared: with each, with the one before (waves), with the first (a control), or with all other people together.
   *
   * @default "each"
   */
  readonly with?: "each" | "previous" | "first" | "rest" | undefined;
  /**
   * The certainty of a letter, above 0 and below 1. With 0.95, one of twenty comparisons without a difference gets a letter by chance.
   *
   * @default 0.95
   */
  readonly level?: number | undefined;
  /**
   * The correction for the many tests of a row: `"holm"` and `"bonferroni"` limit the chance of a wrong letter in the row, `"fdr"` (Benjamini and Hochberg)
   * limits the share of wrong letters.
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
