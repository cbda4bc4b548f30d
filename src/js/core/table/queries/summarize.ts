// Statistics of the numbers, and of the distinct values, of each group of findings.

import type { Groups } from "../../engine/engine.js";
import { isObject } from "../../host/member.js";
import { groupsOf } from "../rows/groups.js";
import type { TableData } from "../table-data.js";
import { type Aggregates, aggregatesOf, statisticOf } from "./aggregates.js";
import type { Count } from "./count-by.js";
import { columnName, columnNames } from "./query-arguments.js";

/** Statistics of the numbers of one group of findings. */
export interface Summary<Key = readonly unknown[]> {
  /** The value of each column of the group, in the order of the argument. */
  readonly key: Key;
  /** The number of findings. */
  readonly count: number;
  /** How many findings of the group have a number in the column. */
  readonly numbers: number;
  /** The sum of the numbers; 0 if there are none. */
  readonly sum: number;
  /** The smallest number; `Infinity` if there are none. */
  readonly min: number;
  /** The largest number; `-Infinity` if there are none. */
  readonly max: number;
  /** The mean of the numbers; `NaN` if there are none. */
  readonly mean: number;
}

/** The named statistics of one group of findings. */
export type Aggregated<Key, Values> = Count<Key> & { readonly [Name in keyof Values]-?: number };

/**
 * Computes the statistics of each group: all of the column `value`, or those that it names.
 *
 * @internal
 */
export function summariesOf(table: TableData, groupBy: unknown, value: string | Aggregates): Count[] {
  const paths = columnNames(groupBy);
  if (isObject(value)) return aggregated(table, paths, aggregatesOf(value));
  const groups = table.columns.groups(paths, [columnName(value, "value")], []);
  return groupsOf(table.reader, groups, paths.length, summaryFrom, table.results.groups);
}

/** Computes the named statistics, with one pass for each column. */
function aggregated(table: TableData, paths: string[], aggregates: ReturnType<typeof aggregatesOf>): Count[] {
  const { columns } = table;
  const computed = new Map<string, Groups>();
  const computedFor = (isDistinct: boolean, column: string) => {
    const name = `${isDistinct} ${column}`;
    const groups = computed.get(name) ?? columns.groups(paths, isDistinct ? [] : [column], isDistinct ? [column] : []);
    computed.set(name, groups);
    return groups;
  };
  const named = aggregates.map(
    ([name, statistic, column]) => [name, statistic, computedFor(statistic === "distinct", column)] as const,
  );
  // All of them have the same groups in the same order.
  const groups = named[0]?.[2] ?? columns.groups(paths, [], []);
  const make = (key: readonly unknown[], count: number, index: number) => {
    const entries = named.map(([name, statistic, groups]) => [name, statisticOf(statistic, groups, index)]);
    return { key, count, ...Object.fromEntries(entries) };
  };
  return groupsOf(table.reader, groups, paths.length, make, undefined);
}

function summaryFrom(key: readonly unknown[], count: number, index: number, statistics: Float64Array): Summary {
  const number = (offset: number) => statistics[4 * index + offset] as number;
  const [numbers, sum, min, max] = [number(0), number(1), number(2), number(3)];
  return { key, count, numbers, sum, min, max, mean: sum / numbers };
}
