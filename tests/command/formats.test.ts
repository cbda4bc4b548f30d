/** Exact values in every format of the command, which runs against a service over HTTP: what it cannot keep, it reports. */

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import * as apache from "apache-arrow";
import { parquetMetadata, parquetReadObjects } from "hyparquet";
import readWorkbook from "read-excel-file/node";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";
import { inRepository } from "../../tools/repository.js";
import { runNode } from "../run-node.js";
import { scenarioOf } from "../service/bodies.js";
import { serveFake } from "../service/http-server.js";

const command = process.env.COMMAND ?? inRepository("dist", "command.js");
let folder = "";
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "formats-"));
});
afterEach(() => {
  rmSync(folder, { recursive: true });
});

/** What a refusal waits for. */
let refusal: Promise<void> | undefined;
const { fake, close } = await serveFake({}, ({ url }) => (url.endsWith("/1") ? refusal : undefined));
afterAll(close);

/** Runs the command against a service with these bodies of partitions; without a body, the service refuses the request. */
function run(words: string[], bodies: (string | undefined)[]) {
  fake.use(scenarioOf(bodies));
  return runNode([command, ...words, "--base-url", fake.baseUrl], { cwd: folder, maxBuffer: 2 ** 26 });
}

async function exported(name: string, bodies: string[]) {
  const { stderr } = await run(["export", "42", "sentiment", "--to", name], bodies);
  return { stderr, bytes: readFileSync(join(folder, name)) };
}

const bodyOf = (findings: string[]) => `{"Findings":[${findings.join()}]}`;
const ofFindings = (...findings: string[]) => bodyOf(findings);

async function parquet(bodies: string[]) {
  const { stderr, bytes } = await exported("findings.parquet", bodies);
  const file = new Uint8Array(bytes).buffer;
  const metadata = parquetMetadata(file);
  const entries = Object.fromEntries((metadata.key_value_metadata ?? []).map(({ key, value }) => [key, value]));
  const types = Object.fromEntries(metadata.schema.slice(1).map(({ name, type }) => [name, type]));
  return { stderr, rows: await parquetReadObjects({ file }), entries, types, metadata };
}

async function arrow(bodies: string[]) {
  const { stderr, bytes } = await exported("findings.arrow", bodies);
  const table = apache.tableFromIPC(bytes);
  const types = Object.fromEntries(table.schema.fields.map(({ name, type }) => [name, String(type)]));
  return {
    stderr,
    rows: table.toArray().map((row) => row.toJSON()),
    entries: Object.fromEntries(table.schema.metadata),
    types,
  };
}

test("NDJSON has the bytes of each finding as the service sent them", async () => {
  const findings = [
    '{"D":1,"D":2}',
    '{"a":1.0,"b":1E2,"k":9007199254740993}',
    '{ "t" : "\\u00e9\\/\\ud800 [}," }',
    '{"é":["}",{"x":"\\\\"}]}',
    "{}",
  ];
  const pretty = '{\r\n  "a": 1,\n  "b": [\n    "x"\n  ]\n}';
  const body = `\ufeff {"Findings": 5, "errors" : null, "Other":[{"Findings":[{}]}, "]"], "Findin\\u0067s" :\n[ ${findings.join(" ,\n ")},${pretty}] , "n": -1.5e3 }`;
  const { bytes, stderr } = await exported("findings.ndjson", [body, ofFindings(), ofFindings('{"last":true}')]);
  expect(bytes.toString().split("\n")).toEqual([...findings, pretty.replace(/[\r\n]/g, " "), '{"last":true}', ""]);
  expect(stderr).toBe("");
});

const keys = [
  ofFindings('{"k":9007199254740993,"a":{"b":-9007199254740993}}', '{"k":9007199254740992}'),
  ofFindings(),
  ofFindings('{"k":5,"t":"9007199254740993"}', '{"k":null}', "{}", '{"k":9223372036854775807}'),
  ofFindings(),
];
const expectedKeys = [9007199254740993n, 9007199254740992n, 5n, null, null, 9223372036854775807n];

