// The axes of a cross tabulation: the values of columns, or named conditions.

import { entriesOf } from "../error/passed-object.js";
import { refusal, wrongType } from "../error/refusal.js";
import { identityOf } from "../host/identity.js";
import type { AnyColumnName, GroupKey } from "../table/column-name.js";
import type { ConditionsOf } from "../table/queries/condition.js";
import type { FindingsTable } from "../table/table.js";

/**
 * What the rows or the columns of a {@link CrosstabResult} are: the values of one column, the combinations of the values of several, or
 * conditions by name, as {@link FindingsTable.filter} takes them.
 *
 * @example
 * const mood = {
 *   negative: { Sentiment: { max: -1 } },
 *   positive: { Sentiment: { min: 1 } },
 * } satisfies Axis<InspectionFinding>;
 */
export type Axis<Finding> = AnyColumnName<Finding> | readonly AnyColumnName<Finding>[] | NamedConditions<Finding>;

/** Conditions by the name that a row or a column of a {@link CrosstabResult} gets. A finding may meet several, or none. */
export type NamedConditions<Finding> = {
  readonly [name: string]: ConditionsOf<Finding> | readonly ConditionsOf<Finding>[];
};

/** The key of a row or a column: the value of its column, a list of the values of several columns, or the name of its conditions. */
export type AxisKey<Finding, Of> = Of extends string
  ? GroupKey<Finding, readonly [Of]>[0]
  : Of extends readonly string[]
    ? GroupKey<Finding, Of>
    : keyof Of & string;

/** How many findings, or distinct values, each key has. */
export type Counted = readonly (readonly [key: unknown, count: number])[];

/** The column whose distinct values are counted, or the columns whose distinct combinations are. */
export type Distinct = string | readonly string[];

/** Any table. */
export type AnyTable = FindingsTable<unknown>;

/** A checked axis. */
export interface CheckedAxis {
  /** The names of its columns; undefined for conditions. */
  readonly names: readonly string[] | undefined;
  /** Its conditions by name. */
  readonly conditions: readonly (readonly [name: string, where: never])[];
  /** Whether a key is the value of a single column. */
  readonly isSingle: boolean;
}

/** Checks an axis, and copies it. */
export function axisOf(what: string, given: unknown): CheckedAxis {
  if (typeof given === "string") return { names: [given], conditions: [], isSingle: true };
  if (Array.isArray(given)) {
    const names = Array.from(given, (name) => {
      if (typeof name !== "string") throw wrongType(`each name of ${what}`, "the name of a column", name);
      return name;
    });
    if (names.length === 0) throw refusal(`${what} must have at least one name`);
    return { names, conditions: [], isSingle: false };
  }
  const conditions = entriesOf(
    given,
    what,
    "the name of a column, a list of names, or an object of conditions by name",
  );
  if (conditions.length === 0) throw refusal(`${what} must have at least one condition`);
  return { names: undefined, conditions: conditions as never, isSingle: false };
}

/** Counts the findings of a table for each key, or the distinct values that they have in a column, the most frequent key first. */
export function countsOf(table: AnyTable, axis: CheckedAxis, distinct: Distinct | undefined): Counted {
  const { names, conditions, isSingle } = axis;
  if (names === undefined) return conditions.map(([name, where]) => [name, countIn(table, where, distinct)]);
  const groups = distinct === undefined ? table.countBy(names) : table.countBy(names, { distinct });
  const counted = groups.map((group) => {
    const { key, count } = group;
    return [isSingle ? key[0] : key, "distinct" in group ? (group.distinct as number) : count] as const;
  });
  return counted.sort(([, one], [, other]) => other - one);
}

/** Counts all findings of a table, or the distinct values that they have in a column. */
export function countOf(table: AnyTable, distinct: Distinct | undefined): number {
  return distinct === undefined ? table.length : (table.countBy([], { distinct })[0]?.distinct ?? 0);
}

/** Returns what a function returns for the findings that meet conditions. */
export function within<Result>(table: AnyTable, where: never, read: (view: AnyTable) => Result): Result {
  const view = table.filter(where);
  try {
    return read(view);
  } finally {
    view.free();
  }
}

/** A text that two keys share if they are equal. */
export function keyIdentity(key: unknown): string {
  return Array.isArray(key) ? `[${key.map(identityOf).join()}]` : identityOf(key);
}

/** A text that two cells share if their rows and their columns are equal. */
export function placeOf({ row, column }: { readonly row: unknown; readonly column: unknown }): string {
  return `${keyIdentity(row)} ${keyIdentity(column)}`;
}

/**
 * The conditions that both of two conditions make: one object for each pair of their alternatives. Undefined if both are about the same column: an
 * object has one condition for each.
 */
export function bothOf(one: unknown, other: unknown): never | undefined {
  const [ones, others] = [one, other].map((where) => (Array.isArray(where) ? where : [where])) as [object[], object[]];
  const names = new Set(ones.flatMap((where) => Object.keys(where)));
  if (others.some((where) => Object.keys(where).some((name) => names.has(name)))) return undefined;
  return ones.flatMap((where) => others.map((more) => ({ ...where, ...more }))) as never;
}

export function countIn(table: AnyTable, where: never, distinct: Distinct | undefined): number {
  return within(table, where, (view) => countOf(view, distinct));
}
