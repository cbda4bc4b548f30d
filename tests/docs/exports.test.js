/** The recipes of www/docs/arrow.md that write a table as CSV and as Parquet: every value comes back. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { parse } from "csv-parse/sync";
import { parquetReadObjects } from "hyparquet";
import { FindingsClient } from "inspection-findings";
import { createFakeService } from "inspection-findings/testing";
import { saveFiles } from "./documents.js";

const recipes = saveFiles("www/docs/arrow.md");
const [{ csvOf }, { parquetOf }] = await Promise.all(["csv", "parquet"].map((name) => import(`${recipes}/${name}.js`)));

const odd = [
  {
    TopicGroup: "=1+1",
    Comment: 'a "quoted" text,\r\nin two lines',
    Sentiment: -2,
    mixed: 1,
    flag: true,
    list: [1, "2"],
  },
  { TopicGroup: null, Comment: "", Sentiment: 0, mixed: "one", flag: false, half: 0.5 },
  { TopicGroup: "good;=1+1", Comment: 'say "=1", or;\t@2,+3\r\n-4' },
  { TopicGroup: "@a", Comment: "\ufeffmark", mixed: true, "name, with comma": "x" },
];

/** @param {object[][]} [sentiment] the findings of each partition; otherwise invented ones */
async function tableOf(sentiment) {
  const { baseUrl, fetch } = createFakeService({ sentiment });
  return new FindingsClient({ baseUrl, fetch }).loadTable(42, "sentiment");
}

for (const [what, findings] of /** @type {const} */ ([
  ["invented findings", undefined],
  ["odd findings", [odd]],
])) {
  test(`CSV has each value of ${what}, and no formula`, async () => {
    const table = await tableOf(findings && [...findings.map((partition) => [...partition])]);
    const [header, ...rows] = parse(csvOf(table), { relax_column_count: false });
    assert.deepEqual(header, table.columns);
    assert.equal(rows.length, table.length);
    for (const [column, name] of table.columns.entries()) {
      const values = table.column(name).map(textOf);
      assert.deepEqual(
        rows.map((row) => row[column]),
        values,
        name,
      );
    }
    // A spreadsheet may split at other separators, and without regard to quotes.
    for (const cells of [rows.flat(), csvOf(table).split(/[,;\t\r\n]/), csvOf(table).split(/[,;"\t\r\n]/)]) {
      const formulas = cells.filter(
        (/** @type {string} */ cell) => /^"*[=+\-@\t\r]/.test(cell) && Number.isNaN(Number(cell)),
      );
      assert.deepEqual(formulas, []);
    }
  });

  test(`Parquet has each value of ${what}`, async () => {
    const table = await tableOf(findings && [...findings.map((partition) => [...partition])]);
    // The reader's own parser removes a byte order mark.
    const stringFromBytes = (/** @type {Uint8Array} */ bytes) =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    const parsers = /** @type {any} */ ({ stringFromBytes });
    const rows = await parquetReadObjects({ file: parquetOf(table), parsers });
    assert.equal(rows.length, table.length);
    for (const name of table.columns) {
      const values = table.column(name).map((value) => value ?? null);
      const isMixed = new Set(values.filter((value) => value !== null).map((value) => typeof value)).size > 1;
      const expected = values.map((value) =>
        (isMixed && typeof value !== "string" && value !== null) || (typeof value === "object" && value !== null)
          ? JSON.stringify(value)
          : value,
      );
      assert.deepEqual(
        rows.map((row) => row[name]),
        expected,
        name,
      );
    }
  });
}

test("the columns of CSV can be chosen, and a table without findings has a header", async () => {
  const names = ["TopicGroup", "Sentiment"];
  assert.match(csvOf(await tableOf(), names), /^"TopicGroup","Sentiment"\r\n"/);
  assert.equal(csvOf(await tableOf([]), names), '"TopicGroup","Sentiment"\r\n');
});

/**
 * A text with an apostrophe at each place where a spreadsheet may begin a cell that looks like a formula.
 * @param {string} text
 */
function guarded(text) {
  return Array.from(text, (character, index) => {
    const before = index === 0 ? "," : text[index - 1];
    return ',;"\t\r\n'.includes(before) && "=+-@\t\r".includes(character) ? `'${character}` : character;
  }).join("");
}

/**
 * A value as the recipe writes it.
 * @param {unknown} value
 */
function textOf(value) {
  if (value === undefined || value === null) return "";
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return typeof value === "number" || typeof value === "boolean" ? text : guarded(text);
}
