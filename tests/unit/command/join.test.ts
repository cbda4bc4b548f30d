/** The columns of a CSV file in an export: however the file is written, what cannot be joined, and the values that `table.with` gives. */

import { readdirSync } from "node:fs";
import { join } from "node:path";
import { FindingsTable } from "inspection-findings";
import { expect, test } from "vitest";
import { JoinedColumns } from "../../../src/js/command/joined-columns.js";
import { exported, prepareScene, put, refused, requests, run, scene, serve } from "./command-run.js";

prepareScene();

/** Reads a file with further columns. */
function columnsOf(csv: string | Uint8Array, by = "Id"): Promise<JoinedColumns> {
  return JoinedColumns.read({ file: join(scene.folder, put("people.csv", csv)), by }, "sentiment");
}

/** The findings, as JSON, with the columns of a file. */
async function joined(csv: string | Uint8Array, findings: string[], by?: string): Promise<Record<string, unknown>[]> {
  const columns = await columnsOf(csv, by);
  const table = await FindingsTable.from<object>(findings.map((finding) => JSON.parse(finding)));
  return columns.addTo(table as never).toArray() as Record<string, unknown>[];
}

const withIds = (...ids: string[]) => ids.map((id) => JSON.stringify({ Id: id }));

const quoted = (separator: string) =>
  [
    ["Id", "Segment", "Tag;s"],
    ['a;,\t"b', "one\r\ntwo, or; three", ""],
    ["ü", "é", "ツ"],
  ]
    .map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(separator))
    .join("\r\n");
const littleEndian = Buffer.from(`\ufeff${quoted("\t")}`, "utf16le");

test.for<[what: string, file: string | Buffer]>([
  ["commas", quoted(",")],
  ["semicolons", quoted(";")],
  ["tabs", quoted("\t")],
  ["a byte order mark and empty lines", `\ufeff\r\n${quoted(";")}\r\n\r\n`],
  ["UTF-16, little-endian", littleEndian],
  ["UTF-16, big-endian", Buffer.from(littleEndian).swap16()],
])("the file may have %s, and any character in quotes", async ([, file]) => {
  expect(await joined(file, withIds('a;,\t"b', "ü"))).toEqual([
    { Id: 'a;,\t"b', Segment: "one\r\ntwo, or; three", "Tag;s": "" },
    { Id: "ü", Segment: "é", "Tag;s": "ツ" },
  ]);
});

test("each line of the file may end with CR, LF or both", async () => {
  const ends = ["\n", "\r\n", "\r"];
  for (const [first, second, third] of ends.flatMap((one, at) => [
    [one, ends[(at + 1) % 3], ends[(at + 2) % 3]],
    [one, one, ends[(at + 1) % 3]],
  ])) {
    const file = `Id,Segment${first}a,one${second}b,"t\r\nw\ro"${third}c,three${first}d,four`;
    const segments = (await joined(file, withIds("a", "b", "c", "d"))).map(({ Segment }) => Segment);
    expect(segments).toEqual(["one", "t\r\nw\ro", "three", "four"]);
  }
});

test.for<[separator: string, numbers: string[], texts: string[]]>([
  [
    ",",
    ["7", "-2.50", "0", "0.125", "1e+05", "2E-3", "999999999999999", "1.234"],
    [
      ...["1234567890123456", "0.1234567890123456", "01067", "one", "NA", " ", "1 ", "+1", "1.", ".5", "1,5", "0x10"],
      ...["1e400", "Infinity", "true"],
    ],
  ],
  [";", ["7,5", "-1,234", "7.5", "0.125"], ["1.234", "1.234,5"]],
])(
  "with %s between fields, a column that has only numbers, such as %j, has numbers",
  async ([separator, numbers, texts]) => {
    // A row without a key joins nothing, so its values do not count.
    const values = [...numbers, ...texts];
    const rows = [
      ["Id", ...values.map((_, at) => `c${at}`)],
      ["a", ...values],
      ["b", ...values.map(() => "1")],
      ["", ...values.map(() => "no number")],
    ];
    const file = rows.map((row) => row.map((cell) => cell && `"${cell}"`).join(separator)).join("\n");
    const [a, b] = await joined(file, withIds("a", "b"));
    expect(Object.values(a ?? {}).slice(1)).toEqual([
      ...numbers.map((text) => Number(text.replace(",", "."))),
      ...texts,
    ]);
    expect(Object.values(b ?? {}).slice(1)).toEqual([...numbers.map(() => 1), ...texts.map(() => "1")]);
  },
);

