/** Columns that `with` and `concat` add to tables, tables of the caller's findings, and joined tables. */

import fc from "fast-check";
import { toArrowIPC } from "inspection-findings/arrow";
import { describe, expect, test } from "vitest";
import { ruleCasesOf } from "../counts.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { FindingsClient, FindingsTable } from "./place.js";
import { fetchOf } from "./tables.js";

const findings = [
  { RespondentId: "r1", RespondentKey: 1, Sentiment: -2, Comment: "slow" },
  { RespondentId: "r2", RespondentKey: 2, Sentiment: 1, Comment: "nice" },
  { RespondentId: "r1", RespondentKey: 1, Sentiment: 2, Comment: "late" },
  { RespondentId: "r3", RespondentKey: 3, Sentiment: 0, Comment: "well" },
];
const segments = ["new", "loyal", "new", undefined];
const expected = findings.map((finding, index) => ({
  ...finding,
  ...(segments[index] !== undefined && { Segment: segments[index] }),
}));

async function loaded(partitions: object[][] = [findings.slice(0, 2), findings.slice(2)]) {
  const client = freeAfterTest(new FindingsClient({ fetch: fetchOf(partitions) }));
  return freeAfterTest(await client.loadTable(1, "topics"));
}

describe("with", () => {
  const ways = {
    "a Map": {
      by: "RespondentId",
      values: new Map([
        ["r1", "new"],
        ["r2", "loyal"],
        ["none", "x"],
      ]),
    },
    "an object": { by: "RespondentId", values: { r1: "new", r2: "loyal", r3: undefined } },
    "two lists": { by: "RespondentId", keys: ["r2", "r1"], values: ["loyal", "new"] },
    "numbers as keys": { by: "RespondentKey", keys: Int32Array.of(1, 2), values: ["new", "loyal"] },
  } as const;
  for (const [name, column] of Object.entries(ways)) {
    test(`adds the values of ${name} by key, missing where there is none`, async () => {
      const table = freeAfterTest((await loaded()).with("Segment", column));
      expect(table.toArray()).toEqual(expected);
      expect(table.at(-1)).not.toHaveProperty("Segment");
      expect(table.columns).toContain("Segment");
      expect(table.column("Segment")).toEqual(segments);
      expect(table.isComplete).toBe(true);
      expect(table.partitions).toEqual([]);
    });
  }

  test("queries, views, saved tables, copies and Arrow streams have the column", async () => {
    const table = freeAfterTest((await loaded()).with("Segment", ways["a Map"]));
    expect(table.countBy("Segment")).toEqual([
      { key: ["new"], count: 2 },
      { key: ["loyal"], count: 1 },
      { key: [undefined], count: 1 },
    ]);
    expect(table.summarize("Segment", "Sentiment")[0]).toMatchObject({ key: ["new"], sum: 0, min: -2 });
    expect(table.countBy([], { distinct: "Segment" })).toEqual([{ key: [], count: 4, distinct: 2 }]);
    expect(table.filter({ Segment: "loyal" }).toArray()).toEqual([expected[1]]);
    expect(table.sortBy("Segment").column("Segment")).toEqual(["loyal", "new", "new", undefined]);
    expect(table.select("Segment").toArray()).toEqual([
      { Segment: "new" },
      { Segment: "loyal" },
      { Segment: "new" },
      {},
    ]);
    expect((await FindingsTable.fromBytes(table.toBytes())).toArray()).toEqual(expected);
    expect(toArrowIPC(table).length).toBeGreaterThan(toArrowIPC(await loaded()).length);
    const twice = table.with("Weight", { by: "Segment", values: { new: 0.5 } });
    expect(twice.column("Weight")).toEqual([0.5, undefined, 0.5, undefined]);
  });

  test("the copy of a view has its rows, and does not need the table", async () => {
    const table = await loaded();
    const view = table.sortBy("Sentiment", "desc");
    const copy = view.with("Segment", ways["an object"]);
    table.free();
    view.free();
    expect(copy.toArray()).toEqual([2, 1, 3, 0].map((index) => expected[index]));
    expect(copy.isComplete).toBe(false);
  });

  test("every snapshot of a live table can have the column", async () => {
    const client = freeAfterTest(clientOf(fetchOf([findings.slice(0, 2), findings.slice(2)]) as never));
    using live = client.watchTable(1, "topics");
    for await (const { table } of live) {
      const { length } = table;
      expect(table.with("Segment", ways["a Map"]).toArray()).toEqual(
        table.toArray().map((finding) => expected[findings.findIndex((known) => known.Comment === finding.Comment)]),
      );
      expect(table.length).toBe(length);
    }
  });

  test("a call that is to continue from a table with an added column, or from its bytes, says how to get the column", async () => {
    const client = freeAfterTest(new FindingsClient({ fetch: fetchOf([findings]) }));
    const table = freeAfterTest(await client.loadTable(1, "topics"));
    const added = freeAfterTest(table.with("Segment", ways["a Map"]));
    const opened = freeAfterTest(await FindingsTable.fromBytes(added.toBytes()));
    for (const from of [added, opened]) {
      await expect(client.loadTable(1, "topics", { from })).rejects.toThrow(
        "a table with an added column: pass the table without it, and call with() on the result",
      );
    }
    const again = freeAfterTest(await client.loadTable(1, "topics", { from: table }));
    expect(freeAfterTest(again.with("Segment", ways["a Map"])).toArray()).toEqual(added.toArray());
  });

  const oddKeys = ["a.b", "a\\b", "x\\", "\\.", ".", "", "\ufeffx", "__proto__", 'a"b'];
  test.each(oddKeys)("adds a column under the key %j as it is", async (key) => {
    const one = Object.fromEntries([[key, 1]]);
    const made = [{ id: one }, { id: { other: 1 } }, { id: one }];
    const table = freeAfterTest(await FindingsTable.from<any>(made));
    const by = table.columns[0] as string;
    const added = freeAfterTest(table.with(key, { by, keys: [1], values: ["found"] }));
    const expected = made.map((finding) => ({
      ...finding,
      ...(finding.id === one && Object.fromEntries([[key, "found"]])),
    }));
    expect(added.toArray()).toEqual(expected.map((finding, row) => (row === 1 ? made[1] : finding)));
    expect(added.column(added.columns.at(-1) as string)).toEqual(["found", undefined, "found"]);
    const names = new Set(table.columns);
    expect(added.columns.filter((name) => !names.has(name))).toEqual([by.slice("id.".length)]);
  });

  test("names of columns lead to their values, and back to keys, whatever the keys are", async () => {
    const key = fc.string({ unit: fc.constantFrom("a", ".", "\\", "\ufeff", "é", '"', "__proto__"), maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(key, { minLength: 1, maxLength: 4 }), key, async (keys, added) => {
        const nested = keys.reduceRight<unknown>((value, key) => Object.fromEntries([[key, value]]), 7) as object;
        fc.pre(!Object.hasOwn(nested, added));
        using table = await FindingsTable.from<any>([nested]);
        const [name] = table.columns as [string];
        expect(table.column(name)).toEqual([7]);
        using wide = table.with(added, { by: name, keys: [7], values: ["x"] });
        const [, ofAdded] = wide.columns as [string, string];
        expect([wide.column(ofAdded), wide.at(0)]).toEqual([
          ["x"],
          { ...nested, ...Object.fromEntries([[added, "x"]]) },
        ]);
        // A list of names has no empty one.
        if (ofAdded === "") return;
        using alone = wide.select(ofAdded);
        expect(alone.at(0)).toEqual(Object.fromEntries([[added, "x"]]));
      }),
      { numRuns: ruleCasesOf(200) },
    );
  });

  test("refuses a key that a finding has already, and a finding that has no room for one more", async () => {
    const column = { by: "id", values: { r: 1 } };
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, number) => [`f${number}`, 1]));
    const empty = await FindingsTable.from<any>([{ id: "r" }, { id: "s", Segment: {} }]);
    const full = await FindingsTable.from<any>([{ id: "r", ...fields(1023) }]);
    const almost = await FindingsTable.from<any>([{ id: "r", ...fields(1022) }]);
    expect(() => empty.with("Segment", column)).toThrow(TypeError);
    expect(() => empty.with("Segment", column)).toThrow(/there is a field "Segment" already/);
    expect(() => full.with("Segment", column)).toThrow(RangeError);
    expect(() => full.with("Segment", column)).toThrow(/no room for the field "Segment".+1024 fields/);
    expect(almost.with("Segment", column).column("Segment")).toEqual([1]);
    for (const table of [empty, full, almost]) table.free();
  });

  const refusals: [string, unknown, string, RegExp][] = [
    ["a key twice", { by: "RespondentId", keys: ["r1", "r1"], values: [1, 2] }, "Segment", /"r1" occurs twice/],
    ["lists of different lengths", { by: "RespondentId", keys: ["r1"], values: [] }, "Segment", /1 keys and 0 values/],
    ["a list without keys", { by: "RespondentId", values: [] }, "Segment", /beside the list keys; got an array$/],
    ["a name that exists", ways["a Map"], "Comment", /"Comment" already/],
    ["the name of the column by", ways["a Map"], "RespondentId", /"RespondentId" already/],
    ["a name with a lone surrogate", ways["a Map"], "a\ud800", /lone surrogate/],
    ["an object as a value", { by: "RespondentId", values: { r1: {} } }, "Segment", /the value of "r1" must be/],
    ["NaN as a value", { by: "RespondentId", values: { r1: Number.NaN } }, "Segment", /the value of "r1" must be/],
    ["a boolean as a key", { by: "RespondentId", values: new Map([[true, 1]]) }, "Segment", /a key must be/],
    ["texts as keys of numbers", { by: "RespondentKey", values: { 1: "new" } }, "Segment", /no string: it has numbers/],
    ["an unknown column", { by: "Respondent", values: {} }, "Segment", /no column "Respondent"/],
    ["no object", "RespondentId", "Segment", /an object with by and values/],
    [
      "another member",
      { by: "RespondentId", value: {} },
      "Segment",
      /unknown member "value" of the column \(did you mean values\?\)/,
    ],
  ];
  test.each(refusals)("refuses %s", async (_, column, name, message) => {
    const table = await loaded();
    expect(() => table.with(name, column as never)).toThrow(message);
  });
});

