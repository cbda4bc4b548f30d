/** The arguments of `with`, `from` and `concat`, which make tables of others or of the caller's findings. Their values are proved by tests/unit/border. */

import { FindingsClient, FindingsTable } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { freeAfterTest } from "./clients.js";
import { upTo } from "./inspection.js";
import { fetchOf, type Table } from "./tables.js";

const findings = [
  { RespondentId: "r1", RespondentKey: 1, Comment: "slow" },
  { RespondentId: "r2", RespondentKey: 2, Comment: "nice" },
  { RespondentId: "r1", RespondentKey: 1, Comment: "late" },
  { RespondentId: "r3", RespondentKey: 3, Comment: "well" },
];
const segments = ["new", "loyal", "new", undefined];
const entries = [
  ["r1", "new"],
  ["r2", "loyal"],
  ["none", "x"],
] as const;
const ofMap = { by: "RespondentId", values: new Map(entries) };

/** Looks like a table of another copy of the package. */
const tagged = { [Symbol.toStringTag]: "FindingsTable" };

async function made(of: object[]): Promise<Table> {
  return freeAfterTest(await FindingsTable.from<any>(of));
}

describe("with", () => {
  test.for([
    ["a Map", ofMap],
    ["an object", { by: "RespondentId", values: { r1: "new", r2: "loyal", r3: undefined } }],
    ["two lists", { by: "RespondentId", keys: ["r2", "r1"], values: ["loyal", "new"] }],
    ["numbers as keys", { by: "RespondentKey", keys: Int32Array.of(1, 2), values: ["new", "loyal"] }],
  ] as [string, any][])("adds the values of %s by key, missing where there is none", async ([, column]) => {
    const table = await made(findings);
    expect(table.with("Segment", column).column("Segment")).toEqual(segments);
    expect(table.columns).not.toContain("Segment");
  });

  test("reads and adds keys with a byte order mark as they are", async () => {
    const wide = (await made([{ "\ufeffa": 1, a: 2 }])).with("\ufeff", { by: "\ufeffa", keys: [1], values: ["x"] });
    expect(wide.columns).toEqual(["\ufeffa", "a", "\ufeff"]);
    expect(wide.select("\ufeffa", "\ufeff").toArray()).toEqual([{ "\ufeffa": 1, "\ufeff": "x" }]);
  });

  test.each<[string, unknown, string, RegExp]>([
    ["a key twice", { by: "RespondentId", keys: ["r1", "r1"], values: [1, 2] }, "Segment", /"r1" occurs twice/],
    ["lists of different lengths", { by: "RespondentId", keys: ["r1"], values: [] }, "Segment", /1 keys and 0 values/],
    ["a list without keys", { by: "RespondentId", values: [] }, "Segment", /beside the list keys; got an array$/],
    ["a name that exists", ofMap, "Comment", /^there is a field "Comment" already/],
    ["the name of the column by", ofMap, "RespondentId", /"RespondentId" already/],
    ["a name with a lone surrogate", ofMap, "a\ud800", /lone surrogate/],
    ["an object as a value", { by: "RespondentId", values: { r1: {} } }, "Segment", /the value of "r1" must be/],
    ["NaN as a value", { by: "RespondentId", values: { r1: Number.NaN } }, "Segment", /the value of "r1" must be/],
    ["a boolean as a key", { by: "RespondentId", values: new Map([[true, 1]]) }, "Segment", /a key must be/],
    ["texts as keys of numbers", { by: "RespondentKey", values: { 1: "new" } }, "Segment", /no string: it has numbers/],
    [
      "a Map",
      new Map([["r1", 1]]),
      "Segment",
      /with by and values; got a Map: pass { by: "RespondentId", values: map }$/,
    ],
    ["another member", { by: "RespondentId", value: {} }, "Segment", /unknown member "value".+did you mean values\?/],
  ])("refuses %s by a TypeError", async (_, column, name, message) => {
    const table = await made(findings);
    expect(() => table.with(name, column as never)).toThrow(TypeError);
    expect(() => table.with(name, column as never)).toThrow(message);
  });
});

