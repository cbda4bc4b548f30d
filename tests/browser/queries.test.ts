/**
 * Queries: tables with odd values answer them as plain JavaScript does over their findings, and refuse wrong arguments. The snapshots of
 * live tables are proved by tests/border/snapshots.ts.
 */

import fc from "fast-check";
import { FindingsTable } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { use } from "../border/snapshots";
import { ruleCasesOf, timesOf } from "../counts.js";
import { Random } from "../random.js";
import { upTo } from "./inspection.js";
import * as model from "./model";
import { expectSame } from "./same.js";
import { load, tableOf } from "./tables.js";

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

/** The bodies of partitions with findings of any values. */
const any = (() => {
  const keysOf = (...keys: string[]) => fc.constantFrom(...keys);
  const options = { noNullPrototype: true };
  const inner = fc.dictionary(keysOf("Text", "a", "x.y"), fc.oneof(scalar, fc.constant({})), {
    maxKeys: 2,
    ...options,
  });
  const value = fc.oneof(
    { weight: 8, arbitrary: scalar },
    { weight: 3, arbitrary: inner },
    fc.array(scalar, { maxLength: 2 }),
  );
  const keys = fc.oneof(
    keysOf("a", "b", "Topic", "x.y"),
    keysOf("é", "__proto__", "7", "a.", ".", "..", "\\", "a\\", "\\.", "", "a b"),
  );
  const finding = fc.dictionary(keys, value, { maxKeys: 5, ...options });
  return fc.array(
    fc.array(finding, { maxLength: 12 }).map((findings) => JSON.stringify({ Findings: findings })),
    { minLength: 1, maxLength: 4 },
  );
})();

/** One of these spellings, which spaces or line breaks separate. */
function oneOf(list: string) {
  return fc.constantFrom(...list.trim().split(/\s+/));
}

/** The bodies of partitions whose values have several spellings each. */
const spelled = (() => {
  const spaces = fc.constantFrom("", "", "", " ", "\n\t");
  const numbers = oneOf(`
    0 -0 0.0 -0e5 0E-400 1 1.0 1e0 10e-1 0.1e1 2 2.00 -2 -2.0 100 1e2 1E+2 0.1 1e-1 0.10 0.1000000000000000055511151231257827
    5e-324 3e-324 1e21 1000000000000000000000 9007199254740993 9007199254740992 2147483648 2147483648.0 1e-7 0.0000001
    1e400 -1e400 1e999`);
  const texts = oneOf(String.raw`
    "" "a" "\u0061" "\u0061b" "ab" "/" "\/" "\u002f" "é" "\u00e9" "\u00E9" "\n" "\u000A" "😀" "\ud83d\ude00" "\uD83D\uDE00" "\ud800" "\uD800"
    "\udc00x" "\uDC00\u0078" "\u2028" "\u007f" "\u0000" "1" "[1]" "null" "\"" "\u0022" "\\" "\u005C"`);
  const words = oneOf("true false null");
  const keys = oneOf(String.raw`"a" "\u0061" "b" "1" "10" "2" "\u0032" "__proto__" "" "\ud800" "a.b"`);
  /** The text of an array, or of an object with repeated keys, too. */
  const { nested } = fc.letrec<{ value: string; nested: string }>((tie) => {
    const list = (open: string, close: string, member: fc.Arbitrary<string>) =>
      fc
        .tuple(fc.array(member, { maxLength: 3 }), spaces, spaces, spaces)
        .map(([members, s, t, u]) => `${open}${s}${members.join(`${t},${u}`)}${s}${close}`);
    const member = fc.tuple(keys, spaces, spaces, tie("value")).map(([key, s, t, inner]) => `${key}${s}:${t}${inner}`);
    return {
      value: fc.oneof({ depthSize: "small" }, numbers, texts, words, tie("nested"), list("{", "}", member)),
      nested: list("[", "]", tie("value")),
    };
  });
  /** Spellings of few values, so that many of them are equal. */
  const few = fc.oneof(
    fc.constantFrom("[1, 2]", "[ 1e0 ,20e-1\n]", "[ ]", "[{ }]", String.raw`[{ "\u0061": 1.0, "b": 2 }]`),
    oneOf(String.raw`
      [1,2] [1,2.0] [2,1] [] [[]] [0] [-0] [0.0] [null] [1e400] [-1e400] [{"a":1,"b":2}] [{"b":2,"a":1}] [{"a":7,"b":2,"a":1}] [{"2":1,"10":1}]
      [{"10":1,"2":1}] ["a"] ["\u0061"] ["\ud800"] ["\uD800"] ["é"] ["\u00e9"] ["\/"] ["/"] [{}] [{"__proto__":1}]`),
  );
  const value = fc.oneof({ weight: 4, arbitrary: few }, { weight: 2, arbitrary: nested }, numbers, texts, words);
  const finding = fc
    .tuple(fc.option(value), few, fc.integer({ min: -2, max: 2 }))
    .map(([a, b, n]) => `{${a === null ? "" : `"a":${a},`}"b":${b},"n":${n}}`);
  return fc.array(
    fc.array(finding, { maxLength: 12 }).map((findings) => `{"Findings":[${findings.join()}]}`),
    { minLength: 1, maxLength: 4 },
  );
})();

