/** Tables as Arrow streams: every value comes back, the schema keeps its rules, and bad input is named. */

import * as flechette from "@uwdata/flechette";
import { FindingsClient, FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { describe, expect, test } from "vitest";
import { oddFindings, readByFlechette, readers } from "../arrow/streams.js";
import { expectFindings } from "./arrow-values.js";
import { freeAfterTest } from "./clients.js";
import { fetchOf, likelyFinding, load, type Table, tableOf } from "./tables.js";

const text = "Dictionary<Int32, Utf8>";

/** The types of the columns of a stream, by name. */
function typesOf(stream: Uint8Array) {
  return Object.fromEntries(
    readByFlechette(stream).columns.map(({ name, type, metadata }) => [
      name,
      [type, metadata.get("inspection-findings.content")].filter(Boolean).join(", "),
    ]),
  );
}

/** The values of a column of a stream. */
function valuesOf(stream: Uint8Array, name: string) {
  return readByFlechette(stream).columns.find((column) => column.name === name)?.values;
}

function expectTypeError(write: () => unknown, message: string) {
  expect(write).toThrow(expect.objectContaining({ name: "TypeError", message: expect.stringContaining(message) }));
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
  "more texts than are copied at once": Array.from({ length: 5000 }, (_, row) => ({
    a: `${row} é😀`.repeat(row % 7) || `${row}`,
  })),
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
      const stream = toArrowIPC(table, options);
      for (const read of Object.values(readers)) expectFindings(read(stream), JSON.parse(json), table.columns);
    }
  });

  test("with a byte order mark at the beginning of a text", async () => {
    const stream = toArrowIPC(await tableOf([{ a: "\ufeffx" }]));
    const column = flechette.tableFromIPC(stream).getChild("a") as any;
    const { values } = column.data[0].dictionary.data[0];
    expect(new TextDecoder("utf-8", { ignoreBOM: true }).decode(values)).toBe("\ufeffx");
  });
});

describe("the stream", () => {
  test("has its own buffer, which can be transferred, and an end marker", async () => {
    const table = await tableOf([likelyFinding(1)]);
    const stream = toArrowIPC(table);
    expect(stream.byteLength).toBe(stream.buffer.byteLength);
    expect([...stream.slice(-8)]).toEqual([255, 255, 255, 255, 0, 0, 0, 0]);
    const copy = structuredClone(stream, { transfer: [stream.buffer] });
    expect(stream.byteLength).toBe(0);
    expect(copy).toEqual(toArrowIPC(table));
  });

  test("stores each text once by default, and in each row as utf8", async () => {
    const comment = "x".repeat(1000);
    const table = await tableOf(Array.from({ length: 100 }, () => ({ Comment: comment })));
    expect(toArrowIPC(table).length).toBeLessThan(10_000);
    expect(toArrowIPC(table, { strings: "utf8" }).length).toBeGreaterThan(100_000);
    expect(typesOf(toArrowIPC(table, { strings: "utf8" })).Comment).toBe("Utf8");
  });

  test("of a view has only the texts of its rows", async () => {
    using some = (await tableOf([{ a: "x" }, { a: "y" }, { a: "z" }, { a: "x" }])).filter({ a: { not: "y" } });
    const { data } = flechette.tableFromIPC(toArrowIPC(some)).getChild("a") as any;
    expect([...data[0].dictionary]).toEqual(["x", "z"]);
  });
});

