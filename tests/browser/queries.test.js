/** Queries: a table answers them as plain JavaScript does over its findings. */

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { ruleCasesOf } from "../counts.js";
import * as model from "./model.js";
import { Oddity, throwing } from "./oddities.js";
import { expectSame } from "./same.js";
import { load, tableOf } from "./tables.js";

const runs = { numRuns: ruleCasesOf(150) };
const keys = ["a", "b", "Topic", "x.y", "é", "__proto__", "7"];

const text = fc.oneof(
  fc.constantFrom(
    "",
    "a",
    "A",
    "b",
    "é",
    "É",
    "ß",
    "İ",
    "\u212a",
    "k",
    "\uffff",
    "\u{1F600}",
    "Ab",
    "aB c",
    "Σς",
    "ΑΣ",
    "ασα",
  ),
  fc.string({ unit: "grapheme", maxLength: 4 }),
  fc.constantFrom("\ud800", "a\udc00", "\ud800b"),
);
const scalar = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: -3, max: 3 }) },
  { weight: 4, arbitrary: text },
  fc.constantFrom(null, true, false),
  fc.constantFrom(2 ** 30 - 1, 2 ** 30, -(2 ** 30), -(2 ** 30) - 1, 0.5, -0.5, 1e300),
);
const inner = fc.dictionary(fc.constantFrom("Text", "a", "x.y"), fc.oneof(scalar, fc.constant({})), {
  maxKeys: 2,
  noNullPrototype: true,
});
const value = fc.oneof(
  { weight: 8, arbitrary: scalar },
  { weight: 3, arbitrary: inner },
  fc.array(scalar, { maxLength: 2 }),
);
const finding = fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 5, noNullPrototype: true });
const partitionsOfAny = fc.array(fc.array(finding, { maxLength: 12 }), { minLength: 1, maxLength: 4 });

/**
 * Tries a table of any findings, and views of it, against an array of the same.
 * @template Choice
 * @param {fc.Arbitrary<Choice>} choice
 * @param {(table: import("./tables.js").Table, findings: any[], columns: Map<string, string[]>, choice: Choice) => void} check
 */
async function checkAny(choice, check) {
  await fc.assert(
    fc.asyncProperty(partitionsOfAny, fc.nat(20), choice, async (partitions, chosen, given) => {
      using table = await load(partitions);
      const findings = partitions.flatMap((partition) => JSON.parse(JSON.stringify(partition)));
      const columns = model.columnsOf(findings);
      check(table, findings, columns, given);
      const path = [...columns.keys()][chosen % Math.max(columns.size, 1)];
      if (path !== undefined) {
        using view = table.sortBy(path, "desc");
        check(view, model.sortBy(findings, columns.get(path) ?? [], "desc"), columns, given);
      }
    }),
    runs,
  );
}

/** Some of the columns. @param {Map<string, string[]>} columns @param {number[]} choice */
function chosen(columns, choice) {
  const names = [...columns.keys()];
  return names.length === 0 ? [] : choice.map((number) => names[number % names.length]);
}

/** @param {Map<string, string[]>} columns @param {string[]} names */
function keysOf(columns, names) {
  return names.map((name) => columns.get(name) ?? []);
}

test("the columns have the values of the findings", async () => {
  await checkAny(fc.constant(undefined), (table, findings, columns) => {
    expectSame(table.toArray(), findings);
    expect(table.columns.toSorted()).toEqual([...columns.keys()].toSorted());
    for (const [name, path] of columns) {
      const expected = findings.map((finding) => model.valueAt(finding, path));
      expectSame(Array.from(table.column(name)), expected, name);
    }
  });
});

describe("countBy", () => {
  test("has more keys than are decoded at once, of texts in any script and of raw JSON", async () => {
    const texts = ["", "plain", "é", "\u{1F600}", "\ud800", "\uFEFFmark"];
    const findings = Array.from({ length: 3000 }, (_, row) => ({
      a: `${texts[row % texts.length]}${row}`,
      b: row % 5 === 0 ? [row] : `${row}`,
    }));
    using table = await tableOf(findings);
    const expected = findings.map(({ a, b }) => ({ key: [a, b], count: 1 }));
    expectSame(table.countBy("a", "b"), expected);
  });

  test("of no path counts all findings", async () => {
    expect((await tableOf([{}, {}])).countBy()).toEqual([{ key: [], count: 2 }]);
    expect((await tableOf([])).countBy()).toEqual([]);
  });

  test("does not change a list of names", async () => {
    const table = await tableOf([{ a: 1 }]);
    const names = Object.freeze(["a"]);
    expect([table.countBy(names), table.summarize(names, "a")]).toHaveLength(2);
  });
});

