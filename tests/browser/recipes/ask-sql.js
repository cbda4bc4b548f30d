// SQL over a table, by DuckDB-Wasm.

import { toArrowIPC } from "inspection-findings/arrow";

let calls = 0;

/**
 * Asks DuckDB-Wasm about the findings of a table.
 * @param {import("@duckdb/duckdb-wasm").AsyncDuckDB} database
 * @param {import("inspection-findings").FindingsTable} table
 * @param {string} sql about the table `findings`
 */
export async function askSQL(database, table, sql) {
  const connection = await database.connect();
  calls += 1;
  const name = `findings_${calls}`;
  try {
    await connection.insertArrowFromIPCStream(toArrowIPC(table), { name });
    // A temporary view belongs to its connection, so calls do not see each other's findings.
    await connection.query(`CREATE TEMP VIEW findings AS FROM ${name}`);
    return (await connection.query(sql)).toArray().map((row) => row.toJSON());
  } finally {
    await connection.query(`DROP TABLE IF EXISTS ${name}`);
    await connection.close();
  }
}
