// The numbers of a column as a typed array.

import type { TableData } from "../table-data.js";
import { columnName } from "./query-arguments.js";

/** Copies the numbers of a column; undefined if a value is no number. */
export function numbersOf(table: TableData, path: string): Float64Array<ArrayBuffer> | undefined {
  const values = table.columns.column(columnName(path));
  if (values instanceof Int32Array) return new Float64Array(values);
  return table.read((rows) => {
    const numbers = new Float64Array(values.length);
    for (let row = 0; row < values.length; row++) {
      const value = rows.value(values, row);
      if (typeof value !== "number") return undefined;
      numbers[row] = value;
    }
    return numbers;
  });
}