test("summarize takes the name of one column in place of a list", async () => {
  const table = await tableOf(["x", "y"].map((text, n) => ({ "a.b": text, n })));
  expect(table.summarize("a\\.b", "n")).toEqual(table.summarize(["a\\.b"], "n"));
  expect(table.summarize("a\\.b", "n")).toMatchObject([
    { key: ["x"], sum: 0 },
    { key: ["y"], sum: 1 },
  ]);
});

test("summarize of several values has the groups of countBy, with each value of each group", async () => {
  const statistics = /** @type {const} */ (["numbers", "sum", "min", "max", "mean"]);
  const choice = fc.tuple(
    fc.array(fc.nat(20), { maxLength: 2 }),
    fc.uniqueArray(fc.tuple(fc.constantFrom(...statistics), fc.nat(20)), { selector: ([statistic]) => statistic }),
  );
  await checkAny(choice, (table, findings, columns, [names, values]) => {
    if (columns.size === 0) return;
    const groupBy = chosen(columns, names);
    const by = keysOf(columns, groupBy);
    const columnOf = Object.fromEntries(values.map(([statistic, number]) => [statistic, chosen(columns, [number])[0]]));
    const expected = model.countBy(findings, by).map((group, index) => {
      const entryOf = (/** @type {[any, string]} */ [statistic, name]) => {
        const summary = model.summarize(findings, by, columns.get(name) ?? [])[index];
        return [statistic, summary[/** @type {"sum"} */ (statistic)]];
      };
      return { ...group, ...Object.fromEntries(Object.entries(columnOf).map(entryOf)) };
    });
    expectSame(table.summarize(groupBy, columnOf), expected);
  });
});

test("summarize refuses values that are no columns of statistics", async () => {
  using table = await tableOf([{ a: 1 }]);
  const wrong = [{ median: "a" }, { count: "a" }, { mean: 1 }, { mean: undefined }, ["a"]];
  for (const values of /** @type {any[]} */ (wrong)) {
    expect(() => table.summarize("a", values)).toThrow(TypeError);
  }
  expect(() => table.summarize("a", { mean: "b" })).toThrow(RangeError);
});

test("summarize counts the findings of each group and its numbers, and has their sum, min, max and mean", async () => {
  await checkAny(fc.array(fc.nat(20), { minLength: 1, maxLength: 3 }), (table, findings, columns, choice) => {
    const [value, ...names] = chosen(columns, choice);
    if (value !== undefined) {
      const expected = model.summarize(findings, keysOf(columns, names), columns.get(value) ?? []);
      expectSame(table.summarize(names, value), expected);
    }
  });
});

