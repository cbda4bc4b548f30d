/** A workbook of the export entry, as openpyxl reads it. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { xlsxOf } from "inspection-findings/export";
import { target } from "../../tools/repository.js";

const program = `
import json, openpyxl, sys
sheet = openpyxl.load_workbook(sys.argv[1]).active
rows = [list(row) for row in sheet.iter_rows(values_only=True)]
print(json.dumps({"name": sheet.title, "rows": rows}, default=lambda date: date.isoformat()))`;

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

test("openpyxl reads every value of a workbook, its dates as dates and its texts as texts", async () => {
  const file = join(target, "python", "findings.xlsx");
  const blob = await xlsxOf(rows, { sheetName: "Ä & <b>", dates: ["At"] });
  writeFileSync(file, Buffer.from(await blob.arrayBuffer()));
  const { stdout } = await promisify(execFile)(join(target, "python", "bin", "python"), ["-c", program, file]);
  const expected = [
    ["Comment", "Sentiment", "Late", "At", "Place", "Tags"],
    ["=1+1", -2, true, "2026-03-01T00:00:00", "Zürich 🏨", '["a",1]'],
    [' <b> & "quoted"\n  second line ', 0.5, false, "2026-03-01T12:30:00", "naïve", null],
    ["-5", 1e-7, null, "soon", "中文", null],
  ];
  assert.deepEqual(JSON.parse(stdout), { name: "Ä & <b>", rows: expected });
});
