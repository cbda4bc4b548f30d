/** Workbooks of Excel: another reader finds every value in them, and no text runs as a formula. */

import { Buffer } from "node:buffer";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import readWorkbook, { type SheetData } from "read-excel-file/node";
import { expect, test } from "vitest";
import { XlsxFile } from "../../src/js/command/xlsx-file.js";
import { ZipFile } from "../../src/js/command/zip-file.js";
import { timesOf } from "../counts.js";
import { scenarioOf } from "../service/bodies.js";
import { exported, fake, prepareScene, requests, run, scene } from "./command-run.js";
import { cellsOf, type Finding, hostile } from "./export-findings.js";

prepareScene();

const columns = ["a", "b", "c.d"];

/** Texts out of what a control character is written as, and such characters. */
const escapes = fc
  .array(fc.constantFrom("_", "x", "X", "0041", "005f", "D83D", "\u0001", "\r"), { maxLength: 8 })
  .map((parts) => parts.join(""));

test("gives back every text, number and truth value, whatever it is", async () => {
  const value = fc.oneof(
    fc.constantFrom(...hostile, "_x0041_", "_X0041_", "a_x000D_b", "&amp;<b>]]>", true, false, null),
    fc.string({ unit: "binary" }),
    escapes,
    fc.integer(),
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
      const [sheet] = await sheetsOf(names, numbered);
      const rows = sheet?.data.slice(1).map((row) => names.map((_, column) => row[column] ?? null));
      expect(rows).toEqual(numbered.map((finding) => cellsOf(finding, names).map(inSheet)));
    }),
    { numRuns: timesOf(300), examples: [[[{ a: "_x0041\u0001", b: "_x005F\u0001_x0041_" }]]] },
  );
});

test("keeps the digits of an integer that Excel would round, as text", async () => {
  const values = [999_999_999_999_999, -999_999_999_999_999, 1e15, 2 ** 53 + 2, 9007199254740993n, 1e300];
  const [sheet] = await sheetsOf(
    ["a"],
    values.map((a) => ({ a })),
  );
  expect(sheet?.data.slice(1).flat()).toEqual([
    ...[
      999_999_999_999_999,
      -999_999_999_999_999,
      "1000000000000000",
      "9007199254740994",
      "9007199254740993",
      "1e+300",
    ],
  ]);
});

test("has no row that a sheet has no room for: it is refused, and before anything is fetched if the total is known", async () => {
  const file = new XlsxFile(["a"], 4);
  const add = (...values: number[]) => [...file.add(values.map((a) => ({ a })))];
  expect(() => [...file.begin(), add(1, 2), add(3)]).not.toThrow();
  expect(() => add(4)).toThrow("A sheet has rows for 3 findings, and there are at least 4. Export to a .csv");
  fake.use(scenarioOf(["{}"], 1_048_576));
  const { code, stderr } = await run(exported("findings.xlsx"));
  expect(stderr).toContain("A sheet has rows for 1048575 findings, and there are at least 1048576. Export to a .csv");
  expect(code).toBe(1);
  expect(requests).toHaveLength(1);
  expect(readdirSync(scene.folder)).toEqual([]);
});

test("has a part for each relation, and a type for each part, with styles that readers require", () => {
  const file = new XlsxFile(["a"]);
  const parts = filesIn(Buffer.concat([...file.begin(), ...file.end()]));
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
  expect(texts.get("xl/styles.xml")).toMatch(/<cellXfs count="1"><xf [^>]*\/><\/cellXfs>/);
});

test("without findings, has the names of the columns", async () => {
  expect(await sheetsOf(["a", "=1+1"], [])).toEqual([{ sheet: "Findings", data: [["a", "=1+1"]] }]);
});

test("is refused for what a sheet has no room for, not written without it", () => {
  const file = new XlsxFile(["a"]);
  expect(() => [...file.begin(), ...file.add([{ a: "x".repeat(32_767) }])]).not.toThrow();
  expect(() => [...file.add([{ a: "x".repeat(32_768) }])]).toThrow('the text of row 3 in the column "a" has 32768');
  expect(() => [...file.add([{ b: 1 }])]).toThrow('no column for the field "b"');
  expect(() => new XlsxFile(Array.from({ length: 16_385 }, String))).toThrow("at most 16384 columns");
});

test("export writes every finding into a workbook", async () => {
  expect(await run(exported("findings.xlsx"))).toEqual({ code: 0, stdout: "", stderr: "" });
  const [sheet] = await readWorkbook(join(scene.folder, "findings.xlsx"), { trim: false });
  const [names = [], ...rows] = sheet?.data ?? [];
  const findings = fake.findings("sentiment") as unknown as Finding[];
  expect(rows).toHaveLength(findings.length);
  expect(rows).toEqual(findings.map((finding) => cellsOf(finding, names as string[]).map(inSheet)));
});

async function sheetsOf(names: string[], findings: object[]): Promise<{ sheet: string; data: SheetData }[]> {
  const file = new XlsxFile(names);
  const bytes = Buffer.concat([...file.begin(), ...file.add(findings), ...file.end()]);
  return await readWorkbook(bytes, { trim: false });
}

/** A cell as a reader of workbooks gives it back. */
function inSheet(cell: unknown): unknown {
  return cell === undefined || cell === "" ? null : cell;
}

test("is an archive whose directory names each file, its place and its check value", () => {
  const zip = new ZipFile();
  const texts: Record<string, string[]> = { "a.xml": ["<a>", "é".repeat(70_000), "</a>"], "b/b.xml": ["<b/>"] };
  const parts = Object.entries(texts).flatMap(([name, pieces]) => [
    zip.begin(name),
    ...pieces.map((piece) => zip.write(piece)),
    zip.end(),
  ]);
  const files = filesIn(Buffer.concat([...parts, zip.close()]));
  expect([...files]).toEqual(Object.entries(texts).map(([name, pieces]) => [name, Buffer.from(pieces.join(""))]));
});

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
