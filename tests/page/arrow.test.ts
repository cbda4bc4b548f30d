/** Tables as Arrow streams: every value comes back, the schema keeps its rules, and bad input is named. */

import * as flechette from "@uwdata/flechette";
import { FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { describe, expect, test } from "vitest";
import { oddFindings, readByApache, readByFlechette, readers, valuesOf } from "../readers/arrow/streams.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { countsOf, upTo } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { expectSame } from "./same.js";
import { likelyFinding, load, type Table, tableOf } from "./tables.js";
import { Wire } from "./wire.js";
import { collect, refusing } from "./wires";

const text = "Dictionary<Int32, Utf8>";

/** The types of the columns of a stream, by name. */
function typesOf(stream: Uint8Array) {
  return Object.fromEntries(
    readByApache(stream).columns.map(({ name, type, metadata }) => [
      name,
      [type, metadata.get("inspection-findings.content")].filter(Boolean).join(", "),
    ]),
  );
}

/** Expects that each reader gets these findings from a stream, column by column. */
function expectFindings(stream: Uint8Array, findings: object[], names: string[]) {
  for (const read of Object.values(readers)) {
    for (const { read: value, expected, name } of valuesOf(read(stream), findings, names)) {
      expectSame(value, expected, name);
    }
  }
}

/** The values of a column of a stream. */
function columnOf(stream: Uint8Array, name: string) {
  return readByFlechette(stream).columns.find((column) => column.name === name)?.values;
}

/** What the stream of a table says about it, without the prefix of the names. */
function metadataOf(table: Table) {
  const { metadata } = readByFlechette(toArrowIPC(table));
  return Object.fromEntries([...metadata].map(([name, value]) => [name.replace("inspection-findings.", ""), value]));
}

/** The names and types of the columns, in their order. */
function fieldsOf(stream: Uint8Array) {
  return Object.entries(typesOf(stream));
}

const documented = {
  VariableKey: "Int32",
  RespondentKey: "Int32",
  RespondentId: text,
  StringKey: "Int32",
  TopicGroup: text,
  ExpressionGroup: text,
  NoTopic: "Bool",
  NoExpression: "Bool",
  Comment: text,
};

const longTexts = {
  "texts that are longer than a piece that is copied at once": [10, 70_000, 65_536, 0, 65_535, 200_000, 3].map(
    (length, row) => ({ a: `${row}`.repeat(length) }),
  ),
  "more texts than are copied at once": upTo(5000).map((row) => ({ a: `${row} é😀`.repeat(row % 7) || `${row}` })),
};

test("a lone surrogate is replaced, and the metadata say so; the other texts stay as they are", async () => {
  using table = await tableOf([{ Comment: "a\ud800", b: "c" }, { Comment: "d" }]);
  for (const options of [{}, { strings: "utf8" }, { schema: toArrowIPC(await tableOf([{ b: "c" }])) }] as const) {
    const { columns, metadata } = readByFlechette(toArrowIPC(table, options));
    const texts = columns.find(({ name }) => name === "Comment");
    expect([texts?.values, texts?.metadata.size]).toEqual([["a\ufffd", "d"], 0]);
    expect(metadata.get("inspection-findings.surrogatesReplaced")).toBe("true");
  }
});

describe("every value comes back", () => {
  const cases = Object.entries(longTexts).map(([name, findings]) => [name, JSON.stringify(findings)]);
  test.for([...Object.entries(oddFindings), ...cases])("of findings with %s", async ([, json]) => {
    const table = await tableOf(json);
    for (const options of [{}, { strings: "utf8" }] as const) {
      expectFindings(toArrowIPC(table, options), JSON.parse(json), table.columns);
    }
  });

  test("with a byte order mark at the beginning of a text", async () => {
    const stream = toArrowIPC(await tableOf([{ a: "\ufeffx" }]));
    const column = flechette.tableFromIPC(stream).getChild("a") as any;
    const { values } = column.data[0].dictionary.data[0];
    expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(values)).toBe("\ufeffx");
  });
});

test("the stream has its own buffer, which can be transferred, and an end marker", async () => {
  const stream = toArrowIPC(await tableOf([likelyFinding(1)]));
  expect(stream.byteLength).toBe(stream.buffer.byteLength);
  expect([...stream.slice(-8)]).toEqual([255, 255, 255, 255, 0, 0, 0, 0]);
});

