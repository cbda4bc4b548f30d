/** The table: it behaves like an array of its findings, and it is freed. */

import fc from "fast-check";
import { FindingsClient, FindingsTable } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { timesOf } from "../counts.js";
import { freeAfterTest } from "./clients.js";
import { dispose } from "./dispose.js";
import { upTo } from "./inspection.js";
import { expectSame } from "./same.js";
import { fetchOf, likelyFinding, load, type Table, tableOf, uses } from "./tables.js";

function numbered(length: number) {
  return upTo(length).map((number) => ({ Number: number }));
}

test("a table is a FindingsTable, whose constructor only says how to get one", async () => {
  const table = await tableOf([{}]);
  expect(table).toBeInstanceOf(FindingsTable);
  expect(Object.keys(table)).toEqual([]);
  const message =
    "use client.loadTable() or FindingsTable.fromBytes() to get a FindingsTable; it has no public constructor";
  const Constructed = FindingsTable as any;
  expect(() => new Constructed()).toThrow(new TypeError(message));
});

test("columnsTruncated and integersRounded are those of the table in its views and its bytes, findingsWithoutColumns those of a view, and all of what has arrived", async () => {
  const odd = '[{"a":1},{"a":9007199254740993,"b":1,"b":2}]';
  const said = (table: Table) => [table.columnsTruncated, table.integersRounded, table.findingsWithoutColumns];
  using client = new FindingsClient({ fetch: fetchOf(['{"Findings":[{"a":1}]}', `{"Findings":${odd}}`]) });
  using live = client.watchTable(1, "topics") as any;
  expect(said(live.getSnapshot().table)).toEqual([false, false, 0]);
  const whole: Table = freeAfterTest(await live.done);
  const again = freeAfterTest(await FindingsTable.fromBytes(whole.toBytes()));
  const views = [
    whole.filter({ a: 1 }).sortBy("a"),
    whole.select("a"),
    FindingsTable.concat([whole, again]).sortBy("a"),
  ];
  const numbers = [whole, live.getSnapshot().table, again, ...views].map(said);
  expect(numbers).toEqual([1, 1, 1, 0, 1, 2].map((count) => [true, true, count]));
  expectSame(whole.toArray(), [{ a: 1 }, ...JSON.parse(odd)]);
  expect(said(await tableOf('[{"a":9007199254740991},{"b":{"a":1},"a":2}]'))).toEqual([false, false, 0]);
});

test("each column of a table without findings is empty, also before the module is loaded", async () => {
  using client = new FindingsClient({ fetch: fetchOf([[], []]) });
  using live = client.watchTable(1, "topics");
  const tables: Table[] = [live.getSnapshot().table, await load([]), await load([[]])];
  const made = (table: Table) => [
    table.sortBy("Comment").filter({}),
    table.select("Absent"),
    table.with("New", { by: "Absent", values: { a: 1 } }),
    FindingsTable.concat<any, string, string>([table], { name: "New", values: ["x"] }),
  ];
  for (const table of [...tables, ...tables.flatMap(made)]) {
    for (const name of ["Sentiment", "Comment", "Topic.Text", "Unknown"]) {
      expect(table.column(name), name).toEqual([]);
      expect(table.numbers(name), name).toEqual(new Float64Array());
    }
    expect(table.countBy([], { distinct: "Unknown" })).toEqual([]);
  }
});

test("at and slice accept any index like an array, over several partitions and in views", async () => {
  const array = numbered(900);
  const table = await load([array.slice(0, 300), array.slice(300, 301), array.slice(301)]);
  const sequences: [Table, object[]][] = [
    [table, array],
    [freeAfterTest(table.sortBy("Number", "desc")), array.toReversed()],
    [await tableOf([]), []],
    [await tableOf(numbered(5)), numbered(5)],
  ];
  const { POSITIVE_INFINITY, NEGATIVE_INFINITY } = Number;
  const index = fc.oneof(
    fc.integer({ min: -1000, max: 1000 }),
    fc.integer({ min: -6, max: 6 }),
    fc.double(),
    fc.double({ min: -6, max: 6 }),
    fc.constantFrom<any>(undefined, null, "2", "x", true, [], -0, Number.NaN, POSITIVE_INFINITY, NEGATIVE_INFINITY),
    fc.constantFrom(2 ** 32, 2 ** 32 + 1, -(2 ** 32), 2 ** 53),
  );
  fc.assert(
    fc.property(index, index, fc.constantFrom(...sequences), (start, end, [table, array]) => {
      expect(table.at(start)).toEqual(array.at(start));
      expect(table.slice(start, end)).toEqual(array.slice(start, end));
      expect(table.slice(start)).toEqual(array.slice(start));
    }),
    { numRuns: timesOf(600) },
  );
  expect(table.slice()).toEqual(array);
  for (const wrong of [1n, Symbol("1")] as any[]) {
    expect(() => table.at(wrong)).toThrow(TypeError);
    expect(() => table.slice(wrong)).toThrow(TypeError);
  }
});

