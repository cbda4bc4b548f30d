// Means in which each person counts once, and how certain they are.

import { membersOf } from "../argument/passed-object.js";
import { described, outOfRange, refusal, typeOf, wrongType } from "../argument/refusal.js";
import type { AnyColumnName, NumberColumnName } from "../table/column-name.js";
import type { FindingsTable } from "../table/table.js";
import { type AxisKey, axisOf, nameOrNames, textOf } from "./axis.js";
import { type AnyTable, checkTable, Numbering } from "./coded-table.js";
import { type Comparison, corrected, joinedLetters, letterOf, pairsOf } from "./compare.js";
import { type CompareOptions, comparisonOf } from "./compare-options.js";
import { quantileT, twoSided, twoSidedT } from "./distribution.js";
import { increase } from "./increase.js";
import { compareNumbers, ownOrder } from "./order.js";
import { kish } from "./tally.js";
import { Side, Units, walk } from "./walk.js";
import { weightOf, weightsOf } from "./weights.js";

/** Options of {@link meanOf}. */
export interface MeanOptions<Finding = unknown, By = AnyColumnName<Finding> | readonly AnyColumnName<Finding>[]> {
  /**
   * The name of the column whose values are the people, or a list of names: each person counts once. Findings in which one is missing or null are left
   * out.
   */
  readonly per: AnyColumnName<Finding> | readonly AnyColumnName<Finding>[];
  /**
   * The name of a column, or a list of names, for a mean of each group. Null and missing are one group.
   *
   * @default undefined, which means one group of all findings
   */
  readonly by?: By | undefined;
  /**
   * The weight of each person: the name of a column, or a `Map` by person. Needs `per` with one name.
   *
   * @default undefined, which means 1
   */
  readonly weight?: string | ReadonlyMap<unknown, number> | undefined;
  /**
   * What the numbers are: scores from 0 to 10 of which the Net Promoter Score is computed, where 9 and 10 count as 100, and 0 to 6 as −100.
   *
   * @default undefined, which means their mean
   */
  readonly as?: "nps" | undefined;
  /** Compares the groups, as {@link crosstab} compares columns: by Welch's test, or by the normal distribution where people are in two groups. */
  readonly compare?: CompareOptions | undefined;
}

/** A test of {@link meanOf}: whether the means of two groups differ. */
export interface MeanTest<Key = unknown> {
  /** The key of the other group. */
  readonly other: Key;
  /** The mean of the group minus that of the other. */
  readonly difference: number;
  /** How many standard errors the difference is away from 0. */
  readonly t: number;
  /** The degrees of freedom of Student's distribution; null for the normal one, which is used where people are in both groups. */
  readonly freedom: number | null;
  /** The probability of a difference at least as large if there were none. */
  readonly p: number;
  /** The same, corrected for all tests. */
  readonly corrected: number;
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
  /** The interval of the mean, by Student's distribution: of 95 %, or of the option `level` of `compare`. */
  readonly low: number | null;
  readonly high: number | null;
  /** The letter of the group; null without `compare`, and for the group of null. */
  readonly letter: string | null;
  /** The letters of the groups than which the mean is larger by more than chance. */
  readonly letters: string;
  /** The tests with later groups. */
  readonly tests: readonly MeanTest<Key>[];
}

/** The key of a group. */
type KeyOf<Finding, By> = [By] extends [undefined] ? undefined : AxisKey<Finding, By>;

/**
 * Computes the mean of a column over people: the mean of each person's own mean. {@link FindingsTable.summarize} computes the mean over findings, in
 * which a person with ten findings weighs ten times as much as one with a single finding.
 *
 * @returns the groups: numbers, months, and texts that differ in their numbers in their own order, others by their people; null last. Groups in which nobody has a number, or all weights are 0, are left out.
 * @throws RangeError if no finding has a value under one of the names, or if a score of the Net Promoter Score is not from 0 to 10
 * @throws TypeError if an option is invalid, if the column has texts, if a weight is no number of at least 0, or if groups that are compared share people
 * and `overlap` is not given
 * @example
 * import { meanOf } from "inspection-findings/survey";
 *
 * for (const { key, mean, people } of meanOf(table, "Sentiment", { by: "TopicGroup", per: "RespondentKey" })) {
 *   console.log(key, mean.toFixed(2), `${people} people`);
 * }
 */
export function meanOf<
  Finding,
  const By extends AnyColumnName<Finding> | readonly AnyColumnName<Finding>[] | undefined = undefined,