for (const [format, read, integer, small] of [
  ["Parquet", parquet, "INT64", "INT32"],
  ["Arrow", arrow, "Int64", "Int32"],
] as const) {
  test(`${format} has integers of 64 bits where a column has only integers, and one is beyond 2^53`, async () => {
    const { rows, types, entries, stderr } = await read(keys);
    expect(rows.map(({ k }) => k)).toEqual(expectedKeys);
    expect(rows.map((row) => row["a.b"])).toEqual([-9007199254740993n, null, null, null, null, null]);
    expect(types).toMatchObject({ k: integer, "a.b": integer, VariableKey: small });
    expect(entries["inspection-findings.integersRounded"]).toBe("false");
    expect(stderr).toBe("");
  });
}

test("CSV has the digits of every integer", async () => {
  const { bytes, stderr } = await exported("findings.csv", [
    ofFindings(
      '{"Sentiment":"9007199254740993","k":9007199254740993,"l":[123456789012345678901234567890]}',
      '{"k":-9007199254740992}',
    ),
    ofFindings('{"k":0.5}'),
  ]);
  const lines = bytes.toString().trimEnd().split("\r\n");
  expect(lines.map((line) => line.split(",").slice(-3).join())).toEqual([
    '"Sentiment","k","l"',
    '"9007199254740993",9007199254740993,"[123456789012345678901234567890]"',
    ",-9007199254740992,",
    ",0.5,",
  ]);
  expect(stderr).toBe("");
});

test("integers inside JSON text keep their digits, also beside values of other types", async () => {
  const { rows, entries, stderr } = await parquet([
    ofFindings('{"a":[9007199254740993],"b":9007199254740993,"c":{"d":[9007199254740993]}}', '{"b":"x","c":7}'),
  ]);
  const texts = rows.map(({ a, b, c }) => [a, b, c]);
  expect(texts).toEqual([
    ["[9007199254740993]", "9007199254740993", '{"d":[9007199254740993]}'],
    [null, '"x"', "7"],
  ]);
  expect(entries["inspection-findings.integersRounded"]).toBe("false");
  expect(stderr).toBe("");
});

for (const [name, other] of [
  ["a fraction", "0.5"],
  ["an integer of more than 64 bits", "9223372036854775808"],
] as const) {
  test(`an integer that is rounded beside ${name} is reported, with its column`, async () => {
    const bodies = [ofFindings('{"k":9007199254740993,"n":1}'), ofFindings(`{"k":${other}}`)];
    for (const read of [parquet, arrow]) {
      const { rows, entries, stderr } = await read(bodies);
      expect(rows.map(({ k }) => k)).toEqual([9007199254740992, Number(other)]);
      expect(entries["inspection-findings.integersRounded"]).toBe("true");
      expect(stderr).toMatch(/^inspection-findings: large integers in "k" are rounded.*\n$/);
    }
    for (const file of ["findings.csv", "findings.ndjson"]) {
      const { bytes, stderr } = await exported(file, bodies);
      expect(bytes.toString()).toContain("9007199254740993");
      expect(stderr).toBe("");
    }
  });
}

test("summary says that it rounds integers, and only then", async () => {
  const bodies = [ofFindings('{"k":9007199254740993,"s":1,"Sentiment":1}', '{"k":9007199254740992,"s":1}')];
  const rounded = await run(["summary", "42", "--by", "k"], bodies);
  expect(rounded.stderr).toMatch(/^inspection-findings: integers beyond 2\^53 are rounded.*\n$/);
  expect((await run(["summary", "42", "--by", "s"], bodies)).stderr).toBe("");
});

test("summary tells missing from null, and null from infinity", async () => {
  const bodies = [
    ofFindings('{"n":null,"Sentiment":1}', '{"n":null}', '{"n":null}', "{}", "{}"),
    ofFindings('{"n":1e400}', '{"n":-0}', '{"n":0}', '{"n":0}', '{"n":0}'),
  ];
  const { stdout } = await run(["summary", "42", "--by", "n", "--json"], bodies);
  expect(stdout).not.toContain("null,1");
  expect(JSON.parse(stdout)).toEqual([
    { key: [0], count: 4, mean: null },
    { key: [null], count: 3, mean: 1 },
    { key: [null], count: 2, mean: null, missing: ["n"] },
    { key: [Number.POSITIVE_INFINITY], count: 1, mean: null },
  ]);
  const text = (await run(["summary", "42", "--by", "n"], bodies)).stdout;
  expect(text.match(/^\S+/gm)).toEqual(["n", "0", "null", "(missing)", "1e999"]);
});

