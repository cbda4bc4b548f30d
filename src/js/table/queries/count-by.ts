// How many findings, and distinct values, each combination of values has.

import { groupsOf } from "../rows/groups.js";
import type { TableData } from "../table-data.js";
import { namesAndDistinct } from "./query-arguments.js";

/** The number of findings with one combination of values. */
export interface Count<Key = readonly unknown[]> {
  /** The value of each column, in the order of the arguments. */
  readonly key: Key;
  /** The number of findings. */
  readonly count: number;
}

/** The number of findings with one combination of values, and of the distinct values that they have in another column. */
export interface DistinctCount<Key = readonly unknown[]> extends Count<Key> {
  /** The number of distinct values, without missing and null. */
  readonly distinct: number;
}

/** What {@link FindingsTable.countBy} counts besides findings. */
export interface DistinctOption<Name extends string = string> {
  /** The name of a column, such as `"RespondentKey"`: each group has the number of its distinct values. */
  readonly distinct: Name;
}

/**
 * Counts the findings of each group.
 *
 * @param given the names of columns, or a list of them; then the column whose distinct values are counted
 * @internal
 */
export function countsOf(table: TableData, given: readonly unknown[]): Count[] {
  const [paths, distinct] = namesAndDistinct(given);
  const groups = table.columns.groups(paths, [], distinct);
  const make = (key: readonly unknown[], count: number, index: number) => ({
    key,
    count,
    ...(distinct.length > 0 && { distinct: groups.distinct[index] }),
  });
  return table.read((rows) => groupsOf(rows, groups, paths.length, make, table.results.groups));
}
