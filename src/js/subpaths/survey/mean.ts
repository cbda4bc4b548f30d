// Means in which each person counts once, and how certain they are.

import { membersOf } from "../../core/argument/passed-object.js";
import { described, outOfRange, wrongType } from "../../core/argument/refusal.js";
import type { AnyColumnName, AskedName, NumberColumnName } from "../../core/table/column-name.js";
import type { FindingsTable } from "../../core/table/table.js";
import { type AskedAxis, type AxisKey, axisOf, nameOrNames, valueOfKey } from "./axis.js";
import { type AnyTable, checkTable, Numbering } from "./coded-table.js";
import type { Point, Summary } from "./comparing.js";
import { COMPARING, type Comparison, comparisonOf } from "./comparison.js";
import { quantileOf, twoSidedT } from "./distribution.js";
import { increase } from "./increase.js";
import type { GroupMean } from "./mean-result.js";
import { checkOrder } from "./order.js";
import { know } from "./reading.js";
import { orderOf, sortedCodes } from "./rows.js";
import { kish, rounded } from "./tally.js";
import { numbersOf, Side, Units, walk } from "./walk.js";
import { weightOf, weightsOf } from "./weights.js";

/** Options of {@link meanOf}. */
export interface MeanOptions<
  Finding = unknown,
  By = AnyColumnName<Finding> | readonly AnyColumnName<Finding>[],
  Per extends string = string,
> {
  /**
   * The name of the column whose values are the people, or a list of names: each person counts once. Findings in which one is missing or null are left
   * out.
   */
  readonly per: AskedName<Finding, Per> | readonly AskedName<Finding, Per>[];
  /**
   * The name of a column, or a list of names, for a mean of each group. Null and missing are one group.
   *
   * @default undefined, which means one group of all findings
   */
  readonly by?: By | undefined;
  /**
   * The order of the groups: the one with the most people first, as `"given"` (the first occurrence of a value), or a list of values that come first.
   * `compare` with `"previous"` or `"first"` needs it where the names of the groups say no order.
   *
   * @default the order that the names say: numbers, bands, dates, months, periods with a year, and versions; others by their people
   */
  readonly order?: "total" | "given" | readonly unknown[] | undefined;
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
  /**
   * Compares the groups, as {@link crosstab} compares columns: pass a result of {@link letters}.
   *
   * @default undefined, which compares nothing
   */
  readonly compare?: Comparison | undefined;
}

/** The key of a group. */
type KeyOf<Finding, By> = [By] extends [undefined] ? undefined : AxisKey<Finding, By>;

/**
 * Computes the mean of a column over people: the mean of each person's own mean. {@link FindingsTable.summarize} computes the mean over findings, in
 * which a person with ten findings weighs ten times as much as one with a single finding.
 *
 * @returns the groups; null last. Groups in which nobody has a number, or all weights are 0, are left out.
 * @throws RangeError if no finding has a value under one of the names, if a score of the Net Promoter Score is not from 0 to 10, or if a listed value differs
 * only in case, in spaces at its ends, or as number and text from one that is not listed
 * @throws TypeError if an option is invalid, if the column has texts, if a weight is neither 0 nor from 1e-100 to 1e100, if groups that are compared share
 * people and `overlap` is not given, or if they are compared in an order that neither their names nor `order` say
 * @example
 * import { meanOf } from "inspection-findings/survey/means";
 *
 * for (const { key, mean, people } of meanOf(table, "Sentiment", { by: "TopicGroup", per: "RespondentKey" })) {
 *   console.log(key, mean.toFixed(2), `${people} people`);
 * }
 */
export function meanOf<
  Finding,
  const By extends AnyColumnName<Finding> | readonly AnyColumnName<Finding>[] | undefined = undefined,
  const Per extends string = string,
