// What meanOf returns.

/** A test of {@link meanOf}: whether the means of two groups differ. */
export interface MeanTest<Key = unknown> {
  /** The key of the other group. */
  readonly other: Key;
  /** The mean of the group minus that of the other. */
  readonly difference: number;
  /**
   * How many standard errors the difference is away from 0; null without any error: if nobody differs from the mean
   * of their group, or if all people differ by the same between both.
   */
  readonly t: number | null;
  /** The degrees of freedom of Student's distribution; null without `t`, and for the normal one, which is used where people are in both groups. */
  readonly freedom: number | null;
  /** The probability of a difference at least as large if there were none; null without `t`. */
  readonly p: number | null;
  /** The same, corrected for all tests. */
  readonly corrected: number | null;
}

/** The mean of a group of people. */
export interface GroupMean<Key = unknown> {
  /** The value of the column `by`, or a list of values; undefined without `by`. */
  readonly key: Key;
  /** The mean of the people's own means, or the Net Promoter Score, from −100 to 100. */
  readonly mean: number;
  /** The number of people who have a number in the column. */
  readonly people: number;
  /** The sum of their weights; without weights, their number. */
  readonly weighted: number;
  /** Their effective base (Kish). */
  readonly effective: number;
  /** The standard deviation of the people's own means; null for an effective base of at most 1. */
  readonly sd: number | null;
  /** The standard error of the mean. */
  readonly error: number | null;
  /** The interval of the mean, by Student's distribution: of 95 %, or of the option `level` of `compare`. That of a Net Promoter Score ends at −100 and 100. */
  readonly low: number | null;
  readonly high: number | null;
  /** The letter of the group; null without `compare`, and for the group of null. */
  readonly letter: string | null;
  /** The letters of the groups whose mean is smaller by more than chance. */
  readonly letters: string;
  /** The tests with later groups. */
  readonly tests: readonly MeanTest<Key>[];
}