test("keys and values are those that table.with takes: a truth value is no key, and an empty text, in quotes, is one", async () => {
  const findings = ['{"Id":true}', '{"Id":""}', '{"Id":7}', '{"Id":"x"}', '{"Id":null}'];
  const table = await FindingsTable.from<object>(findings.map((finding) => JSON.parse(finding)));
  const values = new Map<unknown, string>([
    ["true", "no"],
    ["", "none"],
    [7, ""],
  ]);
  const expected = table.with("Segment", { by: "Id" as never, values: values as never }).toArray();
  expect(expected.map((finding) => Reflect.get(finding, "Segment"))).toEqual([
    ...[undefined, "none", "", undefined, undefined],
  ]);
  expect(await joined('Id,Segment\n"true","no"\n"","none"\n"7",""\n"x",\n', findings)).toEqual(expected);
});

test("a row without a key joins nothing, and an empty field is no value, in a column of numbers neither in quotes", async () => {
  const file = 'Id,Segment,None,Score\n,x,,1\n,y,,2\na,z,,""\nb,,,7\n';
  expect(await joined(file, withIds("", "a", "b"))).toEqual([
    { Id: "" },
    { Id: "a", Segment: "z" },
    { Id: "b", Score: 7 },
  ]);
});

test("a key that is a number in one finding and a text in another is refused, because they differ, and the file has one", async () => {
  const message =
    'the findings have the number 7 and the text "7" in the column "Id", and .*people.csv cannot say which one it means';
  for (const partitions of [[[7, "7"]], [["7"], [8], [7]]]) {
    const [columns, others] = [await columnsOf("Id,Segment\n7,x\n"), await columnsOf("Id,Segment\n9,x\n")];
    const check = async (columns: JoinedColumns) => {
      for (const ids of partitions) {
        columns.addTo((await FindingsTable.from<object>(ids.map((Id) => ({ Id })))) as never);
      }
    };
    await expect(check(columns)).rejects.toThrow(new RegExp(message));
    await check(others);
  }
});

test("a field that is an empty object is in the way of a column", async () => {
  await expect(joined("Id,Segment\n7,x\n", ['{"Id":7,"Segment":{}}'])).rejects.toThrow(
    '--join: there is a field "Segment" already',
  );
});

test("a key beyond 2^53, which may be rounded, joins nothing", async () => {
  expect(await joined("Id,Segment\n9007199254740992,x\n7,y\n", ['{"Id":9007199254740993}', '{"Id":7}'])).toEqual([
    { Id: 9007199254740992 },
    { Id: 7, Segment: "y" },
  ]);
});

test.for<[csv: string | Uint8Array, message: string]>([
  [
    "Id,Segment\na,1\nb,1\na,2\n",
    ' has "a" twice in the column "Id", the second time in the row that ends with line 4',
  ],
  ["Key,Segment\na,1\n", ' has no column "Id"; its columns are "Key", "Segment"'],
  ["ID;Segment\na;1\n", ' has no column "Id"; its columns are "ID", "Segment"'],
  ["Id,comment\na,1\n", 'the findings have a field "Comment" already: rename or remove the column "comment" of '],
  ["Id,Segment,SEGMENT\na,1,2\n", ' has the columns "Segment" and "SEGMENT", which many programs take for one: rename'],
  ["Id,ID\na,1\n", ' has the columns "Id" and "ID", which many programs take for one: rename'],
  ["Id\na\n", ' has no column beside "Id"'],
  ["Id,Segment,Segment\na,1,2\n", ' has the columns "Segment" and "Segment", which many programs take for one: rename'],
  ["Id,Segment,\na,1,2\n", "column 3 of "],
  ["Id,Segment\na,1\nb,1,2\n", " is no CSV file: line 3 has more or fewer fields than the first line"],
  ['Id,Segment\na,"1\n', " is no CSV file: line 2 has a quote in the wrong place, or one that is not closed"],
  [Buffer.from("Id;Segment\na;für\n", "latin1"), ' is no text in UTF-8 or UTF-16. Excel saves one as "CSV UTF-8"'],
])("the file %j cannot be joined: …%s", async ([csv, message]) => {
  await expect(columnsOf(csv)).rejects.toThrow(message);
});