>(
  table: FindingsTable<Finding>,
  column: NumberColumnName<Finding>,
  options: MeanOptions<Finding, By>,
): GroupMean<KeyOf<Finding, By>>[] {
  const source = checkTable(table);
  if (typeof column !== "string") throw wrongType("column", "the name of a column of numbers", column);
  const question = questionOf(source, options);
  const { per, by, weight, as, compare } = question;
  const people = { names: per, numbering: new Numbering(), isSingle: per.length === 1, needsValue: true };
  const [side, values] = [new Side(by), new Side(axisOf(source, "column", column))];
  const batches = walk(source, by.length === 0 ? undefined : side, values, people);
  const units = new Units(batches, side, values, weightsOf(source, people, weight));
  const keys = side.blocks[0]?.numbering.keys ?? [undefined];
  const points = pointsOf(units, keys.length, scoresOf(column, values.blocks[0]?.numbering.keys ?? [], as));
  const own = keys.map((): number[] => []);
  points.groups.forEach((group, at) => {
    own[group]?.push(at);
  });
  const groups = keys.map((key, group) => summaryOf(key, points, own[group] as number[], compare?.level ?? 0.95));
  const found = groups.map((_, at) => at).filter((at) => (groups[at] as Summary).weighted > 0);
  // As the columns of a tabulation: waves follow one another.
  const valued = found.filter((at) => keys[at] !== null);
  const numbers = by[0]?.isSingle ? ownOrder(valued.map((at) => keys[at])) : undefined;
  const places = new Map(valued.map((at, place) => [at, numbers?.[place]]));
  const rank = (at: number) => (keys[at] === null ? -1 : (groups[at] as Summary).people);
  found.sort((one, other) => {
    const [a, b] = [places.get(one), places.get(other)];
    return (a && b && compareNumbers(a, b)) || rank(other) - rank(one);
  });
  return withLetters(groups, found, points, compare) as never;
}

/** A group without its comparisons. */
type Summary = Omit<GroupMean, "letter" | "letters" | "tests">;

/** The mean of each person in each group: those of a person follow one another. */
interface Points {
  readonly people: number[];
  readonly groups: number[];
  readonly means: number[];
  readonly weights: number[];
}

/** The number that each value counts as; null for none. */
function scoresOf(column: string, values: readonly unknown[], as: MeanOptions["as"]): (number | null)[] {
  return values.map((value) => {
    if (value === null) return null;
    if (typeof value !== "number")
      throw refusal(
        `the mean of ${described(column)} needs numbers, and the column has ${typeOf(value)}, such as ${described(value)}: make numbers of it`,
      );
    if (as === undefined) return value;
    if (!(value >= 0 && value <= 10))
      throw outOfRange(`each score in ${described(column)}`, "a number from 0 to 10", value);
    return value >= 9 ? 100 : value <= 6 ? -100 : 0;
  });
}

function pointsOf(
  { count, starts, rows, columns, weights }: Units,
  groupCount: number,
  scores: readonly (number | null)[],
): Points {
  const points: Points = { people: [], groups: [], means: [], weights: [] };
  const [sums, numbers] = [new Float64Array(groupCount), new Float64Array(groupCount)];
  for (let person = 0; person < count; person++) {
    const own: number[] = [];
    for (let item = starts[person] as number; item < (starts[person + 1] as number); item++) {
      const score = scores[columns[item] as number];
      if (score === null || score === undefined) continue;
      // Without groups, no item has a row.
      const group = Math.max(0, rows[item] as number);
      if (numbers[group] === 0) own.push(group);
      increase(sums, group, score);
      increase(numbers, group, 1);
    }
    for (const group of own) {
      points.people.push(person);
      points.groups.push(group);
      points.means.push((sums[group] as number) / (numbers[group] as number));
      points.weights.push(weights[person] as number);
      sums[group] = numbers[group] = 0;
    }
  }
  return points;
}

/** Computes the mean of a group, and its interval. */
function summaryOf(key: unknown, { means, weights }: Points, own: readonly number[], level: number): Summary {
  const sum = (value: (x: number, weight: number) => number) =>
    own.reduce((sum, at) => sum + value(means[at] as number, weights[at] as number), 0);
  const [weighted, squares] = [sum((_, weight) => weight), sum((_, weight) => weight ** 2)];
  const effective = kish(weighted, squares);
  const mean = sum((x, weight) => x * weight) / weighted;
  const sd =
    effective > 1 ? Math.sqrt(sum((x, weight) => weight * (x - mean) ** 2) / (weighted - squares / weighted)) : null;
  const error = sd === null ? null : sd / Math.sqrt(effective);
  const half = error === null ? 0 : quantileT(1 - level, effective - 1) * error;
  const [low, high] = error === null ? [null, null] : [mean - half, mean + half];
  return { key, mean, people: own.length, weighted, effective, sd, error, low, high };
}

/** Compares groups, which come in this order. */
function withLetters(
  groups: readonly Summary[],
  found: readonly number[],
  points: Points,
  compare: Comparison | undefined,
): GroupMean[] {
  const compared = compare === undefined ? [] : found.filter((at) => groups[at]?.key !== null);
  const letters = new Map(compared.map((at, number) => [at, letterOf(number)]));
  const shared = compare === undefined ? new Map<number, Covariance>() : covariancesOf(groups, points);
  const tests = pairsOf(compared, compare?.with ?? "each").flatMap(([one, other]) => {
    const both = shared.get(one * groups.length + (other as number));
    const test = testOf(groups[one] as Summary, groups[other as number] as Summary, both, compare as Comparison);
    return test === undefined ? [] : [{ one, other: other as number, ...test }];
  });
  const ps = corrected(
    tests.map(({ p }) => p),
    compare?.correction ?? "none",
  );
  const won = new Map<number, string[]>();
  tests.forEach(({ one, other, difference }, at) => {
    if (!((ps[at] as number) < 1 - (compare as Comparison).level)) return;
    const [winner, loser] = difference > 0 ? [one, other] : [other, one];
    won.set(winner, [...(won.get(winner) ?? []), letters.get(loser) as string]);
  });
  const own = new Map(found.map((at) => [at, [] as MeanTest[]]));
  tests.forEach(({ one, other, ...test }, at) => {
    own.get(one)?.push({ other: groups[other]?.key, ...test, corrected: ps[at] as number });
  });
  return found.map((at) => ({
    ...(groups[at] as Summary),
    letter: letters.get(at) ?? null,
    letters: joinedLetters(won.get(at) ?? []),
    tests: own.get(at) as MeanTest[],
  }));
}

