/** Some columns and findings of an inspection: `export --columns --where` in each format, and the cross tabulation of `summary`. */

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { parse } from "csv-parse/sync";
import fc from "fast-check";
import { parquetReadObjects } from "hyparquet";
import readWorkbook from "read-excel-file/node";
import { expect, test } from "vitest";
import { PartitionSource } from "../../src/js/command/partition-source.js";
import { inRepository } from "../../tools/repository.js";
import { timesOf } from "../counts.js";
import { blocksIn } from "../docs/documents.js";
import { scenarioOf } from "../service/bodies.js";
import { exported, fake, prepareScene, requests, run, scene } from "./command-run.js";
import { type RowReader, rowReaders } from "./row-readers.js";

prepareScene();

/** The findings of partitions; undefined for one that is refused. */
function serve(partitions: (string[] | undefined)[]): void {
  requests.length = 0;
  fake.use(scenarioOf(partitions.map((findings) => findings && `{"Findings":[${findings.join()}]}`)));
}

const done = { code: 0, stdout: "", stderr: "" };

/** The rows of a file, each with the columns that it has. */
const readers: Record<string, RowReader> = {
  ".ndjson": (bytes) =>
    bytes
      .toString()
      .trimEnd()
      .split("\n")
      .map((line) => ({ "T.a": null, s: null, ...JSON.parse(line) }))
      .map(({ T, ...row }) => ({ ...row, ...(T?.a && { "T.a": T.a }) })),
  ".csv": (bytes) => {
    const cast = (text: string, { quoting }: { quoting: boolean }) =>
      quoting ? text : text === "" ? null : Number(text);
    return parse(bytes, { columns: true, bom: true, cast });
  },
  ...rowReaders,
};

const partitions = [
  ['{ "n" : 1.0, "s":"x", "T":{"a":"one","b":1}, "k":5}', '{"n":2,"s":"y"}', '{"s":"x"}'],
  // The column `s` has only numbers here, and no finding has `n`.
  ['{"s":7,"T":{"a":"two"}}', '{"s":8}'],
  [],
  ['{"n":3,"s":"x","T":null}'],
];

for (const [ending, rowsOf] of Object.entries(readers)) {
  test(`${ending} has the named columns of the findings that meet the conditions, whatever a partition lacks`, async () => {
    serve(partitions);
    const where = '[{"s":"x"},{"s":{"min":7},"T.a":{"not":{"missing":true}}}]';
    const words = [...exported(`findings${ending}`), "--columns", "s, n,T.a", "--where", where];
    expect(await run(words)).toEqual(done);
    const rows = await rowsOf(readFileSync(join(scene.folder, `findings${ending}`)));
    // Where a column has several types, some formats have JSON.
    const text = (value: unknown) => (value === null || value === undefined ? null : String(value).replaceAll('"', ""));
    expect(rows.map((row) => [text(row.s), row.n ?? null, row["T.a"]])).toEqual([
      ["x", 1, "one"],
      ["x", null, null],
      ["7", null, "two"],
      ["x", 3, null],
    ]);
    expect(new Set(rows.flatMap((row) => Object.keys(row)))).toEqual(new Set(["s", "n", "T.a"]));
  });
}

test("NDJSON has the bytes of the fields that are kept, and integers beyond 2^53 are exact in each format", async () => {
  serve([['{ "k" : 9007199254740993, "b":1E2, "o":{ "x" : 1.0 , "y":2}}', '{"k":9007199254740992,"b":0}']]);
  const words = ["--columns", "k,o.x", "--where", '{"b":100}'];
  expect(await run([...exported("findings.ndjson"), ...words])).toEqual(done);
  expect(readFileSync(join(scene.folder, "findings.ndjson"), "utf8")).toBe(
    '{"k" : 9007199254740993,"o":{"x" : 1.0}}\n',
  );
  expect(await run([...exported("findings.csv"), ...words])).toEqual(done);
  expect(readFileSync(join(scene.folder, "findings.csv"), "utf8")).toBe('\ufeff"k","o.x"\r\n9007199254740993,1\r\n');
  expect(await run([...exported("findings.parquet"), ...words])).toEqual(done);
  const file = new Uint8Array(readFileSync(join(scene.folder, "findings.parquet"))).buffer;
  expect(await parquetReadObjects({ file })).toEqual([{ k: 9007199254740993n, "o.x": 1 }]);
});

test("columns of --join can be kept, and be in conditions", async () => {
  serve([['{"Id":1,"n":1}', '{"Id":2,"n":2}', '{"Id":3}']]);
  writeFileSync(join(scene.folder, "people.csv"), "Id,Segment,Age\n1,new,30\n2,old,40\n");
  const joined = [...exported("findings.ndjson"), "--join", "people.csv", "--by", "Id"];
  expect(await run([...joined, "--columns", "Segment,n", "--where", '{"Age":{"min":35}}'])).toEqual(done);
  expect(readFileSync(join(scene.folder, "findings.ndjson"), "utf8")).toBe('{"n":2,"Segment":"old"}\n');
});

