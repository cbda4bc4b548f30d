// A table as a Parquet file.

import { parquetWriteBuffer } from "hyparquet-writer";

/**
 * Writes all columns of a table as a Parquet file.
 * @param {import("inspection-findings").FindingsTable} table
 */
export function parquetOf(table) {
  const columnData = table.columns.map((name) => {
    const values = table.column(name).map((value) => value ?? null);
    const kinds = new Set(values.filter((value) => value !== null).map((value) => typeof value));
    if (kinds.size === 1 && kinds.has("number")) return { name, data: values, type: /** @type {const} */ ("DOUBLE") };
    if (kinds.size === 1 && kinds.has("boolean")) return { name, data: values, type: /** @type {const} */ ("BOOLEAN") };
    const data = values.map((value) => (value === null || typeof value === "string" ? value : JSON.stringify(value)));
    return { name, data, type: /** @type {const} */ ("STRING") };
  });
  return parquetWriteBuffer({ columnData });
}