test("stores each text of the rows once by default, and in each row as utf8", async () => {
  const table = await tableOf([...Array(100).fill({ Comment: "x".repeat(1000) }), { Comment: "another" }]);
  const dictionary = (some: Table) => {
    const { data } = flechette.tableFromIPC(toArrowIPC(some)).getChild("Comment") as any;
    return [...data[0].dictionary];
  };
  expect(dictionary(table)).toEqual(["x".repeat(1000), "another"]);
  expect(dictionary(table.filter({ Comment: "another" }))).toEqual(["another"]);
  const stream = toArrowIPC(table, { strings: "utf8" });
  expect(stream.length).toBeGreaterThan(100_000);
  expect(typesOf(stream).Comment).toBe("Utf8");
});

describe("the schema", () => {
  test("has the documented fields with fixed types, also without findings", async () => {
    for (const table of [await tableOf([]), await load([]), await tableOf([{}, {}])]) {
      expect(fieldsOf(toArrowIPC(table))).toEqual(Object.entries(documented));
    }
    using table = await clientOf(new Wire({ partitions: 1, findings: () => [] })).loadTable(1, "sentiment", {
      completeness: "off",
    });
    expect(typesOf(toArrowIPC(table))).toEqual({ ...documented, Sentiment: "Int32" });
  });

  test("has the other columns after them, in the order of the table and typed by their values", async () => {
    const first = { z: 1, Comment: "c", Z: 1, i: 1, f: 0.5, b: true, s: "x", n: null };
    const second = { z: -0, i: -(2 ** 31), f: 1, b: null, m: "x", big: 2 ** 53 };
    const table = await tableOf([{ ...first, o: { p: 1, "q.r": "x" }, a: [1], m: 1, l: 2 ** 31 }, second]);
    const others = {
      ...{ z: "Int32", Z: "Int32", i: "Int32", f: "Float64", b: "Bool", s: text, n: text },
      ...{ "o.p": "Int32", "o.q\\.r": text, a: `${text}, json`, m: `${text}, json`, l: "Float64", big: "Float64" },
    };
    expect(fieldsOf(toArrowIPC(table))).toEqual(Object.entries({ ...documented, ...others }));
  });

  test("types a documented field by its values if they do not fit", async () => {
    const table = await tableOf([{ StringKey: 3_000_000_000, NoTopic: "no", Comment: "c", TopicGroup: 7 }]);
    const others = { StringKey: "Float64", NoTopic: text, TopicGroup: "Int32" };
    expect(typesOf(toArrowIPC(table))).toEqual({ ...documented, ...others });
  });

  const key = 12345678901234567n;
  const client = () => clientOf(new Wire());
  const joined = (...tables: Table[]): Table => FindingsTable.concat(tables);
  const made = (): Promise<Table> => FindingsTable.from([{ a: 1 }]);
  const lacking = async () => (await rejectionOf(clientOf(refusing([1]).wire).loadTable(key, "topics", collect))).table;
  const other = new Wire({ counts: { ...countsOf(3), TopicFindings: 7 } });

  test.for<[string, (topics: Table) => Table | Promise<Table>, isOf: boolean, kind?: string, complete?: string]>([
    ["all findings", (topics) => topics, true, "topics", "true"],
    ["all sentiment findings", () => client().loadTable(key, "sentiment"), true, "sentiment", "true"],
    ["all findings in another order", (topics) => topics.sortBy("Number"), true, "topics", "true"],
    ["a view with all", (topics) => topics.filter({ Number: { min: 0 } }), true, "topics", "true"],
    ["a view with some", (topics) => topics.filter({ Number: 1 }), true, "topics", "false"],
    ["a partition", () => client().loadPartition(key, "topics", 0), true, "topics", "false"],
    ["a partial result", lacking, true, "topics", "false"],
    ["another total", () => clientOf(other, { completeness: "off" }).loadTable(key, "topics"), true, "topics", "false"],
    ["findings of the caller", made, false],
    ["a view of them", async () => (await made()).sortBy("a"), false],
    ["them beside others", async (topics) => joined(topics, await made()), false, "topics"],
    ["both kinds", async (topics) => joined(topics, await client().loadTable(key, "sentiment")), false],
    ["two inspections", async (topics) => joined(topics, await client().loadTable(8, "topics")), false, "topics"],
    ["one twice", async (all) => joined(all, await client().loadTable(`${key}`, "topics")), true, "topics", "false"],
  ])(
    "says of %s which inspection and kind it is, and whether all, also from bytes",
    async ([, make, isOf, ...told]) => {
      const table = freeAfterTest(await make(freeAfterTest(await client().loadTable(key, "topics"))));
      for (const one of [table, freeAfterTest(await FindingsTable.fromBytes(table.toBytes()))]) {
        const { inspection, kind, complete, ...others } = metadataOf(one);
        expect([inspection, kind, complete]).toEqual([isOf ? `${key}` : undefined, told[0], told[1]]);
        expect(others).toEqual({ columnsTruncated: "false", integersRounded: "false", surrogatesReplaced: "false" });
      }
    },
  );

  test("says that it lacks fields without a column", async () => {
    const truncated = await tableOf('[{"a":1},{"a":2,"b":3,"b":4}]');
    expect(metadataOf(truncated)).toMatchObject({ columnsTruncated: "true", complete: "true" });
    expect(columnOf(toArrowIPC(truncated), "a")).toEqual([1, null]);
  });
});

