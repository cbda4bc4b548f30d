/** The functions of www/docs/arrow.md and of the page to copy that write a table as a file: every value comes back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parquetReadObjects } from "hyparquet";
import { FindingsClient } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { inRepository } from "../../tools/repository.js";
import { saveFiles } from "./documents.js";

const recipes = saveFiles("www/docs/arrow.md");
const example = await import(inRepository("www", "examples", "export", "formats.ts"));
const contentOf = (/** @type {Iterable<[string | Uint8Array, number]>} */ pieces) =>
  Array.from(pieces, ([content]) => Buffer.from(content));
const asText = (/** @type {Iterable<[string, number]>} */ pieces) => Buffer.concat(contentOf(pieces)).toString();

/**
 * The writers of Parquet, by where they are.
 * @type {Record<string, (table: any) => ArrayBuffer>}
 */
const writers = {
  "the guide": (await import(`${recipes}/parquet.js`)).parquetOf,
  "the page to copy": (table) => new Uint8Array(Buffer.concat(contentOf(example.parquet(table)))).buffer,
};

const findings = [
  { Comment: 'a "quoted" text,\r\nin two lines', Sentiment: -2, mixed: 1, flag: true, list: [1, "2"] },
  { TopicGroup: null, Comment: "", Sentiment: 0, mixed: "one", flag: false, half: 0.5 },
  { Comment: 'say "=1", or;\t@2,+3\r\n-4', mixed: true, "name, with comma": "x" },
];

/** A table of findings as the service writes them, whose numbers keep their form. @param {string} written */
async function tableOf(written) {
  const respond = (/** @type {import("inspection-findings/testing").FakeRequest} */ { partitionIndex }) =>
    partitionIndex === undefined ? undefined : new Response(`{"Findings":${written}}`);
  const sentiment = { findings: JSON.parse(written).length, partitions: 1 };
  const { baseUrl, fetch } = createFakeService({ sentiment, scenario: { respond } });
  return new FindingsClient({ baseUrl, fetch }).loadTable(42, "sentiment");
}

const invented = createFakeService().findings("topics");
const tables = [await tableOf(JSON.stringify(findings)), await tableOf(JSON.stringify(invented))];

// The reader's own parser removes a byte order mark.
const stringFromBytes = (/** @type {Uint8Array} */ bytes) =>
  new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
const parsers = /** @type {any} */ ({ stringFromBytes });

for (const [where, parquetOf] of Object.entries(writers)) {
  test(`Parquet by ${where} has each value, of several types as JSON`, async () => {
    for (const table of tables) {
      const rows = await parquetReadObjects({ file: parquetOf(table), parsers });
      assert.equal(rows.length, table.length);
      for (const name of table.columns) {
        const values = table.column(name).map((value) => value ?? null);
        const types = new Set(values.filter((value) => value !== null).map((value) => typeof value));
        const asJSON = (/** @type {unknown} */ value) =>
          value !== null && typeof value !== "string" && (types.size > 1 || typeof value === "object");
        const expected = values.map((value) => (asJSON(value) ? JSON.stringify(value) : value));
        const read = rows.map((row) => row[name]);
        assert.deepEqual(read, expected, name);
      }
    }
  });
}

test("NDJSON by the page to copy loses nothing, neither −0 nor an infinity", async () => {
  const line = '{"Comment":"=1","small":-0,"huge":-1e999,"list":["x"]}';
  assert.equal(asText(example.ndjson(await tableOf(`[${line}]`))), `${line}\n`);
});
