/** DuckDB-Wasm in a worker of its own. */

import { AsyncDuckDB, VoidLogger } from "@duckdb/duckdb-wasm";
import script from "@duckdb/duckdb-wasm/dist/duckdb-browser-mvp.worker.js?url";
import module from "@duckdb/duckdb-wasm/dist/duckdb-mvp.wasm?url";

/** Starts DuckDB. The caller ends it by `terminate()`. */
export async function startDuckDB() {
  const worker = new Worker(script);
  const database = new AsyncDuckDB(new VoidLogger(), worker);
  await database.instantiate(module);
  return database;
}
