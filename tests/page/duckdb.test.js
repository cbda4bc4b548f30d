/** The recipe of the documentation for DuckDB-Wasm. Every value by SQL is read by tests/readers/arrow. */

import { AsyncDuckDB, VoidLogger } from "@duckdb/duckdb-wasm";
import script from "@duckdb/duckdb-wasm/dist/duckdb-browser-mvp.worker.js?url";
import module from "@duckdb/duckdb-wasm/dist/duckdb-mvp.wasm?url";
import { expect, test } from "vitest";
import { askSQL } from "www/docs/files.md/ask-sql.js";
import { likelyFindings, load } from "./tables.js";
import { takeSaid } from "./trouble.js";

test("the recipe for DuckDB-Wasm answers SQL about several tables at the same time, and leaves none behind", async () => {
  const database = new AsyncDuckDB(new VoidLogger(), new Worker(script));
  await database.instantiate(module);
  const sql = `SELECT TopicGroup, count(*)::INT AS count, sum(Sentiment)::INT AS sum FROM findings
    WHERE "Topic.Start" < 100 GROUP BY TopicGroup`;
  const tables = await Promise.all([500, 5, 2].map((size) => load([likelyFindings(size)])));
  const answers = await Promise.all(tables.map((table) => askSQL(database, table, sql)));
  for (const [index, table] of tables.entries()) {
    using some = table.filter({ "Topic.Start": { max: 99 } });
    const groups = some.summarize(["TopicGroup"], "Sentiment");
    const expected = groups.map(({ key, count, sum }) => ({ TopicGroup: key[0], count, sum }));
    expect(new Set(answers[index])).toEqual(new Set(expected));
  }
  const connection = await database.connect();
  expect((await connection.query("SELECT * FROM duckdb_tables()")).numRows).toBe(0);
  await connection.close();
  await database.terminate();
  // DuckDB-Wasm has an older apache-arrow inside, which asserts aloud what holds.
  expect(takeSaid().filter((words) => !words.startsWith("assert: true "))).toEqual([]);
});
