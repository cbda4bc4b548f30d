/** What `--columns` and `--where` refuse, and what they say. The formats are in formats.test.ts. */

import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { exported, prepareScene, refused, run, scene, serve, silent } from "./command-run.js";

prepareScene();

const partitions = [['{"n":1,"s":"x","T":{"a":"one"}}'], ['{"n":2,"s":"y"}']];

test.for([
  [
    ["--columns", "s,N"],
    'no finding has a value in the column "N", which --columns names (did you mean "n"?); the columns of the findings are "n",',
  ],
  [
    ["--where", '[{"s":"x"},{"T.A":1}]'],
    'no finding has a value in the column "T.A", which --where names (did you mean "T.a"?)',
  ],
] as const)("%j names a column that no finding has: the export ends without a file", async ([words, message]) => {
  serve(partitions);
  expect(await refused([...exported("findings.csv"), ...words])).toContain(message);
  expect(readdirSync(scene.folder)).toEqual([]);
});

test("an export without a finding that meets the conditions says so", async () => {
  serve(partitions);
  const stderr = "inspection-findings: none of the 2 findings meets the conditions of --where\n";
  expect(await run([...exported("findings.csv"), "--where", '{"n":100}'])).toEqual({ ...silent, stderr });
});

test("a text that no cell can hold is refused only in a workbook that would have it", async () => {
  serve([[`{"n":1,"s":"${"x".repeat(32_768)}"}`]]);
  expect(await run([...exported("findings.xlsx"), "--columns", "n"])).toEqual(silent);
  expect(await run([...exported("findings.xlsx"), "--where", '{"n":2}'])).toMatchObject({ code: 0 });
  expect(await refused(exported("findings.xlsx"))).toContain('the text of finding 0 of partition 0 in the column "s"');
});

test.for([
  ["--columns", "a"],
  ["--where", '{"a":2}'],
])("%s %s are refused for findings with fields that have no column, because they cannot see them", async (words) => {
  serve([['{"a":1,"a":2}']]);
  expect(await refused([...exported("findings.ndjson"), ...words])).toContain(
    "Partition 0 has findings with fields that have no column",
  );
});
