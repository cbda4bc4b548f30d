/** The table: it behaves like an array of its findings. */

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
  return Array.from({ length }, (_, number) => ({ Number: number }));
}

test("a table is a FindingsTable, whose constructor only says how to get one", async () => {
  const table = await tableOf([{}]);
  expect(table).toBeInstanceOf(FindingsTable);
  expect(Object.keys(table)).toEqual([]);
  const message =
    "use client.loadTable() or FindingsTable.fromBytes() to get a FindingsTable; it has no public constructor";
  const Constructed = FindingsTable as any;
  for (const parameters of [[], [{}]]) expect(() => new Constructed(...parameters)).toThrow(new TypeError(message));
});

describe("the columns", () => {
  test("are the dotted paths of all values, in the order of their first occurrence", async () => {
    const table = await load([
      [{ b: 1, Topic: { Text: "x", Place: { Start: 1 } } }, { a: null }],
      [{ c: [], b: 2, Topic: { More: false } }],
    ]);
    expect(table.columns).toEqual(["b", "Topic.Text", "Topic.Place.Start", "a", "c", "Topic.More"]);
  });
});

describe("columnsTruncated", () => {
  const fields = (count: number, first = 0) => Object.fromEntries(upTo(count).map((n) => [`f${first + n}`, n]));

  test("is true for a duplicate key, too many fields, and too many paths, and the findings are whole", async () => {
    for (const findings of [
      '[{"a":1},{"b":1,"b":2}]',
      JSON.stringify([{ a: 1 }, fields(1025)]),
      JSON.stringify([{ a: 1 }, ...upTo(410).map((n) => fields(10, 10 * n))]),
    ]) {
      const table = await tableOf(findings);
      expect(table.columnsTruncated).toBe(true);
      expectSame(table.toArray(), JSON.parse(findings));
      expect(table.column("a")[0]).toBe(1);
      expect(table.columns).not.toContain("b");
    }
  });

  test("is that of the table in its views, and of what has arrived in a snapshot", async () => {
    const partitions = ['{"Findings":[{"a":1},{"a":2}]}', '{"Findings":[{"b":1,"b":2}]}'];
    const table = await load(partitions);
    using some = table.filter({ a: 1 });
    using sorted = some.sortBy("a");
    expect([table, some, sorted].map((view) => view.columnsTruncated)).toEqual([true, true, true]);
    using client = new FindingsClient({ fetch: fetchOf(partitions) });
    using live = client.watchTable(1, "topics");
    expect(live.getSnapshot().table.columnsTruncated).toBe(false);
    using whole = await live.done;
    expect([whole, live.getSnapshot().table].map((view) => view.columnsTruncated)).toEqual([true, true]);
  });
});

describe("integersRounded", () => {
  test("is true if an integer is not safe, in a column or in raw JSON, also of a view and from bytes", async () => {
    for (const [findings, isRounded] of [
      ['[{"a":1},{"a":9007199254740993},{"a":9007199254740992}]', true],
      ['[{"a":[9007199254740993]}]', true],
      ['[{"a":9007199254740991,"b":"9007199254740993","c":["9007199254740993",0.5],"d":1e400}]', false],
    ] as const) {
      const table = await tableOf(findings);
      using view = table.filter({});
      using again = await FindingsTable.fromBytes(table.toBytes());
      expect([table, view, again].map((one) => one.integersRounded)).toEqual(Array(3).fill(isRounded));
    }
  });
});

test("each column of a table without findings is empty, also before the module is loaded", async () => {
  using client = new FindingsClient({ fetch: fetchOf([[], []]) });
  using live = client.watchTable(1, "topics");
  const tables = [live.getSnapshot().table, await load([]), await load([[]])];
  for (const table of [...tables, ...tables.map((table) => table.sortBy("Comment").filter({}))]) {
    for (const name of ["Sentiment", "Comment", "Topic.Text", "Unknown"]) {
      expect(table.column(name), name).toEqual([]);
      expect(table.numbers(name as "Sentiment"), name).toEqual(new Float64Array());
    }
  }
});