test("an interrupted export continues with the exact integers, and notices where they were damaged or lost", async () => {
  const bodies = [bodyOf(['{"k":9007199254740993}']), bodyOf(['{"k":1}'])];
  const words = ["export", "42", "sentiment", "--to", "findings.csv"];
  const saved = (ending: string) => join(folder, "findings.csv.partial", `0.${ending}`);
  const isSaved = async () => {
    while (!existsSync(saved("table"))) await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const interrupt = async () => {
    refusal = isSaved();
    await expect(run(words, [bodies[0], undefined])).rejects.toThrow("404");
    refusal = undefined;
  };
  for (const spoil of [() => writeFileSync(saved("source"), "spoilt"), () => rmSync(saved("source"))]) {
    await interrupt();
    spoil();
    await expect(run(words, bodies)).rejects.toThrow("was damaged, and has been deleted");
    rmSync(join(folder, "findings.csv.partial"), { recursive: true });
  }
  await interrupt();
  await run(words, bodies);
  expect(readFileSync(join(folder, "findings.csv"), "utf8")).toContain("9007199254740993");
});

test("a lone surrogate is replaced in its text alone, and reported with its column", async () => {
  const bodies = [bodyOf(['{"t":"\\ud800a","u":"b"}', '{"t":"c"}']), bodyOf(['{"t":"d","u":["e"]}'])];
  for (const read of [parquet, arrow]) {
    const { rows, entries, stderr } = await read(bodies);
    expect(rows.map(({ t }) => t)).toEqual(["\ufffda", "c", "d"]);
    expect(rows.map(({ u }) => u)).toEqual(['"b"', null, '["e"]']);
    expect(entries["inspection-findings.surrogatesReplaced"]).toBe("true");
    expect(stderr).toMatch(/^inspection-findings: halves of characters \(lone surrogates\) in "t" are replaced .*\n$/);
  }
  expect((await exported("findings.csv", bodies)).stderr).toMatch(/lone surrogates\) in "t" are replaced/);
  const { bytes, stderr } = await exported("findings.ndjson", bodies);
  expect([bytes.toString().split("\n")[0], stderr]).toEqual(['{"t":"\\ud800a","u":"b"}', ""]);
});

test("an object without a value inside needs no column, beside whatever values other findings have", async () => {
  const bodies = [
    ofFindings('{"Topic":{"Text":"a","Attributes":{}}}', '{"Topic":{"Text":"b","Attributes":{"x":{"y":{}}}}}'),
    ofFindings('{"Topic":"c"}', '{"Topic":{"Text":"d"}}', '{"Topic":{}}'),
  ];
  const { bytes, stderr } = await exported("findings.csv", bodies);
  const lines = bytes.toString().trimEnd().split("\r\n");
  expect(lines.map((line) => line.split(",").slice(-2).join())).toEqual([
    '"Topic.Text","Topic"',
    '"a",',
    '"b",',
    ',"c"',
    '"d",',
    ",",
  ]);
  const sheet = await readWorkbook((await exported("findings.xlsx", bodies)).bytes);
  expect(sheet[0]?.data.slice(1).map((row) => row.slice(-2))).toEqual([
    ["a", null],
    ["b", null],
    [null, "c"],
    ["d", null],
  ]);
  expect(stderr).toBe("");
});

test("a field may have any name", async () => {
  const bodies = [bodyOf(['{"\\ufeff":1,"\\ufeffa":"x","b.c\\\\":2,"":3}'])];
  for (const name of ["findings.parquet", "findings.arrow", "findings.csv"]) {
    const { bytes, stderr } = await exported(name, bodies);
    for (const field of ["\ufeff", "\ufeffa", "b\\.c\\\\"]) expect(bytes.includes(field), name).toBe(true);
    expect(stderr).toBe("");
  }
});
