/**
 * Queries: tables with odd values answer them as plain JavaScript does over their findings, and refuse wrong arguments. The snapshots of
 * live tables are proved by snapshots.test.ts.
 */

import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";
import { Random } from "../random.js";
import { clientOf } from "./clients.js";
import { upTo } from "./inspection.js";
import * as model from "./model";
import { ask } from "./questions";
import { expectSame } from "./same.js";
import { load, type Table, tableOf } from "./tables.js";
import { Wire } from "./wire.js";

const text = fc.oneof(
  fc.constantFrom(...["", "a", "A", "b", "é", "É", "ß", "İ", "\u212a", "k", "\uffff", "\u{1F600}", "Ab", "aB c"]),
  fc.constantFrom("Σς", "ΑΣ", "ασα"),
  fc.constantFrom("ẞ", "å", "\u212b", "ÿ", "ŸΑ", "éΑ"),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.constantFrom("\ud800", "a\udc00", "\ud800b"),
);
const scalar = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 4, arbitrary: text },
  fc.constantFrom(null, true, false),
  fc.constantFrom(2 ** 30 - 1, 2 ** 30, -(2 ** 30), -(2 ** 30) - 1, 0.5, -0.5, 1e300),
);

/** Spellings of few values, so that many of them are equal. Numbers in arrays count as they are written. */
const spelled = fc.oneof(
  fc.constantFrom("[1, 2]", "[ 1 ,2\n]", "[ ]", "[{ }]", String.raw`[{ "\u0061": 1, "b": 2 }]`),
  fc.constantFrom(
    ...String.raw`
      0 -0 0.0 -0e5 0E-400 1 1.0 1e0 10e-1 0.1e1 2 2.00 -2 -2.0 100 1e2 1E+2 0.1 1e-1 0.10 0.1000000000000000055511151231257827
      5e-324 3e-324 1e21 1000000000000000000000 9007199254740993 9007199254740992 2147483648 2147483648.0 1e-7 0.0000001
      1e400 -1e400 1e999 true false null "" "a" "\u0061" "\u0061b" "ab" "/" "\/" "\u002f" "é" "\u00e9" "\u00E9" "\n" "\u000A"
      "😀" "\ud83d\ude00" "\uD83D\uDE00" "\ud800" "\uD800" "\udc00x" "\uDC00\u0078" "\u2028" "\u007f" "\u0000" "1" "[1]" "null"
      "\"" "\u0022" "\\" "\u005C" [1,2] [2,1] [] [[]] [0] [null] [{"a":1,"b":2}] [{"b":2,"a":1}] [{"2":1,"10":1}]
      ["a"] ["\u0061"] ["\ud800"] ["\uD800"] ["é"] ["\u00e9"] ["\/"] ["/"] [{}] [{"__proto__":1}]`
      .trim()
      .split(/\s+/),
  ),
);

/** The bodies of partitions with findings of any values. The sums of `n` are exact in any order. */
const bodies = (() => {
  const written = (value: unknown) => JSON.stringify(value);
  const inner = fc.dictionary(fc.constantFrom("Text", "a", "x.y"), fc.oneof(scalar, fc.constant({})), {
    ...{ maxKeys: 2, noNullPrototype: true },
  });
  const value = fc.oneof(
    { weight: 4, arbitrary: scalar.map(written) },
    { weight: 4, arbitrary: spelled },
    inner.map(written),
    fc.array(scalar, { maxLength: 2 }).map(written),
  );
  const keys = fc.oneof(
    fc.constantFrom("a", "b", "Topic", "x.y"),
    fc.constantFrom("é", "__proto__", "7", "a.", ".", "..", "\\", "a\\", "\\.", "", "a b", '"'),
  );
  const fields = fc.uniqueArray(fc.tuple(keys, value), { maxLength: 5, selector: ([key]) => key });
  const finding = fc.tuple(fields, scalar).map(([fields, n]) => {
    const members = [...fields, ["n", written(n)] as const].map(([key, text]) => `${written(key)}:${text}`);
    return `{${members.join()}}`;
  });
  return fc.array(
    fc.array(finding, { maxLength: 12 }).map((findings) => `{"Findings":[${findings.join()}]}`),
    { minLength: 1, maxLength: 4 },
  );
})();

test("a table with any values in any spelling, and what is made of it, answer as its findings do", async () => {
  await fc.assert(
    fc.asyncProperty(bodies, fc.nat(), async (given, seed) => {
      using table = await load(given);
      const findings = given.flatMap((body) => JSON.parse(body).Findings);
      const names = [...model.columnsOf(findings).keys()];
      expect(table.columns.toSorted()).toEqual(names.toSorted());
      const asked = { findings, isComplete: true, isWhole: true, random: new Random(seed), names, summed: ["n"] };
      for (let time = 0; time < 5; time++) await ask(table, asked);
      // What has been grouped is still what the service sent.
      expectSame(table.toArray(), findings);
    }),
    { numRuns: timesOf(1_000) },
  );
});

