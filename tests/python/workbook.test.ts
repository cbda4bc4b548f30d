/** Workbooks of the export entry, as readers in other languages see them: openpyxl, and calamine in Rust. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { promisify } from "node:util";
import { xlsxOf } from "inspection-findings/export";
import { inRepository, target } from "../../tools/repository.js";

const folder = mkdtempSync(join(tmpdir(), "workbook-"));
after(() => rmSync(folder, { recursive: true }));

const rows = [
  { Comment: "=1+1", Sentiment: -2, Late: true, At: "2026-03-01", Place: "Zürich 🏨", Tags: ["a", 1] },
  {
    Comment: ' <b> & "quoted"\n  second line ',
    Sentiment: 0.5,
    Late: false,
    At: "2026-03-01T12:30:00Z",
    Place: "naïve",
  },
  { Comment: "-5", Sentiment: 1e-7, At: "soon", Place: "中文" },
];

test("openpyxl and calamine read every value of a workbook, its dates as dates and its texts as texts", async () => {
  const file = join(folder, "findings.xlsx");
  const blob = await xlsxOf(rows, { sheetName: "Ä & <b>", dates: ["At"] });
  writeFileSync(file, Buffer.from(await blob.arrayBuffer()));
  const python = join(target, "python", "bin", "python");
  const { stdout } = await promisify(execFile)(python, [inRepository("tests", "python", "workbook.py"), file]);
  const { rows: read, name } = JSON.parse(stdout);
  const expected = [
    ["Comment", "Sentiment", "Late", "At", "Place", "Tags"],
    ["=1+1", -2, true, "2026-03-01T00:00:00", "Zürich 🏨", '["a",1]'],
    [' <b> & "quoted"\n  second line ', 0.5, false, "2026-03-01T12:30:00", "naïve", null],
    ["-5", 1e-7, null, "soon", "中文", null],
  ];
  assert.deepEqual(read, { openpyxl: expected, calamine: expected });
  assert.equal(name, "Ä & <b>");
});
