// SQL over a table, by DuckDB-Wasm.

import { toArrowIPC } from "inspection-findings/arrow";

/**
 * Asks DuckDB-Wasm about the findings of a table.
 * @param {import("@duckdb/duckdb-wasm").AsyncDuckDB} database
 * @param {import("inspection-findings").FindingsTable} table
 * @param {string} sql about the table `findings`
 */
export async function askSQL(database, table, sql) {
  const connection = await database.connect();
  try {
    await connection.insertArrowFromIPCStream(toArrowIPC(table), { name: "findings" });
    return (await connection.query(sql)).toArray().map((row) => row.toJSON());
  } finally {
    await connection.close();
  }
}
