// The numbers of a column as a typed array.

import type { TableData } from "../table-data.js";
import { columnName } from "./query-arguments.js";

/** Copies the numbers of a column; undefined if a value is no number. */
export function numbersOf(table: TableData, path: string): Float64Array<ArrayBuffer> | undefined {
  const column = table.columns.column(columnName(path));
  if (column instanceof Int32Array) return new Float64Array(column);
  const [distinct, positions] = column;
  const values = table.reader.values(distinct);
  if (!values.every((value) => typeof value === "number")) return undefined;
  const numbers = new Float64Array(positions.length);
  for (let row = 0; row < numbers.length; row++) numbers[row] = values[positions[row] as number] as number;
  return numbers;
}
