/** Workbooks of Excel: another reader finds every value in them, and no text runs as a formula. */

import { Buffer } from "node:buffer";
import { Duplex } from "node:stream";
import { crc32, createDeflateRaw, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import { FindingsTable } from "inspection-findings";
import { xlsxOf } from "inspection-findings/export";
import { crosstab } from "inspection-findings/survey";
import readWorkbook, { type SheetData } from "read-excel-file/node";
import { expect, test } from "vitest";
import { cellReader } from "../../../src/js/subpaths/export/finding-cells.js";
import { type Sheet, workbook } from "../../../src/js/subpaths/export/workbook.js";
import type { Compressor } from "../../../src/js/subpaths/export/zip-file.js";
import { timesOf } from "../../counts.js";
import { cellsOf, hostile } from "./export-findings.js";

const columns = ["a", "b", "c.d"];

/** Texts out of what a control character is written as, and such characters. */
const escapes = fc
  .array(fc.constantFrom("_", "x", "X", "0041", "005f", "D83D", "\u0001", "\r"), { maxLength: 8 })
  .map((parts) => parts.join(""));

test("gives back every text, number and truth value, and the digits of an integer that Excel would round, as text", async () => {
  const value = fc.oneof(
    fc.constantFrom(...hostile, "_x0041_", "_X0041_", "a_x000D_b", "&amp;<b>]]>", true, false, null),
    fc.string({ unit: "binary" }),
    escapes,
    fc.integer(),
    fc.constantFrom(999_999_999_999_999, -999_999_999_999_999, 1e15, 2 ** 53 + 2, 9007199254740993n, 1e300),
    fc.double({ noNaN: true, noDefaultInfinity: true, noInteger: true }),
  );
  const findings = fc.array(fc.record({ a: value, b: value, c: fc.record({ d: value }) }, { requiredKeys: [] }), {
    minLength: 1,
    maxLength: 5,
  });
  await fc.assert(
    fc.asyncProperty(findings, async (findings) => {
      // The reader skips empty rows, so each has a number.
      const names = ["row", ...columns];
      const numbered = findings.map((finding, row) => ({ row, ...finding }));
      const data = await sheetOf({ columns: names }, numbered);
      const rows = data.slice(1).map((row) => names.map((_, column) => row[column] ?? null));
      expect(rows).toEqual(numbered.map((finding) => cellsOf(finding, names).map(inSheet)));
    }),
    { numRuns: timesOf(300), examples: [[[{ a: "_x0041\u0001", b: "_x005F\u0001_x0041_" }]]] },
  );
});

test("has a part for each relation, and a type for each part, with styles that readers require", async () => {
  const parts = filesIn(await bytesOf({ columns: ["a"] }));
  const texts = new Map(Array.from(parts, ([name, bytes]) => [name, bytes.toString()]));
  const targets = (name: string) =>
    Array.from(texts.get(name)?.matchAll(/Target="([^"]+)"/g) ?? [], ([, target]) => target);
  const related = [...targets("_rels/.rels"), ...targets("xl/_rels/workbook.xml.rels").map((target) => `xl/${target}`)];
  const typed = Array.from(
    texts.get("[Content_Types].xml")?.matchAll(/PartName="\/([^"]+)"/g) ?? [],
    ([, name]) => name,
  );
  const expected = ["xl/styles.xml", "xl/workbook.xml", "xl/worksheets/sheet1.xml"];
  expect([related.sort(), typed.sort()]).toEqual([expected, expected]);
  expect([...texts.keys()]).toEqual(expect.arrayContaining(expected));
  // Each cell without a style has the first one.
  const styles = /<cellXfs count="5">(.*)<\/cellXfs>/.exec(texts.get("xl/styles.xml") ?? "")?.[1];
  expect(styles?.match(/<xf [^>]*\/>/g)).toHaveLength(5);
  expect(styles).toMatch(/^<xf numFmtId="0" fontId="0" /);
});

test("has a share as a number with the format of a percentage", async () => {
  const table = await FindingsTable.from(["a", "b"].map((G) => ({ G, S: "x" })));
  const file = await xlsxOf(crosstab(table, "G", "S"), { values: "share" });
  const parts = filesIn(Buffer.from(await file.arrayBuffer()));
  const [, style] = / s="(\d)"><v>0\.5</.exec(`${parts.get("xl/worksheets/sheet1.xml")}`) ?? [];
  const styles = `${parts.get("xl/styles.xml")}`;
  expect(styles.split("<cellXfs")[1]?.match(/numFmtId="\d+"/g)?.[Number(style)]).toBe('numFmtId="164"');
  expect(styles).toContain('<numFmt numFmtId="164" formatCode="0.0 %"/>');
});

test("without findings, has the names of the columns", async () => {
  const sheets = await readWorkbook(await bytesOf({ columns: ["a", "=1+1"] }, []));
  expect(sheets).toEqual([{ sheet: "Findings", data: [["a", "=1+1"]] }]);
});

test("is refused for what a sheet has no room for, not written without it", async () => {
  const bytesWith = (...batches: object[][]) => bytesOf({ columns: ["a"], maxRows: 4 }, ...batches);
  await expect(bytesWith([{ a: "x".repeat(32_767) }, {}], [{}])).resolves.toBeInstanceOf(Buffer);
  await expect(bytesWith([{}, {}], [{}], [{}])).rejects.toThrow(
    "a sheet has room for 3 rows, and there are at least 4: use CSV instead",
  );
  await expect(bytesWith([{}, { a: "x".repeat(32_768) }])).rejects.toThrow(
    'the text of row 3 in the column "a" has 32768',
  );
  await expect(bytesOf({ columns: Array.from({ length: 16_385 }, String) })).rejects.toThrow("at most 16384 columns");
});