describe("with the `schema` of an earlier stream", () => {
  const first = [{ Comment: "c", i: 1, f: 0.5, b: true, s: "x", j: [1] }];

  test.for([{}, { strings: "utf8" }] as const)(
    "written with %j it has the same columns, whatever the table lacks",
    async (options) => {
      const schema = toArrowIPC(await tableOf(first), options);
      const others = [
        { j: "text", f: 3, i: null },
        { i: -5, extra: null },
      ];
      for (const findings of [[], [{}], others, first]) {
        const table = await tableOf(findings);
        const unaligned = new Uint8Array([0, 0, 0, ...schema]).subarray(3);
        const message = schema.slice(0, 8 + new DataView(schema.buffer).getInt32(4, true));
        for (const given of [schema, message, unaligned]) {
          const stream = toArrowIPC(table, { schema: given });
          expect(fieldsOf(stream)).toEqual(fieldsOf(schema));
          expectFindings(
            stream,
            findings,
            table.columns.filter((name) => name !== "extra"),
          );
        }
      }
    },
  );

  test("decides, whatever `strings` says", async () => {
    const table = await tableOf(first);
    const schema = toArrowIPC(table, { strings: "utf8" });
    expect(toArrowIPC(table, { schema, strings: "dictionary" })).toEqual(schema);
  });

  const column = flechette.columnFromArray([1n], flechette.int64());
  const int64 = flechette.tableToIPC(flechette.tableFromColumns({ i: column }), {}) as Uint8Array;
  const lengthBeyondEnd = new Uint8Array([255, 255, 255, 255, 255, 255, 255, 127, 0, 0]);

  test.for<[string, object, Uint8Array | undefined, string]>([
    ["a fraction", { i: 0.5 }, undefined, '"i" has values that are not int32'],
    ["a large integer", { i: 2 ** 31 }, undefined, '"i" has values that are not int32'],
    ["a text as a number", { f: "x" }, undefined, '"f" has values that are not float64'],
    ["a number as a boolean", { b: 1 }, undefined, '"b" has values that are not bool'],
    ["a list as a text", { s: [1] }, undefined, '"s" has values that are not text'],
    ["another column", { other: 1 }, undefined, '"other" has values, but schema has no such column'],
    ["another type", { i: 1 }, int64, '"i" of schema has a type that toArrowIPC does not write'],
    ["no bytes", {}, new Uint8Array(), "schema must be a stream that toArrowIPC has written"],
    ["zeros", {}, new Uint8Array(64), "schema must be a stream that toArrowIPC has written"],
    ["a length beyond the end", {}, lengthBeyondEnd, "schema must be a stream that toArrowIPC has written"],
  ])("refuses %s", async ([, finding, schema, message]) => {
    const given = { schema: schema ?? toArrowIPC(await tableOf(first)) };
    const table = await tableOf([finding]);
    expect(() => toArrowIPC(table, given)).toThrow(TypeError);
    expect(() => toArrowIPC(table, given)).toThrow(message);
  });
});

test("a wrong table, option or value of one is a TypeError that names it, a freed table too", async () => {
  const table = await tableOf([{ a: 1 }]);
  using view = table.filter({});
  table.free();
  const wrong: [any[], string][] = [
    [[{}], "FindingsTable"],
    [[table], "this FindingsTable has been freed"],
    [[view, { string: "utf8" }], 'unknown option "string"'],
    [[view, { strings: "large" }], "strings"],
    [[view, { schema: 7 }], "schema"],
  ];
  for (const [parameters, message] of wrong) {
    expect(() => (toArrowIPC as any)(...parameters)).toThrow(TypeError);
    expect(() => (toArrowIPC as any)(...parameters)).toThrow(message);
  }
  expect(columnOf(toArrowIPC(view), "a")).toEqual([1]);
});
