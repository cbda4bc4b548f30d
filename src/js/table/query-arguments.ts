// The arguments of queries: column names and directions. Checked in JavaScript, because a table without findings never
// calls Rust.

import { wrongType } from "../client/options/refusal.js";

/** Checks the name of a column. */
export function columnName(name: unknown): string {
  if (typeof name !== "string") throw wrongType("the name of a column", "a string", name);
  return name;
}

/** Copies a list of names, or makes a list of one name. */
export function columnNames(names: unknown): string[] {
  return Array.isArray(names) ? Array.from(names, columnName) : [columnName(names)];
}

/** Checks the direction of a sort. */
export function sortDirection(direction: unknown): "asc" | "desc" {
  if (direction === undefined) return "asc";
  if (direction !== "asc" && direction !== "desc") throw wrongType("direction", '"asc" or "desc"', direction);
  return direction;
}