test("countBy has more keys than are decoded at once, of texts in any script and of raw JSON", async () => {
  const texts = ["", "plain", "é", "\u{1F600}", "\ud800", "\uFEFFmark"];
  const findings = upTo(3000).map((row) => ({
    a: `${texts[row % texts.length]}${row}`,
    b: row % 5 === 0 ? [row] : `${row}`,
  }));
  using table = await tableOf(findings);
  expectSame(
    table.countBy("a", "b"),
    findings.map(({ a, b }) => ({ key: [a, b], count: 1 })),
  );
});

test("countBy and summarize take one name in place of a list, and do not change a list", async () => {
  const table = await tableOf(["x", "y"].map((text, n) => ({ "a.b": text, n })));
  const names = Object.freeze(["a\\.b"]);
  expect(table.countBy("a\\.b")).toEqual(table.countBy(names));
  expect(table.countBy({ distinct: "a\\.b" })).toEqual(table.countBy([], { distinct: ["a\\.b"] }));
  expect(table.summarize("a\\.b", "n")).toEqual(table.summarize(names, "n"));
  expect(table.summarize("a\\.b", "n").map(({ sum }) => sum)).toEqual([0, 1]);
});

test("sortBy takes one direction, or a list with one for each column", async () => {
  using table = await tableOf([1, 1, 2].map((a, place) => ({ a, b: place + 1 })));
  const sorted = (direction: any) => table.sortBy(["a", "b"], direction).column("b");
  expect(sorted(["desc", "asc"])).toEqual([3, 1, 2]);
  expect(sorted(["desc", undefined])).toEqual([3, 1, 2]);
  expect(sorted("desc")).toEqual([3, 2, 1]);
});

test("no query takes a lone surrogate in a name for another or for U+FFFD", async () => {
  const table = await tableOf('[{"\ufffd":1,"\\\\ud800":2},{"\\ud800":3}]');
  expect(table.columns).toEqual(["\ufffd", "\\\\ud800"]);
  for (const name of ["\ud800", "\udfff", "\ufffd\ud800", "\\ud800"]) {
    for (const query of [() => table.column(name), () => table.countBy(name), () => table.filter({ [name]: 1 })]) {
      expect(query).toThrow(RangeError);
    }
  }
  expect(() => table.column("\ud800")).toThrow('there is no column "\\ud800"');
  expect(table.filter({ "\ufffd": 1, "\\\\ud800": 2 })).toHaveLength(1);
});

test("an unknown column is a RangeError that names the nearest one and lists all", async () => {
  const table = await tableOf([{ Sentiment: 1, Topic: { Text: "a" }, "a.b": 2 }]);
  for (const [wrong, question] of [
    ["sentiment", " (did you mean Sentiment?)"],
    ["Topic.Txt", " (did you mean Topic.Text?)"],
    ["Topic", ""],
  ] as const) {
    const message = `there is no column "${wrong}"${question}; the columns are Sentiment, Topic.Text, a\\.b`;
    for (const ask of [() => table.column(wrong), () => table.filter({ [wrong]: 1 })])
      expect(ask).toThrow(new RangeError(message));
  }
});