test("keeps its first row in view, with a filter over all rows and columns as wide as their texts", async () => {
  const parts = filesIn(
    await bytesOf({ columns: ["a", "b"] }, [{ a: 1, b: "x".repeat(20) }, { b: "y".repeat(99) }], [{}]),
  );
  const sheet = parts.get("xl/worksheets/sheet1.xml")?.toString() ?? "";
  expect(sheet).toContain('<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/>');
  expect(sheet).toContain('<autoFilter ref="A1:B4"/></worksheet>');
  expect(sheet.match(/ width="\d+"/g)).toEqual([' width="8"', ' width="60"']);
  expect(sheet).toContain('<row r="1"><c r="A1" s="1" t="inlineStr">');
});

test("has dates in the named columns, where a text is one of ISO 8601, and else the text", async () => {
  const texts = ["2026-03-01", "2026-03-01T12:30:00Z", "2026-03-01 12:30", "2026-03-01T00:30:00.5+02:00", "1900-03-01"];
  const others = ["2026-02-30", "2026-3-1", "1 March 2026", "1899-12-31", "2026-03-01T24:00", "2026-03-01T12", ""];
  const rows = [...texts, ...others].map((a) => ({ a, b: "2026-03-01" }));
  const data = await sheetOf({ columns: ["a", "b"], dates: ["a"] }, rows);
  const utc = (...date: [number, number, number, number?, number?, number?, number?]) => new Date(Date.UTC(...date));
  // The reader cuts off what is left of a millisecond.
  const rounded = (cell: unknown) => (cell instanceof Date ? new Date(Math.round(Number(cell) / 10) * 10) : cell);
  expect(data.slice(1).map(([a]) => rounded(a))).toEqual([
    ...[
      utc(2026, 2, 1),
      utc(2026, 2, 1, 12, 30),
      utc(2026, 2, 1, 12, 30),
      utc(2026, 1, 28, 22, 30, 0, 500),
      utc(1900, 2, 1),
    ],
    ...others.map((text) => inSheet(text)),
  ]);
  expect(new Set(data.slice(1).map(([, b]) => b))).toEqual(new Set(["2026-03-01"]));
});

test("nothing is left running when the rows, the compressor or the reader fails", async () => {
  const failure = new Error("no more");
  let ended = 0;
  async function* failing() {
    try {
      yield [["x".repeat(30_000)]];
      throw failure;
    } finally {
      ended++;
    }
  }
  const all = async (rows: AsyncIterable<unknown[][]>, made = compressor) =>
    Array.fromAsync(workbook({ columns: ["a"] }, rows, made));
  await expect(all(failing())).rejects.toBe(failure);
  expect(ended).toBe(1);
  const erring = () => {
    const { readable, writable } = new TransformStream({ transform: () => Promise.reject(failure) });
    return { readable, writable } as Compressor;
  };
  await expect(all(failing(), erring)).rejects.toBe(failure);
  for await (const _ of workbook({ columns: ["a"] }, failing(), compressor)) break;
  await expect.poll(() => ended).toBe(2);
});

/** The rows of a workbook. */
async function sheetOf(sheet: Sheet, ...batches: object[][]): Promise<SheetData> {
  return (await readWorkbook(await bytesOf(sheet, ...batches), { trim: false }))[0]?.data ?? [];
}

async function bytesOf(sheet: Sheet, ...batches: object[][]): Promise<Buffer> {
  async function* rows() {
    for (const findings of batches) yield findings.map(cellReader(sheet.columns));
  }
  return Buffer.concat(await Array.fromAsync(workbook(sheet, rows(), compressor)));
}

function compressor(): Compressor {
  return Duplex.toWeb(createDeflateRaw()) as Compressor;
}

/** A cell as a reader of workbooks gives it back. */
function inSheet(cell: unknown): unknown {
  if (typeof cell === "bigint" || (Number.isInteger(cell) && Math.abs(cell as number) >= 1e15)) return `${cell}`;
  return cell === undefined || cell === "" ? null : cell;
}

/** The files of an archive, by its directory. */
function filesIn(bytes: Buffer): Map<string, Buffer> {
  const files = new Map<string, Buffer>();
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  let at = bytes.readUInt32LE(end + 16);
  expect(at + bytes.readUInt32LE(end + 12)).toBe(end);
  for (let count = bytes.readUInt16LE(end + 10); count > 0; count--) {
    const place = bytes.readUInt32LE(at + 42);
    expect([bytes.readUInt32LE(at), bytes.readUInt32LE(place)]).toEqual([0x02014b50, 0x04034b50]);
    const name = bytes.toString("utf8", at + 46, at + 46 + bytes.readUInt16LE(at + 28));
    const content = place + 30 + Buffer.byteLength(name);
    const file = inflateRawSync(bytes.subarray(content, content + bytes.readUInt32LE(at + 20)));
    expect([bytes.readUInt32LE(at + 16), bytes.readUInt32LE(at + 24)]).toEqual([crc32(file), file.length]);
    files.set(name, file);
    at += 46 + Buffer.byteLength(name);
  }
  expect(at).toBe(end);
  return files;
}
