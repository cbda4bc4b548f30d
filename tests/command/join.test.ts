/** The columns of a CSV file in an export: in each format, however the file is written, and after an interruption. */

import { execFile } from "node:child_process";
import { existsSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { parse } from "csv-parse/sync";
import { parquetReadObjects } from "hyparquet";
import { FindingsTable } from "inspection-findings";
import { expect, test } from "vitest";
import { inRepository } from "../../tools/repository.js";
import { blocksIn } from "../docs/documents.js";
import { scenarioOf } from "../service/bodies.js";
import { type Ended, exported, fake, prepareScene, type RunOptions, requests, run, scene } from "./command-run.js";
import { type RowReader, rowReaders } from "./row-readers.js";

prepareScene();

/** The findings of each partition, as JSON; a partition that is undefined is refused. */
let partitions: (string[] | undefined)[] = [];

/** Exports the partitions with the columns of a CSV file. */
function joined(
  csv: string | Uint8Array,
  name = "findings.ndjson",
  by = "Id",
  options: RunOptions = {},
): Promise<Ended> {
  writeFileSync(join(scene.folder, "people.csv"), csv);
  requests.length = 0;
  fake.use(scenarioOf(partitions.map((findings) => findings && `{"Findings":[${findings.join()}]}`)));
  return run([...exported(name), "--join", "people.csv", "--by", by], options);
}

async function lines(csv: string | Uint8Array, by?: string): Promise<Record<string, unknown>[]> {
  expect(await joined(csv, "findings.ndjson", by)).toEqual({ code: 0, stdout: "", stderr: "" });
  const text = readFileSync(join(scene.folder, "findings.ndjson"), "utf8");
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

const done = { code: 0, stdout: "", stderr: "" };

/** Keys that are texts, numbers, large integers, in objects and missing. */
const findings = [
  ['{"Id":"a","n":1}', '{"Id":7}', '{ "Id" : 9007199254740993 }', '{"Id":9007199254740992}'],
  ["{}", '{"Id":null}', '{"Id":"z","late":true}', '{"Id":true}', '{"Id":["a"]}'],
];
const people =
  "Id,Segment,Home.Town,Score\n7,seven,,8.50\n9007199254740993,odd,=1+1,\n9007199254740992,even,Ulm,-3\na,letter,Bonn,0\ntrue,yes,,1e3\n";
const segments = ["letter", "seven", "odd", "even", null, null, null, null, null];
const towns = ["Bonn", null, "=1+1", "Ulm", null, null, null, null, null];
const scores = [0, 8.5, null, -3, null, null, null, null, null];

const readers: Record<string, RowReader> = {
  ".ndjson": (bytes) => {
    const rows = bytes.toString().trimEnd().split("\n");
    return rows
      .map((line) => ({ Segment: null, Score: null, ...JSON.parse(line) }))
      .map(({ "Home.Town": town, ...row }) => ({ ...row, "Home\\.Town": town ?? null }));
  },
  ".csv": (bytes) => {
    const cast = (text: string, { quoting }: { quoting: boolean }) =>
      quoting ? text.replace("'=", "=") : text === "" ? null : JSON.parse(text);
    return parse(bytes, { columns: true, bom: true, cast });
  },
  ...rowReaders,
};

for (const [ending, rowsOf] of Object.entries(readers)) {
  test(`${ending} has the columns of the file, missing where there is no row, and joins integers beyond 2^53 exactly`, async () => {
    partitions = findings;
    expect(await joined(people, `findings${ending}`)).toEqual(done);
    const rows = await rowsOf(readFileSync(join(scene.folder, `findings${ending}`)));
    expect(rows.map((row) => row.Segment)).toEqual(segments);
    expect(rows.map((row) => row["Home\\.Town"])).toEqual(towns);
    expect(rows.map((row) => row.Score)).toEqual(scores);
  });
}

test("NDJSON has the bytes of each finding, and after them those of the file", async () => {
  partitions = [['{ "Id" : "a", "x":1.0 }', "{ }", '{"Id":"b"}']];
  await lines('Id,Segment\na,"say ""hi"""\n');
  expect(readFileSync(join(scene.folder, "findings.ndjson"), "utf8")).toBe(
    '{ "Id" : "a", "x":1.0 ,"Segment":"say \\"hi\\""}\n{ }\n{"Id":"b"}\n',
  );
});

test("a column inside an object can be the key", async () => {
  partitions = [['{"Who":{"Id":5}}', '{"Who":5}']];
  expect(await lines("Segment,Who.Id\nfive,5\n", "Who.Id")).toEqual([{ Who: { Id: 5 }, Segment: "five" }, { Who: 5 }]);
});

test("the file may have quoted fields, empty lines, another separator, a byte order mark, or UTF-16", async () => {
  partitions = [['{"Id":"a;,\\t\\"b"}', '{"Id":"ü"}']];
  const rows = [
    ["Id", "Segment", "Tag;s"],
    ['a;,\t"b', "one\r\ntwo, or; three", ""],
    ["ü", "é", "ツ"],
  ];
  const quoted = (separator: string) =>
    rows.map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(separator)).join("\r\n");
  const littleEndian = Buffer.from(`\ufeff${quoted("\t")}`, "utf16le");
  const files = [
    ...[",", ";", "\t"].map(quoted),
    `\ufeff\r\n${quoted(";")}\r\n\r\n`,
    littleEndian,
    Buffer.from(littleEndian).swap16(),
  ];
  for (const file of files) {
    expect(await lines(file)).toEqual([
      { Id: 'a;,\t"b', Segment: "one\r\ntwo, or; three", "Tag;s": "" },
      { Id: "ü", Segment: "é", "Tag;s": "ツ" },
    ]);
  }
});

test("each line of the file may end with CR, LF or both", async () => {
  partitions = [['{"Id":"a"}', '{"Id":"b"}', '{"Id":"c"}', '{"Id":"d"}']];
  const ends = ["\n", "\r\n", "\r"];
  for (const [first, second, third] of ends.flatMap((one, at) => [
    [one, ends[(at + 1) % 3], ends[(at + 2) % 3]],
    [one, one, ends[(at + 1) % 3]],
  ])) {
    expect(await lines(`Id,Segment${first}a,one${second}b,"t\r\nw\ro"${third}c,three${first}d,four`)).toEqual([
      { Id: "a", Segment: "one" },
      { Id: "b", Segment: "t\r\nw\ro" },
      { Id: "c", Segment: "three" },
      { Id: "d", Segment: "four" },
    ]);
  }
});

test("a column is numbers if all its values are, and no digit gets lost; otherwise each value is a text", async () => {
  partitions = [['{"Id":"a"}', '{"Id":"b"}']];
  const numbers: [string, string][] = [
    ["1", "-2.50"],
    ["0", "0.125"],
    ["1e+05", "2E-3"],
    ["999999999999999", "1.234"],
  ];
  const texts: [string, string][] = [
    ["1234567890123456", "7"],
    ["0.1234567890123456", "7"],
    ["01067", "10115"],
    ["1", "one"],
    ["1", "NA"],
    ["1", " "],
    ["1", "1 "],
    ["+1", "1"],
    ["1.", "1"],
    [".5", "1"],
    ["1,5", "1"],
    ["0x10", "1"],
    ["1e400", "1"],
    ["Infinity", "1"],
    ["true", "false"],
  ];
  const columns = [...numbers, ...texts];
  const line = (cells: string[]) => `${cells.map((cell) => cell && `"${cell}"`).join()}\n`;
  const names = columns.map((_, column) => `c${column}`);
  const [first, second] = [0, 1].map((row) => columns.map((values) => values[row] as string));
  // A row without a key joins nothing, so its values do not count.
  const file = [
    ["Id", ...names, "none"],
    ["a", ...(first ?? []), ""],
    ["b", ...(second ?? []), "7"],
    ["", ...names, ""],
  ];
  const rows = await lines(file.map(line).join(""));
  const valuesOf = (column: number) => rows.map((row) => row[`c${column}`]);
  for (const [column, values] of numbers.entries()) expect(valuesOf(column)).toEqual(values.map(Number));
  for (const [column, values] of texts.entries()) expect(valuesOf(numbers.length + column)).toEqual(values);
  expect(rows.map(({ none }) => none)).toEqual([undefined, 7]);
});

test("a file with semicolons may have decimal commas, and a point before three digits may group thousands", async () => {
  partitions = [['{"Id":"a"}', '{"Id":"b"}']];
  expect(await lines("Id;c;p;t;g\na;7,5;7.5;1.234;1.234,5\nb;-1,234;0.125;2;3\n")).toEqual([
    { Id: "a", c: 7.5, p: 7.5, t: "1.234", g: "1.234,5" },
    { Id: "b", c: -1.234, p: 0.125, t: "2", g: "3" },
  ]);
});

test("keys and values are those that table.with takes: a truth value is no key, and an empty text, in quotes, is one", async () => {
  partitions = [['{"Id":true}', '{"Id":""}', '{"Id":7}', '{"Id":"x"}', '{"Id":null}']];
  const rows = [
    ["true", "no"],
    ["", "none"],
    ["7", ""],
    ["x", undefined],
  ];
  const quoted = (field: string | undefined) => (field === undefined ? "" : `"${field}"`);
  const file = ["Id,Segment", ...rows.map((row) => row.map(quoted).join())].join("\n");
  const values = new Map(rows.map(([key, value]) => [key === "7" ? 7 : key, value]));
  const table = await FindingsTable.from<object>(partitions[0]?.map((finding) => JSON.parse(finding)) ?? []);
  const expected = table.with("Segment", { by: "Id" as never, values: values as never }).toArray();
  expect(expected.map((finding) => Reflect.get(finding, "Segment"))).toEqual([
    undefined,
    "none",
    "",
    undefined,
    undefined,
  ]);
  expect(await lines(`${file}\n`)).toEqual(expected);
});

test("a key that is a number in one finding and a text in another is refused, because they differ, and the file has one", async () => {
  for (partitions of [[['{"Id":7}', '{"Id":"7"}']], [['{"Id":"7"}'], ['{"Id":8}'], ['{"Id":7}']]]) {
    const { code, stderr } = await joined("Id,Segment\n7,x\n", "findings.csv");
    expect(stderr).toContain(
      'the findings have the number 7 and the text "7" in the column "Id", and people.csv cannot say',
    );
    expect(code).toBe(1);
    expect(readdirSync(scene.folder)).toEqual(["people.csv"]);
    expect(await joined("Id,Segment\n9,x\n", "findings.csv")).toMatchObject({ code: 0 });
    rmSync(join(scene.folder, "findings.csv"));
  }
});

test("a row without a key joins nothing, and a column without values is there", async () => {
  partitions = [['{"Id":""}', '{"Id":"a"}']];
  expect(await joined("Id,Segment,None\n,x,\n,y,\na,z,\n", "findings.csv")).toEqual(done);
  const text = readFileSync(join(scene.folder, "findings.csv"), "utf8");
  const rows: string[][] = parse(text, { bom: true });
  expect(rows.map((row) => row.slice(-3))).toEqual([
    ["Id", "Segment", "None"],
    ["", "", ""],
    ["a", "z", ""],
  ]);
});

test("a file that cannot be joined is refused before any request", async () => {
  partitions = findings;
  const cases: [csv: string | Uint8Array, message: string][] = [
    [
      "Id,Segment\na,1\nb,1\na,2\n",
      'people.csv has "a" twice in the column "Id", the second time in the row that ends with line 4',
    ],
    ["Key,Segment\na,1\n", 'the first line of people.csv has no column "Id"; its columns are "Key", "Segment"'],
    [
      "ID;Segment\na;1\n",
      'the first line of people.csv has no column "Id" (did you mean "ID"?); its columns are "ID", "Segment"',
    ],
    [
      "Id,comment\na,1\n",
      'the findings have a field "Comment" already: rename or remove the column "comment" of people.csv',
    ],
    [
      "Id,Segment,SEGMENT\na,1,2\n",
      'people.csv has the columns "Segment" and "SEGMENT", which many programs take for one: rename or remove one of them',
    ],
    [
      "Id,ID\na,1\n",
      'people.csv has the columns "Id" and "ID", which many programs take for one: rename or remove one of them',
    ],
    ["Id\na\n", 'people.csv has no column beside "Id"'],
    [
      "Id,Comment\na,1\n",
      'the findings have a field "Comment" already: rename or remove the column "Comment" of people.csv',
    ],
    ["Id,Segment,Segment\na,1,2\n", 'people.csv has two columns "Segment"'],
    ["Id,Segment,\na,1,2\n", "column 3 of people.csv has no name"],
    ["Id,Segment\na,1\nb,1,2\n", "people.csv is no CSV file: line 3 has more or fewer fields than the first line"],
    [
      'Id,Segment\na,"1\n',
      "people.csv is no CSV file: line 2 has a quote in the wrong place, or one that is not closed",
    ],
    [
      Buffer.from("Id;Segment\na;für\n", "latin1"),
      'people.csv is no text in UTF-8 or UTF-16. Excel saves one as "CSV UTF-8"',
    ],
  ];
  for (const [csv, message] of cases) {
    const { code, stdout, stderr } = await joined(csv);
    expect(stderr).toContain(message);
    expect({ code, stdout, requests }).toEqual({ code: 1, stdout: "", requests: [] });
  }
  truncateSync(join(scene.folder, "people.csv"), 2 ** 29);
  const large = await run([...exported("findings.csv"), "--join", "people.csv", "--by", "Id"]);
  expect(large.stderr).toContain(
    "people.csv has 512 MiB, and --join reads at most 511 MiB: remove the columns and rows that the export does not need",
  );
  rmSync(join(scene.folder, "people.csv"));
  const { stderr } = await run([...exported("findings.csv"), "--join", "people.csv", "--by", "Id"]);
  expect(stderr).toMatch(/^inspection-findings: the file of --join cannot be read: ENOENT/);
});

test("a command line that names no file or no single column is wrong", async () => {
  for (const [words, message] of [
    [["--join", "people.csv"], "--join FILE and --by COLUMN belong together"],
    [["--by", "Id"], "--join FILE and --by COLUMN belong together"],
    [["--join", "people.csv", "--by", "Id", "--by", "n"], "export needs the name of one column after --by"],
  ] as const) {
    const { code, stderr } = await run([...exported("findings.csv"), ...words]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  }
  expect((await run(["summary", "42", "--by", "n", "--join", "people.csv"])).stderr).toContain(
    "--join does not apply to summary",
  );
});

test("a name that a finding has already, and a key that no finding has, end the export without a file", async () => {
  partitions = [['{"Id":"b","segment":null}'], ['{"Id":"a","segment":null,"segment":1}']];
  for (const [by, message] of [
    ["Id", 'the findings have a field "segment" already: rename or remove the column "Segment" of people.csv'],
    ["ID", 'the findings have a field "Id", not "ID": rename that column of people.csv, and name it after --by'],
    [
      "I_d",
      'no finding has a value in the column "I_d", which --by names (did you mean "Id"?); the columns of the findings are "Id", "segment"',
    ],
  ] as const) {
    const { code, stderr } = await joined(`${by},${by === "Id" ? "Segment" : "New"}\na,1\n`, "findings.csv", by);
    expect(stderr).toContain(message);
    expect(code).toBe(1);
    expect(readdirSync(scene.folder)).toEqual(["people.csv"]);
  }
});

test("an export in which no finding has a row says so", async () => {
  partitions = findings;
  for (const name of ["findings.ndjson", "findings.arrow"]) {
    const { code, stderr } = await joined("Id,Segment\n07,x\n", name);
    expect(stderr).toBe(
      'inspection-findings: no finding has a value of people.csv: compare its column "Id" with that of the findings\n',
    );
    expect(code).toBe(0);
  }
});

test("an interrupted export continues with the same file, and refuses another one", async () => {
  for (const name of ["findings.ndjson", "findings.csv"]) {
    partitions = [...findings, undefined];
    while (!existsSync(join(scene.folder, `${name}.partial`, "0.table"))) await joined(people, name);
    partitions = [...findings, ['{"Id":"a"}']];
    const { code, stderr } = await joined(people.replace("odd", "new"), name);
    expect(stderr).toMatch(/has partitions of another export. It was begun for .*"sha256":"\w{64}"/);
    expect({ code, requests: requests.length }).toEqual({ code: 1, requests: 1 });
    expect((await run(exported(name))).stderr).toContain("partitions of another export");
    expect(await joined(people, name)).toEqual(done);
    expect(requests.some(({ url }) => url.endsWith("/0"))).toBe(false);
    const text = readFileSync(join(scene.folder, name), "utf8");
    expect(text.match(/letter/g)).toHaveLength(2);
    expect(text.match(/odd/g)).toHaveLength(1);
  }
});

test("the example of the guide adds the columns of a file", async () => {
  const block = blocksIn("www/docs/node.md").find(({ marks }) => marks.includes("by=tests/command/join.test.ts"));
  const program = inRepository("dist", "command.js");
  const script = (block?.code ?? "").replace("npx inspection-findings", `${process.execPath} ${program}`);
  const [, name = ""] = /--to (\S+)/.exec(script) ?? [];
  fake.use(scenarioOf(['{"Findings":[{"RespondentId":"r1"},{"RespondentId":"r3"}]}']));
  const env = { ...process.env, FINDINGS_URL: fake.baseUrl };
  await promisify(execFile)("sh", ["-e", "-c", script], { cwd: scene.folder, env });
  const rows = await parquetReadObjects({ file: new Uint8Array(readFileSync(join(scene.folder, name))).buffer });
  expect(rows.map(({ RespondentId, Segment, Country }) => [RespondentId, Segment, Country])).toEqual([
    ["r1", "new", "DE"],
    ["r3", null, null],
  ]);
});