describe("at, slice", () => {
  test("accept any index like an array, over several partitions and in views", async () => {
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
  });

  test("reject a bigint or a symbol with a TypeError, like an array", async () => {
    const table = await tableOf(numbered(2));
    for (const index of [1n, Symbol("1")] as any[]) {
      expect(() => table.at(index)).toThrow(TypeError);
      expect(() => table.slice(index)).toThrow(TypeError);
    }
  });
});

describe("iteration", () => {
  test("yields the findings in order by for..of, spread, Array.from and destructuring", async () => {
    const table = await load([numbered(300), numbered(300)]);
    const expected = [...numbered(300), ...numbered(300)];
    const seen = [];
    for (const finding of table) seen.push(finding);
    for (const read of [seen, [...table], Array.from(table)]) expect(read).toEqual(expected);
    const [first, second] = table;
    expect([first, second]).toEqual([{ Number: 0 }, { Number: 1 }]);
  });

  test("may end early and restart, and several may run at once", async () => {
    const table = await tableOf(numbered(600));
    for (const finding of table) {
      expect(finding).toEqual({ Number: 0 });
      break;
    }
    const [one, other] = [table[Symbol.iterator](), table[Symbol.iterator]()];
    one.next();
    expect([one.next().value, other.next().value]).toEqual([{ Number: 1 }, { Number: 0 }]);
    expect(table.length).toBe(600);
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
  const small = [1, -2, 2 ** 30 - 1, -(2 ** 30)];
  const others = [undefined, null, "x", true, [1, {}], 0.5, 2 ** 31, -(2 ** 40), 1e300, -0];

  test("is a list, whatever its values are", async () => {
    const table = await load([small.slice(0, 2), small.slice(2)].map((values) => values.map((a) => ({ a }))));
    expect(table.column("a")).toEqual(small);
    for (const other of others) {
      const values = [1, other];
      const column = (await tableOf(values.map((a) => ({ a, b: 0 })))).column("a");
      expect(Array.isArray(column)).toBe(true);
      expectSame(
        column,
        values.map((value) => (Object.is(value, -0) ? 0 : value)),
      );
    }
    expectSame((await tableOf('[{"a":-0},{"a":0}]')).column("a"), [-0, 0]);
  });

  test("has the object of each row, however far apart the rows with objects are", async () => {
    const values = [1, 3, 4, 5, 300].flatMap((distance) =>
      upTo(700).map((row) => (row % distance === 0 ? { text: `row ${row}`, inner: { distance } } : null)),
    );
    const table = await tableOf(values.map((a) => ({ outer: { a }, b: 0 })));
    expectSame(table.column("outer.a"), values);
  });

  test("has numbers in a typed array, unless a value is no number", async () => {
    expect((await tableOf(small.map((a) => ({ a })))).numbers("a")).toEqual(new Float64Array(small));
    for (const other of others) {
      const table = await tableOf([1, other].map((a) => ({ a, b: 0 })));
      const numbers = table.numbers("a");
      if (typeof other === "number") expectSame([...(numbers ?? [])], [1, Object.is(other, -0) ? 0 : other]);
      else expect(numbers).toBeUndefined();
      expect(table.filter({ b: 1 }).numbers("a")).toHaveLength(0);
    }
    expectSame([...((await tableOf('[{"a":-0},{"a":0.5},{"a":3}]')).numbers("a") ?? [])], [-0, 0.5, 3]);
    const table = await tableOf(numbered(3));
    expect(() => table.numbers("number")).toThrow(RangeError);
  });

  test("is a copy: changing it changes nothing in the table, and it outlives the table", async () => {
    const table = await tableOf(numbered(3));
    for (const copy of [table.column("Number") as number[], table.numbers("Number") ?? []]) {
      copy[0] = 99;
      expect(table.column("Number")).toEqual([0, 1, 2]);
      expect([...copy]).toEqual([99, 1, 2]);
    }
    const numbers = table.numbers("Number") ?? [];
    table.free();
    expect([...numbers]).toEqual([0, 1, 2]);
  });

  test("of an unknown path is a RangeError that names the nearest column and lists all", async () => {
    const table = await tableOf([{ Sentiment: 1, Topic: { Text: "a" }, "a.b": 2 }]);
    for (const [wrong, question] of [
      ["sentiment", " (did you mean Sentiment?)"],
      ["Topic.Txt", " (did you mean Topic.Text?)"],
      ["Topic", ""],
    ]) {
      for (const use of [
        () => table.column(wrong),
        () => table.countBy("Sentiment", wrong),
        () => table.summarize([], wrong),
        () => table.filter({ [wrong]: 1 }),
      ]) {
        expect(use).toThrow(RangeError);
        expect(use).toThrow(`there is no column "${wrong}"${question}; the columns are Sentiment, Topic.Text, a\\.b`);
      }
    }
  });

  test.each([
    ["with findings", [{ a: 1, undefined: 1 }]],
    ["without findings", []],
  ])("of a path that is not a string is a TypeError, in a table %s", async (_, findings) => {
    const table = await tableOf(findings);
    for (const path of [undefined, null, 1, ["a"], {}, Symbol("a")] as any[]) {
      expect(() => table.column(path)).toThrow(TypeError);
      expect(() => table.sortBy([path])).toThrow(TypeError);
      expect(() => table.countBy("a", path, "a")).toThrow(TypeError);
      expect(() => table.summarize([path], "a")).toThrow(TypeError);
    }
    for (const names of [undefined, null, 1, {}, Symbol("a"), new Set(["a"])] as any[]) {
      expect(() => table.countBy(names)).toThrow(TypeError);
      expect(() => table.summarize(names, "a")).toThrow("the name of a column must be a string");
    }
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

  test.for(Object.entries(uses))("%s is a TypeError that says so", async ([, use]) => {
    const table = await tableOf([likelyFinding(1), likelyFinding(2)]);
    const view = table.filter({});
    use(table);
    table.free();
    expect(() => use(table)).toThrow(TypeError);
    expect(() => use(table)).toThrow(/freed/);
    use(view);
    view.free();
    expect(() => use(view)).toThrow(TypeError);
  });

  test("views and views of views stay usable, whichever is freed first", async () => {
    const table = await load([numbered(5), numbered(5)]);
    const view = table.filter({ Number: { min: 2 } });
    const viewOfView = view.sortBy("Number", "desc");
    table.filter({ Number: 1 }).free();
    expect(table.toArray()).toEqual([...numbered(5), ...numbered(5)]);
    table.free();
    expect(view.length).toBe(6);
    view.free();
    expect([...viewOfView.column("Number")]).toEqual([4, 4, 3, 3, 2, 2]);
    expect(viewOfView.countBy("Number")).toHaveLength(3);
    viewOfView.free();
    expect(() => viewOfView.at(0)).toThrow(TypeError);
  });

  test("a table is freed at the end of its block by using, may be freed again, and its results stay usable", async () => {
    const kept = await tableOf([likelyFinding(3)]);
    let results: unknown[];
    {
      using table = kept;
      results = [table.at(0), table.countBy("Comment")[0].key[0]];
    }
    expect(() => kept.length).toThrow(TypeError);
    kept.free();
    kept[dispose]();
    expect(results).toEqual([likelyFinding(3), likelyFinding(3).Comment]);
  });

  test("free by a getter of a condition does not affect other tables, and takes effect", async () => {
    const table = await tableOf(numbered(5));
    const other = await tableOf(numbered(5));
    const where = Object.defineProperty({}, "Number", { get: () => [table.free()], enumerable: true });
    expect(() => table.filter(where)).toThrow(/freed/);
    expect(() => table.length).toThrow(/freed/);
    expect(other.filter({ Number: 1 }).toArray()).toEqual([{ Number: 1 }]);
  });
});
