// The arguments of queries: column names and directions. Checked in JavaScript, because a table without findings never
// calls Rust.

import { wrongType } from "../error/refusal.js";

/** Checks the name of a column. */
export function columnName(name: unknown): string {
  if (typeof name !== "string") throw wrongType("the name of a column", "a string", name);
  return name;
}

/** Copies a list of names, or makes a list of one name. */
export function columnNames(names: unknown): string[] {
  return Array.isArray(names) ? Array.from(names, columnName) : [columnName(names)];
}

/** Checks the directions of a sort, one for all columns or a list. Returns for each column whether the largest value comes first. */
export function descending(direction: unknown, columns: number): boolean[] {
  const directions: unknown[] = Array.isArray(direction) ? Array.from(direction) : Array(columns).fill(direction);
  if (directions.length > columns)
    throw wrongType("direction", "a list of at most one direction for each column", direction);
  return directions.map((direction) => {
    if (direction !== undefined && direction !== "asc" && direction !== "desc") {
      throw wrongType("direction", '"asc" or "desc"', direction);
    }
    return direction === "desc";
  });
}

/** The index of each statistic among those that Rust computes for a group. The mean needs its sum. */
export const STATISTICS = { numbers: 0, sum: 1, min: 2, max: 3, mean: 1 } as const;

/** Copies the column of each statistic. */
export function statisticColumns(values: object): [keyof typeof STATISTICS, string][] {
  return Object.entries(values).map(([statistic, column]) => {
    if (!Object.hasOwn(STATISTICS, statistic))
      throw wrongType(
        "value",
        "a column name, or an object with a column name for numbers, sum, min, max or mean",
        values,
      );
    return [statistic as keyof typeof STATISTICS, columnName(column)];
  });
}
