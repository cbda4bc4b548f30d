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
const ROWS_PER_OBJECT = 10;

/** Copies the values of a column; undefined where it is missing. */
export function columnOf(table: TableData, path: string): unknown[] {
  const column = table.columns.column(columnName(path));
  if (column instanceof Int32Array) return listOf(column.length, (row) => column[row]);
  const [distinct, positions] = column;
  const keys = keysOf(path);
  const { reader } = table;
  const shared = reader.values(distinct);
  const values = new Array<unknown>(positions.length);
  // Calls of a function would take as long as all the rest.
  for (let row = 0; row < values.length; row++) values[row] = shared[positions[row] as number];
  if (!distinct.includes(OBJECT)) return values;
  const hasObject = (row: number) => distinct[positions[row] as number] === OBJECT;
  let [from, built]: [number, Finding[]] = [0, []];
  for (let row = 0; row < values.length; row++) {
    if (!hasObject(row)) continue;
    if (row >= from + built.length) [from, built] = [row, reader.rows(row, endOfBatch(hasObject, row, values.length))];
    values[row] = reach(built[row - from], keys);
  }
  return values;
}

/** The end of the rows from this one on that are built together: the last one has an object, as many of them have. */
function endOfBatch(hasObject: (row: number) => boolean, from: number, length: number): number {
  const last = Math.min(from + BATCH, length);
  let [end, objects] = [from + 1, 0];
  for (let row = from; row < last; row++) {
    if (!hasObject(row)) continue;
    objects++;
    if (row < from + objects * ROWS_PER_OBJECT) end = row + 1;
  }
  return end;
}

/** Returns the value under these nested keys. */
function reach(value: unknown, keys: string[]): unknown {
  return keys.reduce((object, key) => (object as Record<string, unknown>)[key], value);
}