test("documented fields that no finding has are columns, and meet a condition as missing ones", async () => {
  serve([['{"Comment":"a"}']]);
  const words = ["--columns", "NoTopic,Comment", "--where", '{"TopicGroup":{"missing":true}}'];
  expect(await run([...exported("findings.csv"), ...words])).toEqual(done);
  expect(readFileSync(join(scene.folder, "findings.csv"), "utf8")).toBe('\ufeff"NoTopic","Comment"\r\n,"a"\r\n');
});

test("a name that no finding has is an error with the name that was probably meant, and leaves no file", async () => {
  serve(partitions);
  for (const [words, message] of [
    [
      ["--columns", "s,N"],
      'the column "N", which --columns names (did you mean "n"?); the columns of the findings are "n",',
    ],
    [["--where", '[{"s":"x"},{"T.A":1}]'], 'the column "T.A", which --where names (did you mean "T.a"?)'],
  ] as const) {
    const { code, stderr } = await run([...exported("findings.csv"), ...words]);
    expect(stderr).toContain(`no finding has a value in ${message}`);
    expect(code).toBe(1);
    expect(readdirSync(scene.folder)).toEqual([]);
  }
});

test("names and conditions that are none are a wrong command line, before any request", async () => {
  serve(partitions);
  for (const [words, message] of [
    [["--columns", "Comment,,Topic"], "--columns needs the names of columns with commas between them"],
    [["--columns", "[1]"], "--columns needs the names of columns with commas between them"],
    [["--columns", "[Comment]"], `--columns must be JSON, such as '["Comment","Sentiment"]'`],
    [["--where", "Sentiment<0"], `--where must be JSON, such as '{"Sentiment":{"max":-1}}'`],
    [["--where", '{"Sentiment":{"max":"1"}}'], '--where: max of the condition on "Sentiment" must be a number'],
    [["--where", "[[]]"], "--where: where must be an object of conditions by the names of columns"],
  ] as const) {
    const { code, stderr } = await run([...exported("findings.csv"), ...words]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  }
  for (const option of ["--columns", "--where", "--across", "--distinct"]) {
    expect((await run(["counts", "42", option, "x"])).stderr).toContain(`${option} does not apply to counts`);
  }
  expect(requests).toEqual([]);
});

test("a name with a comma can be in a list as JSON", async () => {
  serve([['{"a,b":1,"c":2}']]);
  expect(await run([...exported("findings.csv"), "--columns", '["a,b"]'])).toEqual(done);
  expect(readFileSync(join(scene.folder, "findings.csv"), "utf8")).toBe('\ufeff"a,b"\r\n1\r\n');
});

test("an export without a finding that meets the conditions says so", async () => {
  serve(partitions);
  const { code, stderr } = await run([...exported("findings.csv"), "--where", '{"n":100}']);
  expect(stderr).toBe("inspection-findings: none of the 6 findings meets the conditions of --where\n");
  expect(code).toBe(0);
});

test("an interrupted export continues with other columns and conditions, and compares the number of all findings with the total", async () => {
  serve([...partitions.slice(0, 3), undefined]);
  const words = [...exported("findings.csv"), "--where", '{"s":"x"}'];
  while (!existsSync(join(scene.folder, "findings.csv.partial", "0.table"))) await run(words);
  serve(partitions);
  expect(await run([...exported("findings.csv"), "--columns", "n", "--where", '{"n":{"min":2}}'])).toEqual(done);
  expect(requests.some(({ url }) => url.endsWith("/0"))).toBe(false);
  expect(readFileSync(join(scene.folder, "findings.csv"), "utf8")).toBe('\ufeff"n"\r\n2\r\n3\r\n');
});

test("a text that no cell can hold is refused only in a workbook that would have it", async () => {
  serve([[`{"n":1,"s":"${"x".repeat(32_768)}"}`]]);
  expect(await run([...exported("findings.xlsx"), "--columns", "n"])).toEqual(done);
  expect((await run(exported("findings.xlsx"))).stderr).toContain(
    'the text of finding 0 of partition 0 in the column "s"',
  );
  expect(await run([...exported("findings.xlsx"), "--where", '{"n":2}'])).toMatchObject({ code: 0 });
});

test("findings with fields that have no column are refused, because conditions cannot see them", async () => {
  serve([['{"a":1,"a":2}']]);
  for (const words of [
    ["--columns", "a"],
    ["--where", '{"a":2}'],
  ]) {
    const { code, stderr } = await run([...exported("findings.ndjson"), ...words]);
    expect(stderr).toContain("Partition 0 has findings with fields that have no column");
    expect(code).toBe(1);
  }
});

test("keeps the members under any names, as plain JavaScript does", () => {
  const key = fc.constantFrom("a", "b", "a.b", "\\", "é", "__proto__", "");
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.constantFrom(1, "x", null, [{ a: 1 }]),
      fc.dictionary(key, tie("value"), { maxKeys: 3, noNullPrototype: true }),
    ),
  }));
  const finding = fc.dictionary(key, value, { maxKeys: 4, noNullPrototype: true });
  const path = fc.array(key, { minLength: 1, maxLength: 3 });
  const nameOf = (keys: string[]) => keys.map((key) => key.replace(/[\\.]/g, "\\$&")).join(".");
  const isObject = (value: unknown): value is object =>
    typeof value === "object" && value !== null && !Array.isArray(value);
  const kept = (object: object, paths: string[][]): object =>
    Object.fromEntries(
      Object.entries(object).flatMap(([key, value]) => {
        const below = paths.filter(([first]) => first === key).map(([, ...rest]) => rest);
        if (below.some((rest) => rest.length === 0)) return [[key, value]];
        return below.length > 0 && isObject(value) ? [[key, kept(value, below)]] : [];
      }),
    );
  fc.assert(
    fc.property(fc.array(finding, { maxLength: 3 }), fc.array(path, { maxLength: 3 }), (findings, paths) => {
      const source = PartitionSource.of(Buffer.from(JSON.stringify({ Findings: findings })));
      const lines = source.select(paths.map(nameOf)).lines.toString().split("\n").slice(0, -1);
      expect(lines).toEqual(findings.map((finding) => JSON.stringify(kept(finding, paths))));
    }),
    { numRuns: timesOf(2_000) },
  );
});

