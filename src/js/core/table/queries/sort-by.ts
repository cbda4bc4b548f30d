// The findings in the order of their values.

import type { Columns } from "../../engine/engine.js";
import type { TableData } from "../table-data.js";
import { columnNames, descending } from "./query-arguments.js";

/** A direction of a sort. */
export type Direction = "asc" | "desc";

/** A direction for each of these columns. */
export type Directions<Names> = Names extends readonly unknown[]
  ? { readonly [Index in keyof Names]: Direction | undefined }
  : readonly [Direction | undefined];

/**
 * Sorts the findings by columns, in one direction or in one for each.
 *
 * @internal
 */
export function sorted(table: TableData, names: unknown, direction: unknown): Columns {
  const paths = columnNames(names);
  const areDescending = descending(direction, paths.length);
  return table.columns.sortBy(paths, areDescending);
}