describe("iteration", () => {
  test("may end early and restart, and several may run at once", async () => {
    const table = await tableOf(numbered(600));
    const [first, second] = table;
    expect([first, second]).toEqual(numbered(2));
    const [one, other] = [table[Symbol.iterator](), table[Symbol.iterator]()];
    one.next();
    expect([one.next().value, other.next().value]).toEqual([{ Number: 1 }, { Number: 0 }]);
    expect([...one]).toEqual(numbered(600).slice(2));
  });

  test.for([3, 256, 600])("of %i findings throws a TypeError when the table is freed meanwhile", async (length) => {
    const table = await tableOf(numbered(length));
    const iterator = table[Symbol.iterator]();
    expect(iterator.next().value).toEqual({ Number: 0 });
    table.free();
    expect(() => iterator.next()).toThrow(TypeError);
    expect(iterator.next()).toEqual({ done: true, value: undefined });
  });
});

describe("column", () => {
  test("has the object of each row, however far apart the rows with objects are", async () => {
    const values = [1, 3, 4, 5, 300].flatMap((distance) =>
      upTo(700).map((row) => (row % distance === 0 ? { text: `row ${row}`, inner: { distance } } : null)),
    );
    const table = await tableOf(values.map((a) => ({ outer: { a }, b: 0 })));
    expectSame(table.column("outer.a"), values);
  });

  test("is a copy, as numbers are: changing it changes nothing in the table, and it outlives the table, which may be freed twice", async () => {
    const table = await tableOf(numbered(3));
    const copies = [table.column("Number") as number[], table.numbers("Number") ?? []];
    for (const copy of copies) copy[0] = 99;
    expect(table.column("Number")).toEqual([0, 1, 2]);
    table.free();
    table[dispose]();
    for (const copy of copies) expect([...copy]).toEqual([99, 1, 2]);
  });
});

describe("after free()", () => {
  test("a table says that it is freed, while its views are not; as JSON, each is a summary without findings", async () => {
    const table = await tableOf([{ Comment: "My doctor is Mr Example." }]);
    const view = table.filter({});
    const { byteLength } = table;
    expect(JSON.parse(JSON.stringify({ table }))).toEqual({ table: { freed: false, length: 1, byteLength } });
    table.free();
    expect([table.freed, view.freed]).toEqual([true, false]);
    expect(JSON.stringify(table)).toBe('{"freed":true}');
  });

  test.for(Object.entries(uses))(
    "%s is a TypeError that says so, and works in views until they are freed",
    async ([, use]) => {
      const table = await tableOf([likelyFinding(1), likelyFinding(2)]);
      const view = table.filter({});
      const viewOfView = view.sortBy("Comment");
      use(table);
      for (const freed of [table, view]) {
        freed.free();
        expect(() => use(freed)).toThrow(
          new TypeError("this FindingsTable has been freed: call free() after its last use, or load it again"),
        );
        use(viewOfView);
      }
      viewOfView.free();
      expect(() => use(viewOfView)).toThrow(TypeError);
    },
  );

  // P33
  test("free by a getter of a condition does not affect other tables, and takes effect", async () => {
    const table = await tableOf(numbered(5));
    const other = await tableOf(numbered(5));
    const where = Object.defineProperty({}, "Number", { get: () => [table.free()], enumerable: true });
    expect(() => table.filter(where)).toThrow(/freed/);
    expect(() => table.length).toThrow(/freed/);
    expect(other.filter({ Number: 1 }).toArray()).toEqual([{ Number: 1 }]);
  });
});