const people = [
  ['{"P":1,"G":"a","S":"new","Sentiment":-1}', '{"P":1,"G":"a","S":"new","Sentiment":1}', '{"P":2,"G":"b","S":"old"}'],
  ['{"P":3,"G":"a","S":"old","Sentiment":2}', '{"P":3,"G":"b"}'],
];

test("summary prints a cross tabulation of two columns, of findings or of people", async () => {
  serve(people);
  const words = ["summary", "42", "--by", "G", "--across", "S"];
  const found = await run(words);
  expect(found.stdout).toBe(
    [
      "G      new  old  (missing)  total",
      "a        2    1          0      3",
      "b        0    1          1      2",
      "total    2    2          1      5",
      "",
    ].join("\n"),
  );
  const counted = await run([...words, "--distinct", "P"]);
  expect(counted.stdout.split("\n").slice(1, 4)).toEqual([
    "a        1    1          0      2",
    "b        1    0          1      2",
    "total    2    1          1      3",
  ]);
  const { rows, cells, counts, total } = JSON.parse((await run([...words, "--distinct", "P", "--json"])).stdout);
  expect({ rows, counts, total }).toEqual({
    rows: [
      { key: ["a"], total: 2 },
      { key: ["b"], total: 2 },
    ],
    counts: "P",
    total: 3,
  });
  expect(cells[0]).toEqual({ row: ["a"], column: "old", count: 1, base: 2, share: 0.5, isSmall: false });
});

test("summary counts the distinct values of a column in each group", async () => {
  serve(people);
  const words = ["summary", "42", "--by", "G", "--distinct", "P"];
  expect((await run(words)).stdout).toBe(
    "G  findings  distinct P  mean sentiment\na         3           2  0.67\nb         2           2\n",
  );
  expect(JSON.parse((await run([...words, "--json"])).stdout)).toEqual([
    { key: ["a"], count: 3, distinct: 2, mean: 2 / 3 },
    { key: ["b"], count: 2, distinct: 2, mean: null },
  ]);
});

test("summary refuses columns that no finding has", async () => {
  for (const [option, name] of [
    ["--across", "s"],
    ["--distinct", "p"],
  ] as const) {
    serve(people);
    const { code, stderr } = await run(["summary", "42", "--by", "G", option, name]);
    expect(stderr).toContain(`there is no column "${name}" (did you mean ${name.toUpperCase()}?)`);
    expect(code).toBe(1);
  }
});

test("the example of the guide exports complaints, and prints a cross tabulation", async () => {
  const block = blocksIn("www/docs/node.md").find(({ marks }) => marks.includes("by=tests/command/selection.test.ts"));
  const program = inRepository("dist", "command.js");
  const script = (block?.code ?? "").replaceAll("npx inspection-findings", `${process.execPath} ${program}`);
  const env = { ...process.env, FINDINGS_URL: fake.baseUrl };
  const { stdout } = await promisify(execFile)("sh", ["-e", "-c", script], { cwd: scene.folder, env });
  expect(stdout).toMatch(/^TopicGroup .* total\n/);
  const [names, ...rows] = (await readWorkbook(join(scene.folder, "complaints.xlsx")))[0]?.data ?? [];
  expect(names).toEqual(["TopicGroup", "Comment"]);
  const complaints = fake.findings("sentiment").filter(({ Sentiment }) => (Sentiment as number) < 0);
  expect(rows.map(([group, comment]) => ({ TopicGroup: group, Comment: comment }))).toEqual(
    complaints.map(({ TopicGroup, Comment }) => ({ TopicGroup, Comment: Comment.trim() })),
  );
});
