// The values of a column as a list.

import { keysOf } from "../column-path.js";
import { OBJECT } from "../rows/cell.js";
import { listOf } from "../rows/list.js";
import type { Finding } from "../rows/row-layout.js";
import type { TableData } from "../table-data.js";
import { columnName } from "./query-arguments.js";

/** The maximum number of rows whose objects are built together. */
const BATCH = 256;

/** Rows are built together if at least one row in this many has an object. */
const ROWS_PER_OBJECT = 4;

/** Copies the values of a column; undefined where it is missing. */
export function columnOf(table: TableData, path: string): unknown[] {
  const cells = table.columns.column(columnName(path));
  if (cells instanceof Int32Array) return listOf(cells.length, (row) => cells[row]);
  const keys = keysOf(path);
  return table.read((rows) => {
    let [from, built]: [number, Finding[]] = [0, []];
    const object = (row: number) => {
      if (row >= from + built.length) [from, built] = [row, rows.rows(row, endOfBatch(cells, row))];
      return reach(built[row - from], keys);
    };
    return rows.values(cells).map((value, row) => (cells[row] === OBJECT ? object(row) : value));
  });
}

/** The end of the rows from this one on that are built together: the last one has an object, as many of them have. */
function endOfBatch(cells: ArrayLike<number>, from: number): number {
  const last = Math.min(from + BATCH, cells.length);
  let [end, objects] = [from + 1, 0];
  for (let row = from; row < last; row++) {
    if (cells[row] !== OBJECT) continue;
    objects++;
    if (row < from + objects * ROWS_PER_OBJECT) end = row + 1;
  }
  return end;
}

/** Returns the value under these nested keys. */
function reach(value: unknown, keys: string[]): unknown {
  return keys.reduce((object, key) => (object as Record<string, unknown>)[key], value);
}
