/** Tables in DuckDB-Wasm: the recipe of the documentation, and every value by SQL. */

import { AsyncDuckDB, VoidLogger } from "@duckdb/duckdb-wasm";
import script from "@duckdb/duckdb-wasm/dist/duckdb-browser-mvp.worker.js?url";
import module from "@duckdb/duckdb-wasm/dist/duckdb-mvp.wasm?url";
import { toArrowIPC } from "inspection-findings/arrow";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { askSQL } from "www/docs/arrow.md/ask-sql.js";
import { readByFlechette } from "../arrow/streams.js";
import { makeBodies } from "../benchmark/corpora.js";
import { expectFindings } from "./arrow-values.js";
import { likelyFindings, load } from "./tables.js";
import { takeSaid } from "./trouble.js";

/** @type {AsyncDuckDB} it runs in its own worker */
let database;

beforeAll(async () => {
  database = new AsyncDuckDB(new VoidLogger(), new Worker(script));
  await database.instantiate(module);
});

afterAll(() => database.terminate());

afterEach(() => {
  // DuckDB-Wasm has an older apache-arrow inside, which asserts aloud what holds.
  expect(takeSaid().filter((words) => !words.startsWith("assert: true "))).toEqual([]);
});

/**
 * Writes a table, inserts it, and reads all of it by SQL.
 * @param {import("./tables.js").Table} table
 * @param {import("inspection-findings/arrow").ArrowOptions} [options]
 */
async function throughSQL(table, options) {
  const connection = await database.connect();
  try {
    await connection.query("DROP TABLE IF EXISTS findings");
    const stream = toArrowIPC(table, options);
    const { columns } = readByFlechette(stream);
    await connection.insertArrowFromIPCStream(stream, { name: "findings" });
    const result = await connection.query("SELECT * FROM findings");
    return {
      metadata: new Map(),
      columns: result.schema.fields.map(({ name, type }, index) => ({
        name,
        type: String(type),
        metadata: columns[index]?.metadata ?? new Map(),
        values: Array.from(/** @type {any} */ (result.getChildAt(index))),
      })),
    };
  } finally {
    await connection.close();
  }
}

test("the recipe for DuckDB-Wasm answers SQL about a table", async () => {
  const table = await load([likelyFindings(500)]);
  const sql = `SELECT TopicGroup, count(*)::INT AS count, sum(Sentiment)::INT AS sum FROM findings
    WHERE "Topic.Start" < 100 GROUP BY TopicGroup`;
  const rows = await askSQL(database, table, sql);
  using some = table.filter({ "Topic.Start": { max: 99 } });
  const groups = some.summarize(["TopicGroup"], "Sentiment");
  const expected = groups.map(({ key, count, sum }) => ({ TopicGroup: key[0], count, sum }));
  expect(new Set(rows)).toEqual(new Set(expected));
});

test("the recipe answers at the same time, each call about its own table, and leaves none behind", async () => {
  const sql = "SELECT count(*)::INT AS count FROM findings";
  const sizes = [3, 5, 2];
  const tables = await Promise.all(sizes.map((size) => load([likelyFindings(size)])));
  const answers = await Promise.all(tables.map((table) => askSQL(database, table, sql)));
  expect(answers).toEqual(sizes.map((count) => [{ count }]));
  const connection = await database.connect();
  expect((await connection.query("SELECT * FROM duckdb_tables()")).numRows).toBe(0);
  await connection.close();
});

describe("every value comes back from DuckDB-Wasm", () => {
  const odd =
    '[{"a":-0,"b":"\\ud800","c":[1],"d":true,"e":"","f":1e400},{"a":0.5,"b":null,"d":null,"e":"a\\u0000b"},{"c":"x","f":1}]';
  const { bodies } = makeBodies("emoji and mixed scripts", { findings: 600, partitions: 2 });
  const cases = /** @type {const} */ ([
    ["odd findings", [`{"Findings":${odd}}`]],
    ["mixed scripts", bodies.map((body) => new TextDecoder().decode(body))],
    ["a table without findings", ['{"Findings":[]}']],
  ]);

  test.for(cases)("of %s", async ([, texts]) => {
    const findings = texts.flatMap((text) => JSON.parse(text).Findings);
    const table = await load([...texts]);
    for (const options of /** @type {const} */ ([{}, { strings: "utf8" }])) {
      expectFindings(await throughSQL(table, options), findings, table.columns);
    }
  });
});
