// Means in which each person has the same weight.

import { membersOf } from "../error/passed-object.js";
import { wrongType } from "../error/refusal.js";
import type { AnyColumnName, GroupKey, NumberColumnName } from "../table/column-name.js";
import type { FindingsTable } from "../table/table.js";
import { type AnyTable, axisOf, keyIdentity } from "./axis.js";

/** Options of {@link meanOf}. */
export interface MeanOptions<Finding = unknown, By = AnyColumnName<Finding> | readonly AnyColumnName<Finding>[]> {
  /** The name of the column whose values are the people: each has the weight 1. Findings in which it is missing or null are left out. */
  readonly per: AnyColumnName<Finding>;
  /**
   * The name of a column, or a list of names, for a mean of each group.
   *
   * @default undefined, which means one group of all findings
   */
  readonly by?: By | undefined;
}

/** The mean of a group of people. */
export interface GroupMean<Key = unknown> {
  /** The value of the column `by`, or a list of values; undefined without `by`. */
  readonly key: Key;
  /** The mean of the people's own means. */
  readonly mean: number;
  /** The number of people who have a number in the column. */
  readonly people: number;
}

/** The key of a group. */
type KeyOf<Finding, By> = By extends string
  ? GroupKey<Finding, readonly [By]>[0]
  : By extends readonly string[]
    ? GroupKey<Finding, By>
    : undefined;

/**
 * Computes the mean of a column over people: the mean of each person's own mean. {@link FindingsTable.summarize} computes the mean over findings, in
 * which a person with ten findings weighs ten times as much as one with a single finding.
 *
 * @returns the groups, those of the most people first. Groups in which nobody has a number are left out.
 * @throws RangeError if no finding has a value under one of the names
 * @throws TypeError if an option is invalid
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
  const { per, names, isSingle } = checked(options);
  const groups = new Map<string, { key: unknown; sum: number; people: number }>();
  for (const { key, mean } of (table as AnyTable).summarize([...names, per], column as string)) {
    const [own, person] = [key.slice(0, -1), key.at(-1)];
    if (person === undefined || person === null || Number.isNaN(mean)) continue;
    const of = isSingle ? own[0] : names.length === 0 ? undefined : own;
    const identity = keyIdentity(of);
    const group = groups.get(identity) ?? { key: of, sum: 0, people: 0 };
    group.sum += mean;
    group.people += 1;
    groups.set(identity, group);
  }
  const means = [...groups.values()].map(({ key, sum, people }) => ({ key, mean: sum / people, people }));
  return means.sort((one, other) => other.people - one.people) as never;
}

/** Reads each option once, and checks it. */
function checked(options: MeanOptions): { per: string; names: readonly string[]; isSingle: boolean } {
  const { per, by } = membersOf(options, "options", ["by", "per"]);
  if (typeof per !== "string") throw wrongType("per", 'the name of a column, such as "RespondentKey"', per);
  if (by === undefined) return { per, names: [], isSingle: false };
  const { names, isSingle } = axisOf("by", by);
  if (names === undefined) throw wrongType("by", "the name of a column, or a list of names", by);
  return { per, names, isSingle };
}
