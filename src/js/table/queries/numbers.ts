// The numbers of a column as a typed array.

import type { TableData } from "../table-data.js";
import { columnName } from "./query-arguments.js";

/** Copies the numbers of a column; undefined if a value is no number. */
export function numbersOf(table: TableData, path: string): Float64Array<ArrayBuffer> | undefined {
  const cells = table.columns.column(columnName(path));
  if (cells instanceof Int32Array) return new Float64Array(cells);
  const values = table.read((rows) => rows.values(cells));
  return values.every((value) => typeof value === "number") ? new Float64Array(values as number[]) : undefined;
}
