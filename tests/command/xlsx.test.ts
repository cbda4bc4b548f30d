/** Workbooks of Excel: another reader finds every value in them, and no text runs as a formula. */

import { Buffer } from "node:buffer";
import { join } from "node:path";
import { crc32, inflateRawSync } from "node:zlib";
import fc from "fast-check";
import readWorkbook, { type SheetData } from "read-excel-file/node";
import { expect, test } from "vitest";
import { XlsxFile } from "../../src/js/command/xlsx-file.js";
import { ZipFile } from "../../src/js/command/zip-file.js";
import { timesOf } from "../counts.js";
import { exported, fake, prepareScene, run, scene } from "./command-run.js";
import { cellsOf, type Finding, hostile } from "./export-findings.js";

prepareScene();

const columns = ["a", "b", "c.d"];

test("gives back every text, number and truth value, whatever it is", async () => {
  const value = fc.oneof(
    fc.constantFrom(...hostile, "_x0041_", "_X0041_", "a_x000D_b", "&amp;<b>]]>", true, false, null),
    fc.string({ unit: "binary" }),
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
    { numRuns: timesOf(300) },
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

test("begins another sheet, with the names of the columns, where one is full", async () => {
  const findings = Array.from({ length: 7 }, (_, a) => ({ a }));
  const sheets = await sheetsOf(["a"], findings, 4);
  expect(sheets).toEqual([
    { sheet: "Findings", data: [["a"], [0], [1], [2]] },
    { sheet: "Findings 2", data: [["a"], [3], [4], [5]] },
    { sheet: "Findings 3", data: [["a"], [6]] },
  ]);
});

test("without findings, has the names of the columns", async () => {
  expect(await sheetsOf(["a", "=1+1"], [])).toEqual([{ sheet: "Findings", data: [["a", "=1+1"]] }]);
});

test("is refused for what a sheet has no room for, not written without it", () => {
  const file = new XlsxFile(["a"]);
  expect(() => [...file.add([{ a: "x".repeat(32_767) }])]).not.toThrow();
  expect(() => [...file.add([{ a: "x".repeat(32_768) }])]).toThrow('a text of 32768 in the column "a"');
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

async function sheetsOf(
  names: string[],
  findings: object[],
  maxRows?: number,
): Promise<{ sheet: string; data: SheetData }[]> {
  const file = new XlsxFile(names, maxRows);
  const bytes = Buffer.concat([...file.add(findings), ...file.end()]);
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
  const bytes = Buffer.concat([...parts, zip.close()]);
  const end = bytes.length - 22;
  expect(bytes.readUInt32LE(end)).toBe(0x06054b50);
  expect(bytes.readUInt16LE(end + 10)).toBe(2);
  let at = bytes.readUInt32LE(end + 16);
  expect(at + bytes.readUInt32LE(end + 12)).toBe(end);
  for (const [name, pieces] of Object.entries(texts)) {
    const text = Buffer.from(pieces.join(""));
    const place = bytes.readUInt32LE(at + 42);
    expect([bytes.readUInt32LE(at), bytes.readUInt32LE(place)]).toEqual([0x02014b50, 0x04034b50]);
    expect(bytes.readUInt32LE(at + 16)).toBe(crc32(text));
    expect(bytes.readUInt32LE(at + 24)).toBe(text.length);
    expect(bytes.toString("utf8", at + 46, at + 46 + name.length)).toBe(name);
    const content = place + 30 + name.length;
    expect(inflateRawSync(bytes.subarray(content, content + bytes.readUInt32LE(at + 20)))).toEqual(text);
    at += 46 + name.length;
  }
  expect(at).toBe(end);
});