describe("from", () => {
  test("has what JSON.stringify writes for each finding", async () => {
    const value = fc.oneof(fc.jsonValue(), fc.double(), fc.constant(undefined));
    await fc.assert(
      fc.asyncProperty(fc.array(fc.dictionary(fc.string(), value)), async (made) => {
        using table = await FindingsTable.from(made);
        expect(table.toArray()).toEqual(JSON.parse(JSON.stringify(made)));
        expect(table.isComplete).toBe(true);
      }),
      { numRuns: ruleCasesOf(100) },
    );
  });

  test.each([[null], ["text"], [[]], [undefined]])("rejects %j, which is no object", async (wrong) => {
    await expect(FindingsTable.from([{}, wrong] as never)).rejects.toThrow(/each finding must be an object/);
  });

  test("rejects a finding with too many levels", async () => {
    const deep = JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`);
    await expect(FindingsTable.from([deep])).rejects.toThrow(RangeError);
  });
});

describe("concat", () => {
  test("joined tables have as many findings as rows can be numbered, and more are a RangeError that says so", async () => {
    let joined: FindingsTable<any> = await FindingsTable.from(Array(2 ** 18).fill({ a: 1 }));
    while (joined.length < 2 ** 31) {
      const half = joined;
      joined = FindingsTable.concat([half, half]);
      half.free();
    }
    expect(() => FindingsTable.concat([joined, joined])).toThrow(
      new RangeError("a table can have at most 4294967295 findings"),
    );
    expect(joined.length).toBe(2 ** 31);
    joined.free();
  });

  const withoutTopics = { FindingKey: 1, Sentiment: -1 };

  test("has the columns of all tables, also of those without findings, and can be saved", async () => {
    const [wide, narrow] = [await loaded(), await FindingsTable.from<any>([{ id: 1 }])];
    const none = wide.filter({ Sentiment: 100 });
    for (const tables of [[none], [none, none], [none, narrow], [narrow, none]]) {
      using joined = FindingsTable.concat<any>(tables);
      using again = await FindingsTable.fromBytes<any>(joined.toBytes());
      for (const table of [joined, again]) {
        expect(table.columns).toEqual(expect.arrayContaining(wide.columns));
        expect(table.column("Sentiment")).toEqual(Array(table.length).fill(undefined));
      }
    }
    using empty = FindingsTable.concat([await loaded([[]]), await FindingsTable.from([])]);
    expect((await FindingsTable.fromBytes(empty.toBytes())).length).toBe(0);
    narrow.free();
  });

  test("has the findings of all tables in the order of the list, and outlives them", async () => {
    const tables = [await loaded([findings]), await FindingsTable.from([withoutTopics]), await loaded([[]])];
    const [first, second] = tables;
    const view = first.sortBy("Sentiment").filter({ Sentiment: { min: 0 } });
    const joined: FindingsTable<any> = freeAfterTest(FindingsTable.concat([...tables, view, first]));
    const expected = [...findings, withoutTopics, findings[3], findings[1], findings[2], ...findings];
    for (const table of [...tables, view]) table.free();
    expect(joined.toArray()).toEqual(expected);
    expect(joined.columns).toEqual([...Object.keys(findings[0] as object), "FindingKey"]);
    expect(joined.countBy("Sentiment", { distinct: "RespondentId" })[0]).toEqual({ key: [1], count: 3, distinct: 1 });
    expect(joined.filter({ FindingKey: { not: { missing: true } } }).toArray()).toEqual([withoutTopics]);
    expect(second.freed).toBe(true);
  });

  test("of any number of tables, and of none, is a table that can be queried, extended and saved", async () => {
    for (const count of [0, 1, 300]) {
      const tables = await Promise.all(Array.from({ length: count }, (_, id) => FindingsTable.from([{ id }])));
      using joined = FindingsTable.concat(tables);
      const ids = tables.map((_, id) => id);
      expect(joined.column("id")).toEqual(ids);
      expect(joined.sortBy("id", "desc").column("id")).toEqual(ids.toReversed());
      expect([joined.partitions, joined.isComplete]).toEqual([[], false]);
      if (count === 0) continue;
      using again = await FindingsTable.fromBytes(
        joined.with("odd", { by: "id", keys: [1], values: [true] }).toBytes(),
      );
      expect(again.toArray()).toEqual(ids.map((id) => (id === 1 ? { id, odd: true } : { id })));
      expect([again.partitions, again.isComplete]).toEqual([[], false]);
      expect(toArrowIPC(joined).length).toBeGreaterThan(0);
      for (const table of tables) table.free();
    }
  });

  test("keeps the columns of the calls, and refuses what is no table of this copy, has been freed, or continues a call", async () => {
    const client = freeAfterTest(new FindingsClient({ fetch: fetchOf([findings]) }));
    const kept = await client.loadTable(1, "topics", { columns: ["Comment"] });
    const joined = FindingsTable.concat([kept, kept]) as FindingsTable<any>;
    expect(joined.columns).toEqual(["Comment"]);
    expect(() => joined.column("Sentiment")).toThrow(RangeError);
    await expect(client.loadTable(1, "topics", { from: joined })).rejects.toThrow(/got joined tables/);
    expect(() => FindingsTable.concat([kept, {} as never])).toThrow(/each table must be a FindingsTable/);
    kept.free();
    expect(() => FindingsTable.concat([kept])).toThrow(/has been freed/);
  });

  /** Two waves, in which the same keys are other people. */
  async function waves() {
    const autumn = [
      { RespondentKey: 1, Sentiment: 1 },
      { RespondentKey: 9, Sentiment: 0 },
    ];
    return [await loaded(), freeAfterTest(await FindingsTable.from<any>(autumn))];
  }
  const wave = { name: "Wave", values: ["spring", "autumn"] };

  test("adds a column that says which table a finding comes from, to views and saved tables, too", async () => {
    const [spring, autumn] = (await waves()) as [FindingsTable<any>, FindingsTable<any>];
    const view = spring.sortBy("Sentiment", "desc");
    const joined = freeAfterTest(FindingsTable.concat<any, string, string>([view, autumn], wave));
    const expected = [...[2, 1, 3, 0].map((at) => findings[at]), ...autumn.toArray()].map((finding, at) => ({
      ...finding,
      Wave: at < 4 ? "spring" : "autumn",
    }));
    for (const table of [spring, view, autumn]) table.free();
    const again = freeAfterTest(await FindingsTable.fromBytes<any>(joined.toBytes()));
    for (const table of [joined, again]) {
      expect(table.toArray()).toEqual(expected);
      expect(table.countBy("Wave")).toEqual([
        { key: ["spring"], count: 4 },
        { key: ["autumn"], count: 2 },
      ]);
      expect(table.filter({ Wave: "autumn" }).column("RespondentKey")).toEqual([1, 9]);
      expect(table.sortBy("Wave").column("Wave").slice(0, 2)).toEqual(["autumn", "autumn"]);
      expect(table.select("Wave").toArray()).toEqual(expected.map(({ Wave }) => ({ Wave })));
      expect([table.partitions, table.isComplete]).toEqual([[], false]);
    }
    expect(toArrowIPC(joined).length).toBeGreaterThan(toArrowIPC(joined.select("Comment")).length);
  });

  test("adds any value that with adds, and none for undefined", async () => {
    const [spring] = await waves();
    const values = ["text", 2.5, true, null, undefined];
    const tables = values.map(() => spring as FindingsTable<any>);
    using joined = FindingsTable.concat(tables, { name: "a.b", values: new Set(values) });
    expect(joined.column("a\\.b")).toEqual(values.flatMap((value) => Array(findings.length).fill(value)));
    expect(joined.at(-1)).toEqual(findings.at(-1));
    using none = FindingsTable.concat([], { name: "Wave", values: [] });
    expect(none.toArray()).toEqual([]);
  });

  test("adds the column to a snapshot of a live table, and to its first one, which has no findings", async () => {
    const client = freeAfterTest(clientOf(fetchOf([findings.slice(0, 2), findings.slice(2)]) as never));
    using live = client.watchTable(1, "topics");
    const [, autumn] = (await waves()) as [unknown, FindingsTable<any>];
    for await (const { table } of live) {
      using joined = FindingsTable.concat<any, string, string>([table, autumn], wave);
      expect(joined.column("Wave")).toEqual([...Array(table.length).fill("spring"), "autumn", "autumn"]);
    }
  });

  const notSources: [string, unknown, RegExp][] = [
    ["fewer values than tables", { name: "Wave", values: ["spring"] }, /1 values and 2 tables/],
    ["a field that a table has", { name: "Sentiment", values: [1, 2] }, /"Sentiment" already/],
    ["a field that only the second table has", { name: "Late", values: [1, 2] }, /"Late" already/],
    ["a lone surrogate", { name: "\ud800", values: [1, 2] }, /lone surrogate/],
    ["no name", { values: [1, 2] }, /the name of a column must be a string/],
    ["an object as a value", { name: "Wave", values: [1, {}] }, /each value must be a string/],
    [
      "the member by",
      { name: "Wave", by: "Comment", values: [1, 2] },
      /unknown member "by" of the column; the members are name, values/,
    ],
    ["the name alone", "Wave", /an object with name and values/],
  ];
  test.each(notSources)("refuses %s", async (_, source, message) => {
    const [spring] = (await waves()) as [FindingsTable<any>];
    using late = await FindingsTable.from<any>([{ Late: 1 }]);
    expect(() => FindingsTable.concat<any, string, any>([spring, late], source as any)).toThrow(message);
  });

  test("people of two waves with the same keys are told apart by a list of distinct columns", async () => {
    using joined = FindingsTable.concat<any, string, string>((await waves()) as FindingsTable<any>[], wave);
    expect(joined.countBy({ distinct: "RespondentKey" })).toEqual([{ key: [], count: 6, distinct: 4 }]);
    expect(joined.countBy({ distinct: ["Wave", "RespondentKey"] })).toEqual([{ key: [], count: 6, distinct: 5 }]);
    expect(joined.countBy("Sentiment", { distinct: ["Wave", "RespondentKey"] })).toEqual([
      { key: [1], count: 2, distinct: 2 },
      { key: [0], count: 2, distinct: 2 },
      { key: [-2], count: 1, distinct: 1 },
      { key: [2], count: 1, distinct: 1 },
    ]);
    expect(() => joined.countBy({ distinct: ["Wave", "Respondent"] })).toThrow(/no column "Respondent"/);
    expect(() => joined.countBy({ distinct: [] })).toThrow(/distinct must have at least one name/);
    expect(() => joined.countBy({ distinct: ["Wave", 1] as never })).toThrow(/each name of distinct must be a string/);
  });
});
