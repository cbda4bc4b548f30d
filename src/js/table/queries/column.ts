// The values of a column as a list.

import { keysOf } from "../column-path.js";
import { OBJECT } from "../rows/cell.js";
import { listOf } from "../rows/list.js";
import type { TableData } from "../table-data.js";
import { columnName } from "./query-arguments.js";

/** Copies the values of a column; undefined where it is missing. */
export function columnOf(table: TableData, path: string): unknown[] {
  const values = table.columns.column(columnName(path)) ?? [];
  if (values instanceof Int32Array) return listOf(values.length, (row) => values[row]);
  const keys = keysOf(path);
  return table.read((rows) => {
    const object = (row: number) => reach(rows.rows(row, row + 1)[0], keys);
    return listOf(values.length, (row) => (values[row] === OBJECT ? object(row) : rows.value(values, row)));
  });
}

/** Returns the value under these nested keys. */
function reach(value: unknown, keys: string[]): unknown {
  return keys.reduce((object, key) => (object as Record<string, unknown>)[key], value);
}
