/** CSV: it gives back what was found, and no spreadsheet takes a text in it for a formula, however it splits the file. */

import { isDeepStrictEqual } from "node:util";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type CsvSeparator, csvWriting, SEPARATORS, usualForm } from "../../../src/js/subpaths/export/csv-writer.js";
import { cellReader } from "../../../src/js/subpaths/export/finding-cells.js";
import { timesOf } from "../../counts.js";
import { cellsOf, type Finding, hostile } from "./export-findings.js";
import { readCsv } from "./file-readers.js";
import { allQuoteRules, importCells, type QuoteRule } from "./importers.js";

/** Texts out of the characters that importers have a meaning for. */
const awkward = fc
  .array(fc.constantFrom(...'aa"" =+-@＝,;\t\r\n\'', "\r\n", "\u200b", "\0"), { maxLength: 12 })
  .map((characters) => characters.join(""));
const text = fc.oneof(awkward, fc.string({ unit: "binary" }), fc.constantFrom(...hostile), fc.string());
const scalar = fc.oneof(text, fc.integer(), fc.double({ noNaN: true }), fc.constantFrom(-0, -5, true, false, null));
const value = fc.oneof({ weight: 5, arbitrary: scalar }, { weight: 1, arbitrary: fc.array(scalar, { maxLength: 3 }) });
const columns = ["a", "b", "c.d"];
const separator = fc.constantFrom(...SEPARATORS);
const findings = fc.array(fc.record({ a: value, b: value, c: fc.record({ d: value }) }, { requiredKeys: [] }), {
  maxLength: 5,
});

test("gives back every text, number and truth value, whatever it is", () => {
  fc.assert(
    fc.property(findings, separator, (findings, separator) => {
      const rows = readCsv(Buffer.from(fileOf(columns, findings, separator)), separator);
      return isDeepStrictEqual(rows, [columns, ...findings.map((finding) => cellsOf(finding, columns))]);
    }),
    { numRuns: timesOf(10_000) },
  );
});

// P45
test("no cell with text begins as a formula does, whichever of comma, semicolon and tab splits the file, and whatever quotes mean", () => {
  fc.assert(
    fc.property(findings, fc.array(text, { minLength: 3, maxLength: 3 }), separator, (findings, names, separator) => {
      const records = findings.map(({ a, b, c }) => recordOf(names, [a, b, c?.d]));
      const files = [fileOf(columnsOf(names), records, separator), fileOf(names, [], separator)];
      return files.flatMap(unsafeCells).length === 0;
    }),
    { numRuns: timesOf(20_000) },
  );
});

test("numbers are the numbers of every reader, negative ones too", () => {
  const file = fileOf(["a", "b"], [{ a: -5, b: -0.25 }, { a: 5, b: -1e-7 }, { b: -3 }]);
  expect(file).toBe('\ufeff"a","b"\r\n -5,-0.25\r\n5,-1e-7\r\n,-3\r\n');
  expect(fileOf(["a"], [{ a: -5 }])).toBe('\ufeff"a"\r\n-5\r\n');
  expect(parse(file.slice(1), { cast: (cell, { header }) => (header ? cell : Number(cell)) }).slice(1)).toEqual([
    [-5, -0.25],
    [5, -1e-7],
    [0, -3],
  ]);
});

test("texts as people write them are not changed, except before a sign at the beginning of a line", () => {
  const unchanged = [
    ...["It’s fine; really, 3-4 times", "a = b", "Pros:\n\nquiet\r\n\r\nclean", "mail me@here.test", "ends here,\n"],
    ...["'tis"],
  ];
  for (const text of unchanged) {
    expect(fileOf(["a", "b"], [{ a: text, b: 1 }])).toContain(`"${text}",1`);
  }
  expect(fileOf(["a", "b"], [{ a: "Pros:\n- quiet\n- clean", b: 1 }])).toContain(`"Pros:\n'- quiet\n'- clean",1`);
});

test.for<[columns: string[], findings: [finding: object, line: string][]]>([
  [
    ["a\\.b", "a.b", "a.c\\\\d", "e", ""],
    [
      [
        { "a.b": 1, a: { b: 2, "c\\d": "three" }, e: [1, { x: null }], "": false },
        '1,2,"three","[1,{""x"":null}]",false',
      ],
      [{ a: {}, e: {} }, ",,,,"],
      [{ a: null, e: { unknown: -0 } }, ',,,"{""unknown"":-0}",'],
    ],
  ],
  // Also beside one that holds nothing, or beside values of another type.
  [
    ["a.b", "a"],
    [
      [{ a: { b: "x", c: {} } }, '"x",'],
      [{ a: { b: "x", c: { d: { e: {} }, f: null } } }, '"x",'],
      [{ a: { c: {} } }, ","],
      [{ a: "y" }, ',"y"'],
      [{ a: { b: "x", c: [] } }, ',"{""b"":""x"",""c"":[]}"'],
      [{ a: { b: { g: 1 } } }, '"{""g"":1}",'],
    ],
  ],
])("gives a field inside an object its own column, and an array one cell: %j", ([columns, findings]) => {
  const lines = linesWith(columns);
  for (const [finding, line] of findings) expect(lines([finding])).toBe(`${line}\r\n`);
});

function fileOf(columns: string[], findings: Finding[], separator: CsvSeparator = ","): string {
  const { head } = csvWriting(columns, usualForm(separator));
  return (head + linesWith(columns, separator)(findings)).toWellFormed();
}

/** Returns what writes findings as lines. */
function linesWith(columns: string[], separator: CsvSeparator = ","): (findings: object[]) => string {
  const { lines } = csvWriting(columns, usualForm(separator));
  return (findings) => lines(findings.map(cellReader(columns)));
}

/** Columns by their names, with what has a meaning in a path escaped. */
function columnsOf(names: string[]): string[] {
  return names.map((name, index) => `${index}${name}`.replace(/[\\.]/g, "\\$&"));
}

function recordOf(names: string[], values: unknown[]): Finding {
  return Object.fromEntries(names.map((name, index) => [`${index}${name}`, values[index] ?? null]));
}

/** What any importer would take for a formula. */
function unsafeCells(file: string): string[] {
  const found: string[] = [];
  for (const separators of [",", ";", "\t", ",;\t", ";\t"]) {
    for (const quotes of allQuoteRules) {
      for (const endsAtReturn of [true, false]) {
        const cells = importCells(file.slice(1), { separators, quotes, endsAtReturn });
        const unsafe = cells.filter((cell) => isUnsafe(cell) || isUnsafe(withoutMargin(cell, quotes)));
        found.push(...unsafe.map((cell) => JSON.stringify({ separators, quotes, endsAtReturn, cell })));
      }
    }
  }
  return found;
}

/** Whether a cell that is no number begins as no cell may. */
function isUnsafe(cell: string): boolean {
  return /^[=+\-@＝＋－＠\t\r]/.test(cell) && !/^-?\d+(?:[.,]\d+)?(?:e[+-]?\d+)?$/.test(cell);
}

/**
 * A cell without what an importer may drop at its beginning: characters that do not show, and quotes where they have no
 * meaning. A number there keeps its space.
 */
function withoutMargin(cell: string, quotes: QuoteRule): string {
  const margin = quotes === "ignored" ? /^[[\s"\p{Cc}\p{Cf}]--[\r\n]]+/v : /^[[\s\p{Cc}\p{Cf}]--[\r\n]]+/v;
  return /^ -\d/.test(cell) ? cell : cell.replace(margin, "");
}