describe("from", () => {
  test("has what JSON.stringify writes for each finding, and is complete", async () => {
    const table = await made([{ day: new Date(0), call: () => 1, none: undefined, list: [undefined, Number.NaN] }, {}]);
    expect(table.toArray()).toEqual([{ day: "1970-01-01T00:00:00.000Z", list: [null, null] }, {}]);
    expect(table.isComplete).toBe(true);
  });

  test("rejects what is no object, and a finding with too many levels", async () => {
    for (const wrong of [null, "text", [], undefined]) {
      await expect(FindingsTable.from([{}, wrong] as never)).rejects.toThrow(/each finding must be an object/);
    }
    const deep = JSON.parse(`${'{"a":'.repeat(200)}1${"}".repeat(200)}`);
    await expect(FindingsTable.from([deep])).rejects.toThrow(RangeError);
  });
});

describe("concat", () => {
  test("joins any number of tables, and none, to one that outlives them", async () => {
    for (const ids of [0, 1, 2, 300].map(upTo)) {
      const tables = await Promise.all(ids.map((id) => FindingsTable.from([{ id }])));
      using joined = FindingsTable.concat<any>(tables);
      for (const table of tables) table.free();
      expect([joined.column("id"), joined.partitions, joined.isComplete]).toEqual([ids, [], false]);
    }
    using none = FindingsTable.concat([], { name: "Wave", values: [] });
    expect(none.toArray()).toEqual([]);
  });

  test("of more findings than rows can be numbered is a RangeError that says so", async () => {
    let joined: Table = await FindingsTable.from(Array(2 ** 18).fill({ a: 1 }));
    while (joined.length < 2 ** 31) {
      using half = joined;
      joined = FindingsTable.concat([half, half]);
    }
    expect(() => FindingsTable.concat([joined, joined])).toThrow(
      new RangeError("a table can have at most 4294967295 findings"),
    );
    joined.free();
  });

  test("keeps the columns of calls, and refuses what is no table or has been freed", async () => {
    using client = new FindingsClient({ fetch: fetchOf([findings]) });
    const kept = await client.loadTable(1, "topics", { columns: ["Comment"] });
    using joined = FindingsTable.concat([kept, kept]) as Table;
    expect(joined.columns).toEqual(["Comment"]);
    expect(() => joined.column("Sentiment")).toThrow(RangeError);
    expect(() => FindingsTable.concat([kept, {} as never])).toThrow(
      /each table must be a FindingsTable; got an object$/,
    );
    const other = tagged as never;
    expect(() => FindingsTable.concat([kept, other])).toThrow(
      /got a FindingsTable of another copy or entry of the package$/,
    );
    kept.free();
    expect(() => FindingsTable.concat([kept])).toThrow(/has been freed/);
  });

  test.each<[string, unknown, RegExp]>([
    ["fewer values than tables", { name: "Wave", values: ["spring"] }, /1 values and 2 tables/],
    ["a field that only the second table has", { name: "Late", values: [1, 2] }, /"Late" already/],
    ["a lone surrogate", { name: "\ud800", values: [1, 2] }, /lone surrogate/],
    ["no name", { values: [1, 2] }, /the name of a column must be a string/],
    ["an object as a value", { name: "Wave", values: [1, {}] }, /each value must be a string/],
    ["the member by", { name: "Wave", by: "Comment", values: [1, 2] }, /unknown member "by".+members are name, values/],
    ["another table", tagged, /got a FindingsTable: pass all tables in one list$/],
  ])("refuses a column with %s by a TypeError", async (_, source, message) => {
    const tables = [await made(findings), await made([{ Late: 1 }])];
    expect(() => FindingsTable.concat<any, string, any>(tables, source as any)).toThrow(TypeError);
    expect(() => FindingsTable.concat<any, string, any>(tables, source as any)).toThrow(message);
  });
});
