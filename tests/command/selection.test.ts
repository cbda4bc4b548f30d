/** What `--columns` and `--where` refuse, and what they say. The formats are in formats.test.ts. */

import { readdirSync } from "node:fs";
import { expect, test } from "vitest";
import { exported, prepareScene, run, scene, serve, silent } from "./command-run.js";

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
  const { code, stderr } = await run([...exported("findings.csv"), ...words]);
  expect(stderr).toContain(message);
  expect(code).toBe(1);
  expect(readdirSync(scene.folder)).toEqual([]);
});

test("an export without a finding that meets the conditions says so", async () => {
  serve(partitions);
  const { code, stderr } = await run([...exported("findings.csv"), "--where", '{"n":100}']);
  expect(stderr).toBe("inspection-findings: none of the 2 findings meets the conditions of --where\n");
  expect(code).toBe(0);
});

test("a text that no cell can hold is refused only in a workbook that would have it", async () => {
  serve([[`{"n":1,"s":"${"x".repeat(32_768)}"}`]]);
  expect(await run([...exported("findings.xlsx"), "--columns", "n"])).toEqual(silent);
  expect(await run([...exported("findings.xlsx"), "--where", '{"n":2}'])).toMatchObject({ code: 0 });
  const { stderr } = await run(exported("findings.xlsx"));
  expect(stderr).toContain('the text of finding 0 of partition 0 in the column "s"');
});

test.for([
  ["--columns", "a"],
  ["--where", '{"a":2}'],
])("%s %s are refused for findings with fields that have no column, because they cannot see them", async (words) => {
  serve([['{"a":1,"a":2}']]);
  const { code, stderr } = await run([...exported("findings.ndjson"), ...words]);
  expect(stderr).toContain("Partition 0 has findings with fields that have no column");
  expect(code).toBe(1);
});