describe("filter", () => {
  const bound = fc.option(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.double({ noNaN: true })), { nil: undefined });
  const plain = fc.oneof(
    fc.oneof(scalar, fc.constant({ missing: true }), fc.constantFrom("0", "1", "true", 0, 1, true)),
    fc.array(fc.oneof(scalar, fc.constant(undefined)), { maxLength: 4 }),
    fc.record({ min: bound, max: bound }, { noNullPrototype: true }),
    fc.record({
      contains: fc.oneof(fc.constantFrom("a", "A", "É", "k", "σ", "ΑΣ", "i̇", ""), fc.string({ maxLength: 2 })),
    }),
  );
  const condition = fc.oneof(plain, fc.record({ not: plain }, { noNullPrototype: true }));

  /** @param {any} condition */
  function isEmpty(condition) {
    const given = condition?.not ?? condition;
    return Object.prototype.toString.call(given) === "[object Object]" && Object.keys(given).length === 0;
  }

  /**
   * Conditions by the names of columns.
   * @param {Map<string, string[]>} columns
   * @param {[number, unknown][]} choice
   */
  function whereOf(columns, choice) {
    const numbers = choice.map(([number]) => number);
    return Object.fromEntries(chosen(columns, numbers).map((name, place) => [name, choice[place][1]]));
  }

  test("keeps the findings that meet all conditions, and refuses empty ones", async () => {
    await checkAny(fc.array(fc.tuple(fc.nat(20), condition), { maxLength: 3 }), (table, findings, columns, choice) => {
      const where = whereOf(columns, choice);
      if (Object.values(where).some(isEmpty) || model.hasWrongTypes(findings, where, columns)) {
        expect(() => table.filter(/** @type {any} */ (where))).toThrow(TypeError);
        return;
      }
      const expected = findings.filter((finding) => model.meets(finding, where, columns));
      using view = table.filter(/** @type {any} */ (where));
      expectSame(view.toArray(), expected);
      if (model.hasWrongTypes(expected, where, columns)) return;
      using again = view.filter(/** @type {any} */ (where));
      expect(again.length).toBe(expected.length);
    });
  });

  test("keeps the findings that meet all conditions of an alternative", async () => {
    const alternative = fc.array(fc.tuple(fc.nat(20), condition), { maxLength: 2 });
    await checkAny(fc.array(alternative, { maxLength: 4 }), (table, findings, columns, choice) => {
      const alternatives = choice
        .map((conditions) => whereOf(columns, conditions))
        .filter((where) => !Object.values(where).some(isEmpty) && !model.hasWrongTypes(findings, where, columns));
      const expected = findings.filter((finding) => alternatives.some((where) => model.meets(finding, where, columns)));
      using view = table.filter(/** @type {any} */ (alternatives));
      expectSame(view.toArray(), expected);
    });
  });

  test("and every other query do not take a lone surrogate in a name for another or for U+FFFD", async () => {
    const table = await tableOf('[{"\ufffd":1,"\\\\ud800":2},{"\\ud800":3}]');
    expect(table.columns).toEqual(["\ufffd", "\\\\ud800"]);
    for (const name of ["\ud800", "\udfff", "\ufffd\ud800", "\\ud800"]) {
      const queries = [
        () => table.column(name),
        () => table.countBy(name),
        () => table.summarize([], name),
        () => table.sortBy(name),
        () => table.filter({ [name]: 1 }),
      ];
      for (const query of queries) expect(query).toThrow(RangeError);
    }
    expect(() => table.column("\ud800")).toThrow('there is no column "\\ud800"');
    expect(table.filter({ "\ufffd": 1, "\\\\ud800": 2 })).toHaveLength(1);
  });

  test("takes each sigma for the others, wherever in a word it is", async () => {
    const texts = ["ΠΡΟΣΩΠΙΚΟ", "προσωπικο", "ΠΡΟΣ", "προς", "Ένας", "ΈΝΑΣ.", "\ud800ΠΡΟΣ"];
    const table = await tableOf(texts.map((a) => ({ a })));
    const found = (/** @type {string} */ contains) => [...table.filter({ a: { contains } }).column("a")];
    for (const contains of ["ΠΡΟΣ", "προς", "προσ", "ΠρΟς"]) {
      expect(found(contains), contains).toEqual(texts.filter((text) => /προ|ΠΡΟ/.test(text)));
    }
    for (const contains of ["Σ", "ς", "σ"]) expect(found(contains)).toEqual(texts);
    for (const contains of ["ένας", "ΈΝΑΣ"]) expect(found(contains)).toEqual(["Ένας", "ΈΝΑΣ."]);
  });

  test("lets a getter of its conditions read the table", async () => {
    const table = await tableOf([{ a: 1 }, { a: 2 }, { a: 1 }]);
    const where = Object.defineProperty({}, "a", { get: () => table.at(-1)?.a, enumerable: true });
    expect(table.filter(where).toArray()).toEqual([{ a: 1 }, { a: 1 }]);
  });

  test.each([
    ["with findings", [{ a: 1 }]],
    ["without findings", []],
  ])(
    "refuses wrong conditions, negations and alternatives by a TypeError that names the column, in a table %s",
    async (_, findings) => {
      const table = await tableOf(findings);
      for (const condition of /** @type {any[]} */ ([
        ...[{}, { min: "1" }, { max: null }, { min: 1n }, { contains: 1 }, { contains: undefined }],
        ...[{ contains: "x", min: 1 }, { other: 1 }, { min: 1, other: 1 }, [{}], [[1]]],
        ...[1n, Symbol("a"), () => 1, new Date(), new Map()],
        ...[undefined, { missing: false }, { missing: true, min: 1 }, { not: undefined }],
        ...[{ not: { not: 1 } }, { not: 1, min: 1 }, { not: {} }, { not: () => {} }, { not: [[1]] }],
      ])) {
        expect(() => table.filter({ a: condition })).toThrow(TypeError);
        expect(() => table.filter({ a: condition })).toThrow(/the condition on "a"/);
      }
      const alternatives = [["a"], [null], [[{ a: 1 }]], [{ a: 1 }, undefined], new Array(2)];
      for (const where of /** @type {any[]} */ ([undefined, null, 1, "a", Symbol("a"), () => true, ...alternatives])) {
        expect(() => table.filter(where)).toThrow(TypeError);
        expect(() => table.filter(where)).toThrow(/^where must be an object of conditions/);
      }
    },
  );

  test.each([
    ["number", '"-2"', "strings, but the column has no string: it has numbers, such as -2"],
    ["number", '["-2", null]', "strings, but the column has no string: it has numbers, such as -2"],
    ["number", '{ "not": "1.0" }', "strings, but the column has no string: it has numbers, such as 1"],
    ["number", '{ "contains": "-" }', "strings, but the column has no string: it has numbers, such as -2"],
    ["digits", "7", 'numbers, but the column has no number: it has strings, such as "07"'],
    ["digits", '{ "min": 8 }', 'numbers, but the column has no number: it has strings, such as "8"'],
    ["flag", '"true"', "strings, but the column has no string: it has booleans, such as true"],
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

  test("of another type keeps nothing if no value looks the same", async () => {
    const table = await load([[{ number: -2, digits: "07", flag: true, none: null, mixed: 1 }, { mixed: "2" }]]);
    for (const where of [
      ...[{ number: "2" }, { number: ["x", ""] }, { number: { contains: "x" } }, { number: { contains: "" } }],
      ...[{ digits: 8 }, { digits: { max: 6 } }, { digits: { min: undefined } }, { flag: 1 }, { flag: "TRUE" }],
      ...[{ none: "null" }, { none: { min: 0 } }, { mixed: "1" }, { mixed: 2 }, { Sentiment: "1" }],
    ]) {
      expect(table.filter(/** @type {any} */ (where)).length).toBe(0);
    }
  });

  test("by missing: true keeps the findings without a field, and by not the others", async () => {
    const table = await tableOf([{ a: 1 }, { a: null }, {}]);
    expect(table.filter({ a: { missing: true } }).toArray()).toEqual([{}]);
    expect(table.filter({ a: { not: { missing: true } } }).toArray()).toEqual([{ a: 1 }, { a: null }]);
    expect(table.filter({ a: [undefined, null] }).toArray()).toEqual([{ a: null }, {}]);
  });

  test("passes on what a condition throws", async () => {
    const table = await tableOf([{ a: 1 }]);
    const where = Object.defineProperty({}, "a", { get: throwing, enumerable: true });
    expect(() => table.filter(where)).toThrow(Oddity);
    expect(table.filter({ a: 1 }).length).toBe(1);
  });
});

describe("sortBy", () => {
  test("is the stable order of the first column, then of the next ones, null and missing last in both directions", async () => {
    const direction = fc.constantFrom(undefined, "asc", "desc");
    await checkAny(fc.array(fc.tuple(fc.nat(20), direction), { maxLength: 3 }), (table, findings, columns, choice) => {
      const numbers = choice.map(([number]) => number);
      const names = chosen(columns, numbers);
      const paths = keysOf(columns, names);
      const directions = /** @type {any[]} */ (names.map((_, index) => choice[index][1]));
      using view = table.sortBy(names, directions);
      expectSame(view.toArray(), model.sortByAll(findings, paths, directions));
      using descending = table.sortBy(names, "desc");
      expectSame(descending.toArray(), model.sortByAll(findings, paths, Array(paths.length).fill("desc")));
    });
  });

  test("takes a list of directions that is shorter than the list of names, but no longer one", async () => {
    using table = await tableOf([1, 1, 2].map((a, place) => ({ a, b: place + 1 })));
    expect([...table.sortBy(["a", "b"], ["desc"]).column("b")]).toEqual([3, 1, 2]);
    expect(() => table.sortBy(["a"], ["desc", "asc"])).toThrow(TypeError);
    for (const direction of /** @type {any[]} */ ([["up"], "up", "ASC", null, 1, true, {}])) {
      expect(() => table.sortBy("a", direction)).toThrow(TypeError);
    }
    expect(() => table.sortBy(["a", "c"])).toThrow(RangeError);
  });
});