test.for<[what: string, file: string, says: string]>([
  [
    "Qualtrics' three heading lines",
    'Id,Score,Segment\n"Response ID","How likely?","Group"\n"{""ImportId"":""_id""}","{""ImportId"":""Q1""}",x\na,9,new\nb,7,old\n',
    'Score: 2 of 4 values are no numbers, such as "How likely?". So all values of this column of people.csv are texts',
  ],
  [
    "SPSS's #NULL!, more often than numbers",
    "Id,Score\na,9\nb,#NULL!\nc,7\nd,#NULL!\ne,#NULL!\n",
    'Score: 3 of 5 values are no numbers, such as "#NULL!".',
  ],
  ["blanks", "Id,Score\na,9\nb, \nc,\n", 'Score: 1 of 2 values are no numbers, such as " ".'],
  ["dots", "Id,Age,Score\na,9,.\nb,1,3\n", 'Score: 1 of 2 values are no numbers, such as ".".'],
  ["texts, none of which is a number", "Id,Room\na,12a\nb,north\n", ""],
])("a file with %s gets a line about numbers that become texts", async ([, file, says]) => {
  serve([['{"Id":"a"}']]);
  put("people.csv", file);
  for (const words of [exported("findings.csv"), ["summary", "42", "--by", "Id"]]) {
    const { code, stderr } = await run([...words, "--join", "people.csv", "--on", "Id"]);
    expect([code, stderr.startsWith(says && `inspection-findings: ${says}`)], stderr).toEqual([0, true]);
    expect(stderr.match(/\n/g) ?? []).toHaveLength(says === "" ? 0 : 1);
  }
});

test("a file that is missing is refused before any request", async () => {
  const words = [...exported("findings.csv"), "--join", "people.csv", "--on", "Id"];
  const missing = await run(words);
  expect(missing.stderr).toMatch(/^inspection-findings: the file of --join cannot be read: ENOENT/);
  expect([missing.code, requests]).toEqual([1, []]);
});

test.for([
  ["Id", 'the findings have a field "segment" already: rename or remove the column "Segment" of people.csv'],
  ["ID", '--on: there is no column "ID" (did you mean Id?); the columns are Id, segment'],
] as const)(
  "--on %s, with a file that does not fit the findings, ends the export without a file, and what has arrived stays",
  async ([by, message]) => {
    serve([['{"Id":"b","segment":null}'], ['{"Id":"a","segment":null,"segment":1}']]);
    put("people.csv", `${by},${by === "Id" ? "Segment" : "New"}\na,1\n`);
    expect(await refused([...exported("findings.csv"), "--join", "people.csv", "--on", by])).toContain(message);
    expect(readdirSync(scene.folder).sort()).toEqual(["findings.csv.partial", "people.csv"]);
  },
);

test.for([".ndjson", ".parquet"])("an export to %s in which no finding has a row says so", async (ending) => {
  serve([['{"Id":"a"}', '{"Id":7}'], ["{}"]]);
  put("people.csv", "Id,Segment\n07,x\n");
  const { code, stderr } = await run([...exported(`findings${ending}`), "--join", "people.csv", "--on", "Id"]);
  expect(stderr).toBe(
    'inspection-findings: no finding has a value of people.csv: compare its column "Id" with that of the findings\n',
  );
  expect(code).toBe(0);
});
