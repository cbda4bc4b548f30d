// The arguments of queries: column names and directions. Checked in JavaScript, because a table without findings never
// calls Rust.

import { membersOf } from "../../argument/passed-object.js";
import { refusal, wrongType } from "../../argument/refusal.js";
import { isObject } from "../../host/member.js";

/** Checks the name of a column. */
export function columnName(name: unknown, what = "the name of a column"): string {
  if (typeof name !== "string") throw wrongType(what, "a string", name);
  return name;
}

/** Copies a list of names, or makes a list of one name. */
export function columnNames(names: unknown): string[] {
  return Array.isArray(names) ? [...names].map((name) => columnName(name)) : [columnName(names)];
}

/** Checks the directions of a sort, one for all columns or a list. Returns for each column whether the largest value comes first. */
export function descending(direction: unknown, columns: number): boolean[] {
  const directions: unknown[] = Array.isArray(direction) ? [...direction] : Array(columns).fill(direction);
  if (directions.length !== columns) {
    const got = `a list of ${directions.length} for ${columns === 1 ? "one column" : `${columns} columns`}`;
    throw refusal(`direction must be "asc", "desc", or a list with one of them for each column; got ${got}`);
  }
  return directions.map((direction) => {
    if (direction !== undefined && direction !== "asc" && direction !== "desc") {
      throw wrongType("direction", '"asc" or "desc"', direction);
    }
    return direction === "desc";
  });
}

/** The names of columns, and the columns whose distinct values are counted, if the last argument is an object that names them. */
export function namesAndDistinct(given: readonly unknown[]): [names: string[], distinct: string[]] {
  const last = given.at(-1);
  const hasOptions = isObject(last) && !Array.isArray(last);
  const distinct = hasOptions ? distinctNames(membersOf(last, "options", ["distinct"]).distinct) : [];
  const names = hasOptions ? given.slice(0, -1) : given;
  return [columnNames(names.length === 1 ? names[0] : names), distinct];
}

function distinctNames(distinct: unknown): string[] {
  if (!Array.isArray(distinct)) return [columnName(distinct, "distinct")];
  const names = [...distinct].map((name) => columnName(name, "each name of distinct"));
  if (names.length === 0) throw refusal("distinct must have at least one name");
  return names;
}