/** The people who are in two groups: their number and weights, and the products of their distances from both means. */
interface Covariance {
  people: number;
  weight: number;
  squares: number;
  one: number;
  other: number;
  oneSquared: number;
  otherSquared: number;
  product: number;
}

function covariancesOf(
  groups: readonly Summary[],
  { people, groups: of, means, weights }: Points,
): Map<number, Covariance> {
  const shared = new Map<number, Covariance>();
  const add = (one: number, other: number) => {
    const place = (of[one] as number) * groups.length + (of[other] as number);
    const sums = shared.get(place) ?? {
      people: 0,
      weight: 0,
      squares: 0,
      one: 0,
      other: 0,
      oneSquared: 0,
      otherSquared: 0,
      product: 0,
    };
    shared.set(place, sums);
    const weight = weights[one] as number;
    const [x, y] = [one, other].map((at) => (means[at] as number) - (groups[of[at] as number] as Summary).mean) as [
      number,
      number,
    ];
    sums.people++;
    sums.weight += weight;
    sums.squares += weight ** 2;
    sums.one += weight * x;
    sums.other += weight * y;
    sums.oneSquared += weight * x * x;
    sums.otherSquared += weight * y * y;
    sums.product += weight * x * y;
  };
  for (let start = 0, end = 1; start < people.length; start = end) {
    for (end = start + 1; people[end] === people[start]; ) end++;
    for (let one = start; one < end; one++)
      for (let other = start; other < end; other++) if (one !== other) add(one, other);
  }
  return shared;
}

/** Tests two groups; undefined if that is not possible. */
function testOf(
  one: Summary,
  other: Summary,
  both: Covariance | undefined,
  { overlap, leastBase }: Comparison,
): Omit<MeanTest, "other" | "corrected"> | undefined {
  if (both !== undefined && overlap === undefined)
    throw refusal(
      `${both.people} people are in ${textOf(one.key)} and in ${textOf(other.key)}: pass overlap "account", or "independent" to test as if they were others`,
    );
  const [first, second] = [one.sd, other.sd];
  if (first === null || second === null || Math.min(one.effective, other.effective) < leastBase) return undefined;
  const difference = one.mean - other.mean;
  const [a, b] = [first ** 2 / one.effective, second ** 2 / other.effective];
  if (both !== undefined && overlap === "account") {
    const covariance =
      (2 * correlation(both) * first * second * kish(both.weight, both.squares)) / one.effective / other.effective;
    const t = difference / Math.sqrt(a + b - covariance);
    return Number.isFinite(t) ? { difference, t, freedom: null, p: twoSided(t) } : undefined;
  }
  const t = difference / Math.sqrt(a + b);
  const freedom = (a + b) ** 2 / (a ** 2 / (one.effective - 1) + b ** 2 / (other.effective - 1));
  return Number.isFinite(t) ? { difference, t, freedom, p: twoSidedT(t, freedom) } : undefined;
}

/** How the means of the people in both groups go together; 0 if one does not vary. */
function correlation({ people, weight, one, other, oneSquared, otherSquared, product }: Covariance): number {
  if (people < 2 || !(weight > 0)) return 0;
  const [x, y] = [oneSquared - one ** 2 / weight, otherSquared - other ** 2 / weight];
  return Math.min(x, y) > 1e-12 ? (product - (one * other) / weight) / Math.sqrt(x * y) : 0;
}

/** Reads each option once, and checks it. */
function questionOf(table: AnyTable, options: unknown) {
  const {
    per: given,
    by,
    weight,
    as,
    compare: how,
  } = membersOf(options, "options", ["per", "by", "weight", "as", "compare"], {
    expected: 'an object with per, the column of the people: { per: "RespondentKey" }',
  });
  const per = nameOrNames("per", given);
  if (as !== undefined && as !== "nps") throw wrongType("as", '"nps"', as);
  const compare = comparisonOf(how);
  if (compare?.with === "rest") throw refusal('compare of means is with "each", "previous" or "first"');
  const blocks = by === undefined ? [] : axisOf(table, "by", by);
  if (blocks.some(({ conditions, of }) => conditions.length > 0 || of !== undefined))
    throw wrongType("by", "the name of a column, or a list of names", by);
  return { per, by: blocks, weight: weightOf(weight, per, "per"), as, compare } as const;
}