>(
  table: FindingsTable<Finding>,
  column: NumberColumnName<Finding>,
  options: MeanOptions<NoInfer<Finding>, By, Per> & { readonly by?: AskedAxis<NoInfer<Finding>, By> | undefined },
): GroupMean<KeyOf<Finding, By>>[] {
  const source = checkTable(table);
  if (typeof column !== "string") throw wrongType("column", "the name of a column of numbers", column);
  const question = questionOf(source, options);
  const { per, by, order, weight, as, compare } = question;
  const people = { names: per, numbering: new Numbering(), isSingle: per.length === 1, needsValue: true };
  const [side, values] = [new Side(by), new Side(axisOf(source, "column", column))];
  const batches = walk(source, by.length === 0 ? undefined : side, values, people);
  know("order", side, order);
  const units = new Units(batches, side, values, weightsOf(source, people, weight));
  const keys = side.blocks[0]?.numbering.keys ?? [undefined];
  const points = pointsOf(units, keys.length, scoresOf(column, values, as));
  const own = keys.map((): Point[] => []);
  for (const point of points) own[point.group]?.push(point);
  const limit = as === undefined ? Number.POSITIVE_INFINITY : 100;
  const groups = keys.map((key, at) => summaryOf(key, own[at] as Point[], compare?.level ?? 0.95, limit));
  const [block] = side.blocks;
  const isFound = (at: number) => (groups[at] as Summary).weighted > 0;
  const peopleOf = (at: number) => (groups[at] as Summary).people;
  const found = block ? sortedCodes(block, order, peopleOf, () => source, isFound) : [0].filter(isFound);
  const named = found.map((at) => keys[at]).filter((key) => valueOfKey(key) !== null);
  checkOrder(compare?.with, named, order, "order");
  const compared = compare?.[COMPARING].groups(groups, found, points);
  return found.map((at, place) => ({
    ...groups[at],
    ...(compared?.[place] ?? { letter: null, letters: "", tests: [] }),
  })) as never;
}

/** The number that each value counts as; null for none. */
function scoresOf(column: string, values: Side, as: MeanOptions["as"]): (number | null)[] {
  return numbersOf(values).map((value) => {
    if (as === undefined || value === null) return value;
    if (!(value >= 0 && value <= 10))
      throw outOfRange(`each score in ${described(column)}`, "a number from 0 to 10", value);
    return value >= 9 ? 100 : value <= 6 ? -100 : 0;
  });
}

function pointsOf(
  { count, starts, rows, columns, weights }: Units,
  groupCount: number,
  scores: readonly (number | null)[],
): Point[] {
  const points: Point[] = [];
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
      const mean = (sums[group] as number) / (numbers[group] as number);
      points.push({ person, group, mean, weight: weights[person] as number });
      sums[group] = numbers[group] = 0;
    }
  }
  return points;
}

/** Computes the mean of a group, and its interval, which ends at a limit. */
function summaryOf(key: unknown, own: readonly Point[], level: number, limit: number): Summary {
  const sum = (value: (x: number, weight: number) => number) =>
    own.reduce((sum, { mean, weight }) => sum + value(mean, weight), 0);
  const [total, squares] = [sum((_, weight) => weight), sum((_, weight) => weight ** 2)];
  const [weighted, effective] = [rounded(total), kish(own.length, total, squares)];
  // From the first on: the mean of equal numbers is that number, whatever their weights are.
  const first = own[0]?.mean ?? 0;
  const mean = first + sum((x, weight) => (x - first) * weight) / total;
  const spread = Math.sqrt(sum((x, weight) => weight * (x - mean) ** 2) / (total - squares / total));
  // People's own means of 0.1 and 0.2, and of 0.15, are equal but for what a double loses.
  const sd = effective > 1 ? (spread > 1e-13 * Math.abs(mean) ? spread : 0) : null;
  const error = sd === null ? null : sd / Math.sqrt(effective);
  const half = error ? quantileOf(1 - level, (t) => twoSidedT(t, effective - 1)) * error : 0;
  const [low, high] = error === null ? [null, null] : [Math.max(-limit, mean - half), Math.min(limit, mean + half)];
  return { key, mean, people: own.length, weighted, effective, sd, error, low, high };
}

/** Reads each option once, and checks it. */
function questionOf(table: AnyTable, options: unknown) {
  const read = membersOf(options, "options", ["per", "by", "order", "weight", "as", "compare"], {
    expected: 'an object with per, the column of the people: { per: "RespondentKey" }',
  });
  const { by, as } = read;
  const per = nameOrNames("per", read.per);
  if (as !== undefined && as !== "nps") throw wrongType("as", '"nps"', as);
  const compare = comparisonOf(read.compare);
  const blocks = by === undefined ? [] : axisOf(table, "by", by);
  if (blocks.some(({ conditions, of }) => conditions.length > 0 || of !== undefined))
    throw wrongType("by", "the name of a column, or a list of names", by);
  const [order, weight] = [orderOf("order", read.order), weightOf(read.weight, per, "per")] as const;
  return { per, by: blocks, order, weight, as, compare } as const;
}
