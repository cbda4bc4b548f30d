// How many findings, and distinct values, each combination of values has.

import { identityOf } from "../../host/identity.js";
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

/** The number of findings with one combination of values, and of the distinct values that they have in another column, or in several. */
export interface DistinctCount<Key = readonly unknown[]> extends Count<Key> {
  /** The number of distinct values, without missing and null; of several columns, that of the combinations without them. */
  readonly distinct: number;
}

/** What {@link FindingsTable.countBy} counts besides findings. */
export interface DistinctOption<Name extends string = string> {
  /**
   * The name of a column, such as `"RespondentKey"`: each group has the number of its distinct values. A list of names counts the distinct
   * combinations of their values: `["Wave", "RespondentKey"]` where the respondents of two waves may have the same keys.
   */
  readonly distinct: Name | readonly Name[];
}

/**
 * Counts the findings of each group.
 *
 * @param given the names of columns, or a list of them; then the column whose distinct values are counted
 * @internal
 */
export function countsOf(table: TableData, given: readonly unknown[]): Count[] {
  const [paths, distinct] = namesAndDistinct(given);
  if (distinct.length > 1) return combinationsOf(table, paths, distinct);
  const groups = table.columns.groups(paths, [], distinct);
  const make = (key: readonly unknown[], count: number, index: number) => ({
    key,
    count,
    ...(distinct.length > 0 && { distinct: groups.distinct[index] }),
  });
  return groupsOf(table.reader, groups, paths.length, make, table.results.groups);
}

/** Counts the findings of each group, and the distinct combinations of their values in several columns. */
function combinationsOf(table: TableData, paths: string[], distinct: string[]): DistinctCount[] {
  const { columns, reader } = table;
  const groups = columns.groups(paths, [], []);
  // The groups by all columns but the last: each combination of values is in one of them.
  const [others, last] = [distinct.slice(0, -1), distinct.slice(-1)];
  const parts = columns.groups([...paths, ...others], [], last);
  const width = paths.length + others.length;
  const textOf = (values: unknown[], start: number) =>
    paths.map((_, column) => identityOf(values[start + column])).join();
  const [values, keys] = [reader.values(parts.keys), reader.values(groups.keys)];
  const counts = new Map<string, number>();
  parts.distinct.forEach((count, part) => {
    const start = part * width;
    if (others.some((_, column) => values[start + paths.length + column] == null)) return;
    const group = textOf(values, start);
    counts.set(group, (counts.get(group) ?? 0) + count);
  });
  const make = (key: readonly unknown[], count: number, index: number) => ({
    key,
    count,
    distinct: counts.get(textOf(keys, index * paths.length)) ?? 0,
  });
  // Without the number of its grouping, no group is the same as an earlier one, which may have another number of combinations.
  return groupsOf(reader, { ...groups, grouping: 0 }, paths.length, make, table.results.groups);
}
