// The arguments of queries: column names and directions. Checked in JavaScript, because a table without findings never
// calls Rust.

import { described, refusal, wrongType } from "../error/refusal.js";
import { isObject } from "../host/member.js";

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

/** The names of columns, and the column whose distinct values are counted, if a last argument has its name. */
export function namesAndDistinct(given: readonly unknown[]): [names: string[], distinct: string[]] {
  const names = [...given];
  const last = names.at(-1);
  const hasOptions = isObject(last) && !Array.isArray(last) && Object.keys(last).length > 0;
  const { distinct, ...others } = (hasOptions ? names.pop() : {}) as { distinct?: unknown };
  for (const name of Object.keys(others))
    throw refusal(`unknown option ${described(name)}; the only option is distinct`);
  return [columnNames(names.length === 1 ? names[0] : names), distinct === undefined ? [] : [columnName(distinct)]];
}