describe("a wrong argument is a TypeError, also in a table without findings", () => {
  const names = [undefined, null, 1, {}, Symbol("a")];
  const options = [{}, { distinct: undefined }, { distnct: "a" }, { distinct: 1 }, { distinct: ["a", 1] }, null];
  const statistics = [
    ...[{ median: "a" }, { count: "a" }, { mean: 1 }, { mean: undefined }, ["a"], { key: { mean: "a" } }],
    ...[{ count: { mean: "a" } }, { x: "a" }, { x: {} }, { x: { min: "a", max: "a" } }],
  ];
  const wheres = [
    undefined,
    null,
    1,
    "a",
    () => true,
    ["a"],
    [null],
    [[{ a: 1 }]],
    [{ a: 1 }, undefined],
    new Array(2),
  ];
  const conditions = [
    ...[{}, { min: "1" }, { max: null }, { min: 1n }, { contains: 1 }, { contains: undefined }],
    ...[{ contains: "x", min: 1 }, { other: 1 }, { min: 1, other: 1 }, [{}], [[1]]],
    ...[1n, Symbol("a"), () => 1, new Date(), new Map()],
    ...[undefined, { missing: false }, { missing: true, min: 1 }, { not: undefined }],
    ...[{ not: { not: 1 } }, { not: 1, min: 1 }, { not: {} }, { not: () => {} }, { not: [[1]] }],
  ];
  const ranges = [{ min: 2, max: 1 }, { min: Number.NaN }, { not: { max: Number.NaN } }];
  const noNumbers = [
    ...[{ min: undefined }, { max: undefined }, { min: undefined, max: undefined }],
    ...[Number.NaN, [-2, Number.NaN], { not: [Number.NaN] }],
  ];
  const refused: [string, any[], (table: Table, wrong: any) => unknown, string | RegExp][] = [
    ["a name of column", [...names, ["a"]], (table, name) => table.column(name), "the name of a column must be a"],
    ["a name of numbers", [...names, ["a"]], (table, name) => table.numbers(name), "the name of a column must be a"],
    ["names of countBy", [undefined, null, 1, Symbol("a"), [1]], (table, some) => table.countBy(some), "must be a"],
    ["one of several names", [...names, ["a"]], (table, name) => table.countBy("a", name, "a"), "must be a string"],
    ["names of summarize", [...names, new Set(["a"])], (table, some) => table.summarize(some, "a"), "must be a string"],
    ["names of sortBy", names, (table, name) => table.sortBy([name]), "must be a string"],
    ["options of countBy", options, (table, option) => table.countBy("a", option), /distinct|must be a string/],
    ["no distinct column", [[]], (table, distinct) => table.countBy({ distinct }), "must have at least one name"],
    ["statistics of summarize", statistics, (table, values) => table.summarize("a", values), ""],
    [
      "a direction",
      [["up"], "up", null, 1, true, {}],
      (table, how) => table.sortBy("a", how),
      'direction must be "asc"',
    ],
    [
      "too few directions",
      [["desc"], []],
      (table, how) => table.sortBy(["a", "b"], how),
      /a list of [01] for 2 columns$/,
    ],
    [
      "too many directions",
      [["desc", "asc"]],
      (table, how) => table.sortBy("a", how),
      "got a list of 2 for one column",
    ],
    ["conditions", wheres, (table, where) => table.filter(where), /^where must be an object of conditions/],
    [
      "a second condition",
      [{ b: 2 }],
      (table: any, where) => table.filter({ a: 1 }, where),
      "filter takes one argument",
    ],
    ["a condition", conditions, (table, a) => table.filter({ a }), /the condition on "a"/],
    ["a range without numbers", ranges, (table, a) => table.filter({ a }), /of the condition on "a" must be/],
    ["no number", noNumbers, (table, a) => table.filter({ a }), /the condition on "a".*leave the condition out$/],
  ];

  test.for(refused)("%s", async ([, all, query, message]) => {
    for (const table of [await tableOf([{ a: 1, b: 2, undefined: 1 }]), await tableOf([])]) {
      for (const wrong of all) {
        expect(() => query(table, wrong)).toThrow(TypeError);
        expect(() => query(table, wrong)).toThrow(message);
      }
    }
  });

  test.each([
    ["number", '"-2"', "strings, but the column has no string: it has numbers, such as -2"],
    ["number", '{ "contains": "-" }', "strings, but the column has no string: it has numbers, such as -2"],
    ["digits", "7", 'numbers, but the column has no number: it has strings, such as "07"'],
    ["flag", '"true"', "strings, but the column has no string: it has booleans, such as false"],
    ["word", "true", 'booleans, but the column has no boolean: it has strings, such as "true"'],
  ])("a condition on the column %s by %s, because the types differ", async (name, json, message) => {
    const table = await load([
      [{ number: null, digits: "07", flag: false, word: "true" }],
      [{ number: -2, digits: "8", flag: true, word: "false" }, { number: 1 }],
    ]);
    const where = { [name]: JSON.parse(json) };
    for (const filtered of [table, table.filter({})]) {
      for (const given of [where, [{ digits: "8" }, where]]) {
        expect(() => filtered.filter(given)).toThrow(new TypeError(`the condition on "${name}" compares ${message}`));
      }
    }
  });
});

test("a condition of another type keeps nothing where the column has no value to compare, or some of that type", async () => {
  const table = await load([[{ number: -2, none: null, mixed: 1 }, { mixed: "2" }]]);
  for (const where of [
    ...[{ number: { contains: "" } }, { none: "null" }, { none: { min: 0 } }],
    ...[{ mixed: "1" }, { mixed: 2 }, { TopicGroup: "1" }],
  ]) {
    expect(table.filter(where as any).length).toBe(0);
  }
  expect(table.filter({ number: { min: -2, max: undefined } }).length).toBe(1);
});

test("a condition without the name of a column is an error that says where it belongs, unless a column has its name", async () => {
  using table = await tableOf([{ Sentiment: 1 }]);
  using other = await tableOf([{ max: 1 }]);
  const message =
    /^there is no column "max".*; a condition needs the name of its column: \{ "Sentiment": \{ max: … \} \}$/;
  expect(() => table.filter({ max: 1 })).toThrow(message);
  expect(() => table.filter({ Sentiment: 1, maxi: 1 })).toThrow(
    /^there is no column "maxi"; the columns are Sentiment$/,
  );
  expect(other.filter({ max: 1 }).length).toBe(1);
});

test("a condition on a snapshot of a live table may be of a type that only later partitions have", async () => {
  const wire = new Wire({
    counts: { TopicPartitions: 2, TopicFindings: 2 },
    findings: (index) => [{ a: ["x", 1][index] }],
    holds: ({ index }) => index === 0,
  });
  using live = clientOf(wire).watchTable(1, "topics") as any;
  const snapshot = await vi.waitUntil(() => (live.getSnapshot().table.length > 0 ? live.getSnapshot() : undefined));
  expect(snapshot.table.filter({ a: "x" })).toHaveLength(0);
  wire.release(0);
  expect((await live.done).filter({ a: "x" })).toHaveLength(1);
});