describe("the schema", () => {
  test("has the documented fields with fixed types, also without findings", async () => {
    for (const table of [await tableOf([]), await load([]), await tableOf([{}, {}])]) {
      expect(typesOf(toArrowIPC(table))).toEqual(documented);
      expect(Object.keys(typesOf(toArrowIPC(table)))).toEqual(Object.keys(documented));
    }
    using client = new FindingsClient({ fetch: fetchOf([[]]) });
    using table = await client.loadTable(1, "sentiment");
    expect(typesOf(toArrowIPC(table))).toEqual({ ...documented, Sentiment: "Int32" });
  });

  test("has the other columns after them, in the order of the table and typed by their values", async () => {
    const table = await tableOf([
      {
        z: 1,
        Comment: "c",
        Z: 1,
        i: 1,
        f: 0.5,
        b: true,
        s: "x",
        n: null,
        o: { p: 1, "q.r": "x" },
        a: [1],
        m: 1,
        l: 2 ** 31,
      },
      { z: -0, i: -(2 ** 31), f: 1, b: null, m: "x", big: 2 ** 53 },
    ]);
    const types = typesOf(toArrowIPC(table));
    expect(types).toEqual({
      ...documented,
      z: "Int32",
      Z: "Int32",
      i: "Int32",
      f: "Float64",
      b: "Bool",
      s: text,
      n: text,
      "o.p": "Int32",
      "o.q\\.r": text,
      a: `${text}, json`,
      m: `${text}, json`,
      l: "Float64",
      big: "Float64",
    });
    const others = table.columns.filter((name) => !(name in documented));
    expect(Object.keys(types)).toEqual([...Object.keys(documented), ...others]);
  });

  test("types a documented field by its values if they do not fit", async () => {
    const table = await tableOf([{ StringKey: 3_000_000_000, NoTopic: "no", Comment: "c", TopicGroup: 7 }]);
    expect(typesOf(toArrowIPC(table))).toEqual({
      ...documented,
      StringKey: "Float64",
      NoTopic: text,
      TopicGroup: "Int32",
    });
  });

  test("says which inspection and kind it is, and whether it is complete", async () => {
    const metadataOf = (table: Table) => Object.fromEntries(readByFlechette(toArrowIPC(table)).metadata);
    const about = {
      "inspection-findings.inspection": "12345678901234567",
      "inspection-findings.kind": "sentiment",
      "inspection-findings.columnsTruncated": "false",
      "inspection-findings.integersRounded": "false",
      "inspection-findings.surrogatesReplaced": "false",
    };
    const expected = (complete: boolean) => ({ ...about, "inspection-findings.complete": `${complete}` });
    const client = new FindingsClient({ fetch: fetchOf([[{ a: 1 }, { a: 2 }], [{ a: 3 }]]) });
    freeAfterTest(client);
    const key = 12345678901234567n;
    using whole = (await client.loadTable(key, "sentiment")) as Table;
    using partition = await client.loadPartition(key, "sentiment", 0);
    const all = [whole, whole.sortBy("a", "desc"), whole.filter({ a: { min: 1 } })];
    const some = [whole.filter({ a: 1 }), partition];
    for await (const { table } of client.streamTables(key, "sentiment")) some.push(table);
    expect(all.map(metadataOf)).toEqual(all.map(() => expected(true)));
    expect(some.map(metadataOf)).toEqual(some.map(() => expected(false)));
  });

  test("says no inspection, kind or completeness of findings that have none, or several", async () => {
    const namesOf = (table: Table) =>
      [...readByFlechette(toArrowIPC(table)).metadata.keys()].filter((name) =>
        /inspection$|kind$|complete$/.test(name),
      );
    const client = new FindingsClient({ fetch: fetchOf([[{ a: 1 }], [{ a: 2 }]]) });
    freeAfterTest(client);
    const made: Table = await FindingsTable.from([{ a: 1 }]);
    const [one, again] = [await client.loadTable(7, "topics"), await client.loadTable("7", "topics")];
    const others = [await client.loadTable(8, "topics"), await client.loadTable(7, "sentiment"), made];
    const joined = [FindingsTable.concat([]), ...others.map((other) => FindingsTable.concat([one, other]))];
    for (const table of [made, made.sortBy("a"), made.select("a"), ...joined]) {
      const known = table === joined[1] ? ["inspection-findings.kind"] : [];
      expect(namesOf(table)).toEqual(known);
      if (table.length === 0) continue;
      using saved: Table = await FindingsTable.fromBytes(table.toBytes());
      expect([namesOf(saved), saved.isComplete]).toEqual([known, table.isComplete]);
    }
    const { metadata } = readByFlechette(toArrowIPC(FindingsTable.concat([one, again])));
    expect(metadata.get("inspection-findings.inspection")).toBe("7");
    expect(metadata.get("inspection-findings.complete")).toBe("false");
    for (const table of [one, again, ...others, ...joined]) table.free();
  });

  test("says what it lacks: fields without a column, and the rest of a partial result or of another total", async () => {
    const said = (table: Table) => {
      const { metadata } = readByFlechette(toArrowIPC(table));
      return ["columnsTruncated", "complete"].map((name) => metadata.get(`inspection-findings.${name}`));
    };
    const client = new FindingsClient({ fetch: fetchOf([[{ a: 1 }], "no JSON"]), failurePolicy: "collect" });
    const { table: partial } = await client.loadTable(1, "topics").catch((error) => error);
    freeAfterTest(partial);
    const readCounts = () => ({ topics: { partitions: 1, findings: 7 } });
    const other = await load([[{ a: 1 }]], { completeness: "off", readCounts });
    const truncated = await tableOf('[{"a":1},{"a":2,"b":3,"b":4}]');
    expect([truncated, partial, other].map(said)).toEqual([
      ["true", "true"],
      ["false", "false"],
      ["false", "false"],
    ]);
    expect(valuesOf(toArrowIPC(truncated), "a")).toEqual([1, null]);
  });
});