function findingsOf(bodies: string[]): object[] {
  return bodies.flatMap((body) => JSON.parse(body).Findings);
}

const corpora = {
  "any values": { bodies: any, summed: undefined, runs: ruleCasesOf(1_000) },
  "values with several spellings": { bodies: spelled, summed: ["n"], runs: timesOf(700) },
};

test.for(Object.entries(corpora))(
  "a table with %s, its views and what is saved of it answer as its findings do",
  async ([, { bodies, summed, runs }]) => {
    await fc.assert(
      fc.asyncProperty(bodies, fc.nat(), async (given, seed) => {
        using table = await load(given);
        using saved = await FindingsTable.fromBytes(table.toBytes());
        const findings = findingsOf(given);
        const names = [...model.columnsOf(findings).keys()];
        expect(table.columns.toSorted()).toEqual(names.toSorted());
        const random = new Random(seed);
        for (let time = 0; time < 5; time++) {
          use(random.oneOf([table, saved]), { findings, random, names, summed });
        }
        // What has been grouped is still what the service sent.
        expectSame(table.toArray(), findings);
      }),
      { numRuns: runs },
    );
  },
);

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

describe("countBy and summarize", () => {
  test("have more keys than are decoded at once, of texts in any script and of raw JSON", async () => {
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

  test("take one name in place of a list, and do not change a list", async () => {
    const table = await tableOf(["x", "y"].map((text, n) => ({ "a.b": text, n })));
    const names = Object.freeze(["a\\.b"]);
    expect(table.countBy("a\\.b")).toEqual(table.countBy(names));
    expect(table.summarize("a\\.b", "n")).toEqual(table.summarize(names, "n"));
    expect(table.summarize("a\\.b", "n")).toMatchObject([
      { key: ["x"], sum: 0 },
      { key: ["y"], sum: 1 },
    ]);
  });

  test("refuse values that are no columns of statistics", async () => {
    using table = await tableOf([{ a: 1 }]);
    const named = [
      { key: { mean: "a" } },
      { count: { mean: "a" } },
      { x: "a" },
      { x: {} },
      { x: { min: "a", max: "a" } },
    ];
    const wrong: any[] = [{ median: "a" }, { count: "a" }, { mean: 1 }, { mean: undefined }, ["a"], ...named];
    for (const values of wrong) expect(() => table.summarize("a", values)).toThrow(TypeError);
    expect(() => table.summarize("a", { mean: "b" })).toThrow(RangeError);
    expect(() => table.summarize("a", { x: { distinct: "b" } })).toThrow(RangeError);
  });

  test("refuse other options than a column whose distinct values they count", async () => {
    using table = await tableOf([{ a: 1, b: null }, { a: 1 }]);
    const none = [{}, { distinct: undefined }];
    for (const options of [...none, { distnct: "a" }, { distinct: 1 }, null] as any[]) {
      expect(() => table.countBy("a", options)).toThrow(TypeError);
    }
    expect(() => table.countBy("a", { distinct: "c" })).toThrow(RangeError);
    expect(table.countBy({ distinct: "a" })).toEqual([{ key: [], count: 2, distinct: 1 }]);
    expect(table.countBy(["a"], { distinct: "b" })).toEqual([{ key: [1], count: 2, distinct: 0 }]);
    using empty = table.filter({ a: 2 });
    expect(empty.countBy([], { distinct: "a" })).toEqual([]);
  });
});

describe("filter", () => {
  test.each([
    ["with findings", [{ a: 1 }]],
    ["without findings", []],
  ])(
    "refuses wrong conditions, negations and alternatives by a TypeError that names the column, in a table %s",
    async (_, findings) => {
      const table = await tableOf(findings);
      for (const condition of [
        ...[{}, { min: "1" }, { max: null }, { min: 1n }, { contains: 1 }, { contains: undefined }],
        ...[{ contains: "x", min: 1 }, { other: 1 }, { min: 1, other: 1 }, [{}], [[1]]],
        ...[1n, Symbol("a"), () => 1, new Date(), new Map()],
        ...[undefined, { missing: false }, { missing: true, min: 1 }, { not: undefined }],
        ...[{ not: { not: 1 } }, { not: 1, min: 1 }, { not: {} }, { not: () => {} }, { not: [[1]] }],
      ] as any[]) {
        expect(() => table.filter({ a: condition })).toThrow(TypeError);
        expect(() => table.filter({ a: condition })).toThrow(/the condition on "a"/);
      }
      const alternatives = [["a"], [null], [[{ a: 1 }]], [{ a: 1 }, undefined], new Array(2)];
      for (const where of [undefined, null, 1, "a", Symbol("a"), () => true, ...alternatives] as any[]) {
        expect(() => table.filter(where)).toThrow(TypeError);
        expect(() => table.filter(where)).toThrow(/^where must be an object of conditions/);
      }
    },
  );

  test.each([
    ["number", '"-2"', "strings, but the column has no string: it has numbers, such as -2"],
    ["number", '{ "contains": "-" }', "strings, but the column has no string: it has numbers, such as -2"],
    ["digits", "7", 'numbers, but the column has no number: it has strings, such as "07"'],
    ["flag", '"true"', "strings, but the column has no string: it has booleans, such as false"],
    ["word", "true", 'booleans, but the column has no boolean: it has strings, such as "true"'],
  ])("of a column %s by %s is a TypeError, because the types differ", async (name, json, message) => {
    const table = await load([
      [{ number: null, digits: "07", flag: false, word: "true" }],
      [{ number: -2, digits: "8", flag: true, word: "false" }, { number: 1 }],
    ]);
    const where = { [name]: JSON.parse(json) };
    for (const filter of [
      () => table.filter(where),
      () => table.filter([{ digits: "8" }, where]),
      () => table.filter({}).filter(where),
    ])
      expect(filter).toThrow(new TypeError(`the condition on "${name}" compares ${message}`));
  });

  test("of another type keeps nothing where the column has no value to compare, or some of that type", async () => {
    const table = await load([[{ number: -2, digits: "07", none: null, mixed: 1 }, { mixed: "2" }]]);
    for (const where of [
      ...[{ number: { contains: "" } }, { none: "null" }, { none: { min: 0 } }],
      ...[{ mixed: "1" }, { mixed: 2 }, { Sentiment: "1" }],
    ]) {
      expect(table.filter(where as any).length).toBe(0);
    }
  });

  test("of a range that contains no number is a TypeError", async () => {
    const table = await load([[{ number: -2 }]]);
    for (const range of [{ min: 2, max: 1 }, { min: Number.NaN }, { max: Number.NaN }]) {
      expect(() => table.filter({ number: range } as any)).toThrow(TypeError);
      expect(() => table.filter({ number: { not: range } } as any)).toThrow(/of the condition on "number" must be/);
    }
    expect(table.filter({ number: { min: -2, max: -2 } } as any).length).toBe(1);
  });

  test("of no number is a TypeError that says to leave the condition out", async () => {
    const table = await load([[{ number: -2 }, { number: null }]]);
    const { NaN: none } = Number;
    for (const condition of [
      ...[{ min: undefined }, { max: undefined }, { min: undefined, max: undefined }, none, [none], [-2, none]],
    ] as any[]) {
      for (const wrong of [condition, { not: condition }]) {
        expect(() => table.filter({ number: wrong })).toThrow(TypeError);
        expect(() => table.filter({ number: wrong })).toThrow(/the condition on "number".*leave the condition out$/);
      }
    }
    expect(table.filter({ number: { min: -2, max: undefined } }).length).toBe(1);
  });
});

test("sortBy takes one direction, or a list with one for each column", async () => {
  using table = await tableOf([1, 1, 2].map((a, place) => ({ a, b: place + 1 })));
  for (const directions of [
    ["desc", "asc"],
    ["desc", undefined],
  ] as const) {
    expect([...table.sortBy(["a", "b"], directions).column("b")]).toEqual([3, 1, 2]);
  }
  expect([...table.sortBy(["a", "b"], "desc").column("b")]).toEqual([3, 2, 1]);
  const lists: [any, any, string][] = [
    [["a", "b"], ["desc"], "a list of 1 for 2 columns"],
    [["a", "b"], [], "a list of 0 for 2 columns"],
    [["a"], ["desc", "asc"], "a list of 2 for one column"],
    ["a", ["desc", "asc"], "a list of 2 for one column"],
  ];
  for (const [names, directions, got] of lists) {
    expect(() => table.sortBy(names, directions)).toThrow(
      new TypeError(`direction must be "asc", "desc", or a list with one of them for each column; got ${got}`),
    );
  }
  const wrong: any[] = [["up"], "up", "ASC", null, 1, true, {}];
  for (const direction of wrong) expect(() => table.sortBy("a", direction)).toThrow(TypeError);
  expect(() => table.sortBy(["a", "c"])).toThrow(RangeError);
});