describe("with the `schema` of an earlier stream", () => {
  const first = [{ Comment: "c", i: 1, f: 0.5, b: true, s: "x", j: [1] }];

  test.for([{}, { strings: "utf8" }] as const)(
    "written with %j it has the same columns, whatever the table lacks",
    async (options) => {
      const schema = toArrowIPC(await tableOf(first), options);
      const types = typesOf(schema);
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
          expect(typesOf(stream)).toEqual(types);
          expect(Object.keys(typesOf(stream))).toEqual(Object.keys(types));
          const names = table.columns.filter((name) => name !== "extra");
          for (const read of Object.values(readers)) expectFindings(read(stream), findings, names);
        }
      }
    },
  );

  test("keeps the names of columns as they are, also with a byte order mark", async () => {
    const table = await tableOf([{ "\ufeffa": 1, a: "x", "": 2, "\ufeff": 3 }]);
    const schema = toArrowIPC(table);
    expect(toArrowIPC(table, { schema })).toEqual(schema);
    expect(toArrowIPC(await tableOf([{ "\ufeffa": 5, a: "y" }]), { schema }).length).toBeGreaterThan(0);
  });

  test("decides, whatever `strings` says", async () => {
    const table = await tableOf(first);
    const schema = toArrowIPC(table, { strings: "utf8" });
    expect(toArrowIPC(table, { schema, strings: "dictionary" })).toEqual(schema);
  });

  test.each([
    [{ i: 0.5 }, '"i" has values that are not int32'],
    [{ i: 2 ** 31 }, '"i" has values that are not int32'],
    [{ f: "x" }, '"f" has values that are not float64'],
    [{ b: 1 }, '"b" has values that are not bool'],
    [{ s: [1] }, '"s" has values that are not text'],
    [{ other: 1 }, '"other" has values, but schema has no such column'],
  ])("a finding %j that does not fit is a TypeError that names the column", async (finding, message) => {
    const schema = toArrowIPC(await tableOf(first));
    const table = await tableOf([finding]);
    expectTypeError(() => toArrowIPC(table, { schema }), message);
  });

  test("of another type is a TypeError that names the column", async () => {
    const column = flechette.columnFromArray([1n], flechette.int64());
    const schema = flechette.tableToIPC(flechette.tableFromColumns({ i: column }), {}) as Uint8Array;
    const table = await tableOf(first);
    expectTypeError(() => toArrowIPC(table, { schema }), '"i" of schema has a type that toArrowIPC does not write');
  });

  test("that is no stream of toArrowIPC is a TypeError", async () => {
    const table = await tableOf(first);
    const lengthBeyondEnd = new Uint8Array([255, 255, 255, 255, 255, 255, 255, 127, 0, 0]);
    for (const schema of [new Uint8Array(), new Uint8Array(64), lengthBeyondEnd]) {
      expectTypeError(() => toArrowIPC(table, { schema }), "schema must be a stream that toArrowIPC has written");
    }
  });
});

test("a freed table is a TypeError that says so, while its views can still be written", async () => {
  const table = await tableOf([{ a: 1 }]);
  using view = table.filter({});
  table.free();
  expectTypeError(() => toArrowIPC(table), "this FindingsTable has been freed");
  expect(valuesOf(toArrowIPC(view), "a")).toEqual([1]);
});

test("a wrong table, option or value of one is a TypeError that names it", async () => {
  const table = await tableOf([{ a: 1 }]);
  const wrong: [any[], string][] = [
    [[{}], "FindingsTable"],
    [[table, { string: "utf8" }], 'unknown option "string"'],
    [[table, { strings: "large" }], "strings"],
    [[table, { schema: 7 }], "schema"],
  ];
  for (const [parameters, message] of wrong) {
    expectTypeError(() => (toArrowIPC as any)(...parameters), message);
  }
});
