/** Cross tabulations, means of people, and differences of waves: orders, nets, and what they refuse. What they compute is in tests/border. */

import { crosstab } from "inspection-findings/survey";
import { difference, letters } from "inspection-findings/survey/compare";
import { meanOf } from "inspection-findings/survey/means";
import { respondentsOf } from "inspection-findings/survey/respondents";
import { describe, expect, test, vi } from "vitest";
import { tableOf } from "./tables.js";

/** Four people of two segments; the first one speaks twice of the price, and of the delivery, too. */
const findings = [
  { Person: 1, Segment: "new", Topic: "Price", Sentiment: -2 },
  { Person: 1, Segment: "new", Topic: "Price", Sentiment: 0 },
  { Person: 1, Segment: "new", Topic: "Delivery", Sentiment: 1 },
  { Person: 2, Segment: "new", Topic: "Price", Sentiment: 2 },
  { Person: 3, Segment: "loyal", Topic: "Delivery", Sentiment: -1 },
  { Person: 4, Topic: "Price", Sentiment: null },
];
/** The same people, and one who said nothing. */
const asked = [
  { Person: 1, Segment: "new", Weight: 1 },
  { Person: 2, Segment: "new", Weight: 2 },
  { Person: 3, Segment: "loyal", Weight: 1 },
  { Person: 4, Segment: null, Weight: 0.5 },
  { Person: 5, Segment: "loyal", Weight: 1 },
];

const mood = { negative: { Sentiment: { max: -1 } }, other: { Sentiment: { min: 0 } } };
const people = { distinct: "Person" } as const;
const keysOf = (headings: readonly { key: unknown }[]) => headings.map(({ key }) => key);

describe("crosstab", () => {
  test("has the largest total first, those without a value last, and says what it counts and divides by", async () => {
    const result = crosstab(await tableOf(findings), "Topic", "Segment", { distinct: ["Segment", "Person"] });
    expect([keysOf(result.rows), keysOf(result.columns)]).toEqual([
      ["Price", "Delivery"],
      ["new", "loyal", null],
    ]);
    expect(result).toMatchObject({ counts: "Segment,Person", share: "column", bases: "findings", values: "count" });
  });

  const row = (key: unknown) => ({ Person: 1, Row: key });
  test.for<[what: string, keys: unknown[], options: object, order: unknown[]]>([
    ["numbers", [10, 9, 2, 9], {}, [2, 9, 10]],
    ["months", ["March", "Jan.", "March", null], {}, ["Jan.", "March", null]],
    ["topics that begin like months", ["Market", "Decor", "Decor"], {}, ["Decor", "Market"]],
    ["a list with the name of null", ["a", null], { none: "No topic", order: ["No topic"] }, ["No topic", "a"]],
    ["the first occurrence", ["b", "a", "c", "a"], { order: "given" }, ["b", "a", "c"]],
    ["a list, also of what nobody said", ["b", "a", "a", null], { order: [null, "z", "b"] }, [null, "z", "b", "a"]],
    ["a net before its members", ["b", "a", "c"], { nets: { n: ["c", "a"] }, order: "given" }, ["b", "n", "a", "c"]],
    ["the rest before null", ["a", "a", "b", "c", null], { top: 1, rest: "more" }, ["a", "more", null]],
    ["the first rows alone", ["a", "a", "b"], { top: 1 }, ["a"]],
    ["a name for null", ["a", null], { none: "No topic" }, ["a", "No topic"]],
  ])("has rows in the order of %s", async ([, keys, options, order]) => {
    const table = await tableOf(keys.map(row));
    expect(keysOf(crosstab(table, "Row", { all: {} }, options).rows)).toEqual(order);
  });

  test.for<[what: string, options: object, rows: unknown[], columns?: unknown[]]>([
    ["nets", { nets: { n: ["Price", "Room"] } }, ["n", "Price", "Room"]],
    ["order", { order: ["Room", null] }, ["Room", null]],
    ["columnOrder", { columnOrder: ["Gone", "NEW", "new", 1, "1"] }, [], ["Gone", "NEW", "new", 1, "1"]],
    ["the column of order", { order: { column: "Gone" } }, [], ["new", "loyal", "Gone"]],
  ])(
    "has a row or a column of nobody for a value of %s that no finding has, also of a table without findings",
    async ([, options, rows, columns = []]) => {
      for (const some of [findings, []]) {
        const result = crosstab(
          await tableOf(some),
          "Topic",
          { all: {}, Segment: "Segment" },
          { ...people, ...options },
        );
        expect(keysOf(result.rows)).toEqual(expect.arrayContaining(rows));
        const own = columns.filter(
          (key) => some.length > 0 || !["new", "loyal"].includes(key as string) || "columnOrder" in options,
        );
        expect(keysOf(result.columns).slice(1, 1 + own.length)).toEqual(own);
        for (const { key, total, base } of [...result.rows, ...result.columns])
          if (["Room", "Gone", "NEW", 1, "1"].includes(key as never)) expect([total, base]).toEqual([0, 0]);
      }
    },
  );

  test("has in the total of a row who is in no column, too", async () => {
    const { rows, columns, cells } = crosstab(await tableOf(findings), "Topic", { negative: mood.negative }, people);
    expect(rows.map(({ key, total }) => [key, total])).toEqual([
      ["Price", 3],
      ["Delivery", 2],
    ]);
    expect([columns[0]?.total, cells.map(({ count }) => count)]).toEqual([2, [1, 1]]);
  });

  test("gives a hidden cell no letter and no test, and marks those of few people", async () => {
    const few = [..."aaabbbbb"].map((Topic, Person) => ({
      Person,
      Topic,
      Segment: ["new", "old", "gone"][(Person / 3) | 0],
    }));
    const options = { ...people, compare: letters(), leastBase: 3 };
    const { cells, tests } = crosstab(await tableOf(few), "Topic", "Segment", { ...options, order: ["a"] });
    // 3 of 3 against 0 of 3, whose exact p (Fisher's) is 0.1. The third segment has two people.
    const [none, ...own] = ["", "A", "B"].map((letters) => ({ letters, smallLetters: letters }));
    expect(cells).toMatchObject([own[1], none, { ...none, isSmall: true }, none, own[0], { ...none, isSmall: true }]);
    expect(tests).toMatchObject([{ p: expect.closeTo(0.0143, 4), isSmall: true }, { isSmall: true }]);
  });

  test("orders rows by a column, and columns by a list", async () => {
    const result = crosstab(await tableOf(findings), "Topic", "Segment", {
      order: { column: "loyal" },
      columnOrder: ["loyal"],
    });
    expect([keysOf(result.rows), keysOf(result.columns)]).toEqual([
      ["Delivery", "Price"],
      ["loyal", "new", null],
    ]);
    const listed = crosstab(await tableOf(findings), mood, mood, { order: ["other"], columnOrder: ["other"] });
    expect([keysOf(listed.rows), keysOf(listed.columns)]).toEqual([
      ["other", "negative"],
      ["other", "negative"],
    ]);
    const given = crosstab(
      await tableOf([...findings].reverse()),
      ["Topic", "Segment"],
      { all: {} },
      { order: "given" },
    );
    expect(keysOf(given.rows)).toEqual([
      ["Price", null],
      ["Delivery", "loyal"],
      ["Price", "new"],
      ["Delivery", "new"],
    ]);
  });

  test("puts columns side by side, with letters of their own", async () => {
    const { columns } = crosstab(
      await tableOf(findings),
      "Topic",
      { all: {}, S: "Segment", T: "Topic" },
      { ...people, compare: letters({ overlap: "account" }) },
    );
    expect(columns.map(({ of, key, letter }) => [of, key, letter])).toEqual([
      [undefined, "all", null],
      ["S", "new", "A"],
      ["S", "loyal", "B"],
      ["S", null, null],
      ["T", "Price", "A"],
      ["T", "Delivery", "B"],
    ]);
  });

  test("divides by bases from another source, and hides shares whose base is small or unknown", async () => {
    const bases = { loyal: 200, new: 20, gone: 50 };
    for (const base of [bases, new Map<unknown, number>(Object.entries(bases))]) {
      const options = { ...people, leastBase: 30, base };
      const { cells, columns } = crosstab(await tableOf(findings), { all: {} }, "Segment", options);
      const told = cells.map(({ count, base, share, isSmall }, place) => {
        return [columns[place]?.key, columns[place]?.total, count, base, share, isSmall];
      });
      expect(told).toEqual([
        ["new", 2, 2, 20, null, true],
        ["loyal", 1, 1, 200, 0.005, false],
        ["gone", 0, 0, 50, 0, false],
        [null, 1, 1, null, null, true],
      ]);
    }
    const [numbers, none] = [
      { 1: 4, 2: 4, 3: 4, 4: 8 },
      new Map<unknown, number>([
        ["new", 4],
        ["loyal", 4],
        [null, 2],
      ]),
    ];
    const table = await tableOf(findings);
    expect(crosstab(table, { all: {} }, "Person", { ...people, base: numbers }).cells.at(-1)).toMatchObject({
      share: 1 / 8,
    });
    expect(crosstab(table, { all: {} }, "Segment", { ...people, base: none }).cells.at(-1)).toMatchObject({
      share: 0.5,
    });
  });

  test("of a table without findings has no cells of values, and empty ones of conditions", async () => {
    const table = await tableOf([]);
    expect(crosstab(table, "Topic", "Segment")).toMatchObject({ rows: [], cells: [], total: 0 });
    expect(crosstab(table, mood, mood, people).cells.map(({ share }) => share)).toEqual([null, null, null, null]);
  });

  test("reads each condition once", async () => {
    let reads = 0;
    const where = {
      get Sentiment() {
        return { max: -1 - 9 * reads++ };
      },
    };
    const { cells } = crosstab(await tableOf(findings), { negative: where, all: {} }, { a: {}, b: { Topic: "Price" } });
    expect([cells.map(({ count }) => count), reads]).toEqual([[2, 1, 6, 4], 1]);
  });

  test("takes many values", async () => {
    const count = 30_000;
    const all = Array.from({ length: count }, (_, Person) => ({ Person, Text: `t${(Person * 7) % count}`, Score: 1 }));
    const table = await tableOf(all);
    const net = all.map(({ Text }) => Text);
    const rows = { top: 10, rest: "Other", nets: { net: net.slice(0, 9000) }, leastBase: 1 };
    expect(crosstab(table, "Text", { all: {} }, { ...people, ...rows }).rows).toHaveLength(9012);
    expect(crosstab(table, { all: {} }, "Text", { ...people, compare: letters({ with: "rest" }) }).tests).toHaveLength(
      count,
    );
    const base = new Map(net.map((text) => [text, 2]));
    expect(crosstab(table, { all: {} }, "Text", { base }).columns).toHaveLength(count);
    expect(meanOf(table as never, "Score", { per: "Person", by: "Text" })).toHaveLength(count);
    const each = [
      () => crosstab(table, { all: {} }, "Text", { ...people, compare: letters() }),
      () => meanOf(table as never, "Score", { per: "Person", by: "Text", compare: letters() }),
    ];
    for (const call of each) expect(call).toThrow("the number of tests must be at most 1000000");
  });

  test("frees its views, and leaves the table to its caller", async () => {
    const table = await tableOf(findings);
    const filter = vi.spyOn(table, "filter");
    crosstab(table, mood, mood);
    expect(() => crosstab(table, { ...mood, wrong: { Sentimant: 1 } }, "Topic")).toThrow(RangeError);
    const views = filter.mock.results.filter(({ type }) => type === "return");
    expect(new Set(views.map(({ value }) => value.freed))).toEqual(new Set([true]));
    expect(table.length).toBe(findings.length);
  });

  const withBase = (base: unknown, options = {}) => ["Topic", "Segment", { ...people, base, ...options }];
  const weights = (Weight: unknown) => [
    mood,
    "Segment",
    { ...people, base: asked.map((one) => ({ ...one, ...(one.Person === 3 && { Weight }) })), weight: "Weight" },
  ];
  test.for<[what: string, parameters: any[], says: string, error?: ErrorConstructor]>([
    ["an unknown column", ["Topik", "Segment"], "Topic", RangeError],
    ["an unknown distinct column", ["Topic", mood, { distinct: "Persn" }], "Person", RangeError],
    ["a condition on an unknown column", [{ a: { Topik: "x" } }, "Topic"], "Topic", RangeError],
    ["a condition that is none", [{ a: 5 }, "Topic"], '"a" of rows must be an object of conditions'],
    ["a condition without a name", [{ Sentiment: { max: -1 } }, "Topic"], "each condition needs a name"],
    ["options in the place of columns", ["Topic", { distinct: "Person" }], "columns is missing"],
    [
      "a base without a value",
      [mood, "Segment", { base: { new: 4, Loyal: 2 } }],
      'none for "loyal" (did you mean "Loyal"?)',
      RangeError,
    ],
    [
      "a base below the count",
      [mood, "Segment", { base: { new: 1, loyal: 2 } }],
      'base of "new" must be at least 4',
      RangeError,
    ],
    ["a base for two columns", [mood, ["Segment", "Topic"], { base: {} }], "base needs columns of one name"],
    ["a base and another share", [mood, "Segment", { base: {}, share: "row" }], "leave share out"],
    ["no number", [mood, "Segment", { base: { new: "12" } }], 'base of "new" must be a number'],
    [
      "an infinite base",
      [mood, "Segment", { base: { new: Number.POSITIVE_INFINITY, loyal: 9 } }],
      'base of "new" must be a number',
    ],
    ["an order without a column", ["Topic", "Segment", { order: {} }], "column of order must be the key"],
    [
      "a base without the column of people",
      withBase([{ Id: 1, Segment: "new" }]),
      'no column "Person": it has Id, Segment',
    ],
    [
      "a base with texts where findings have numbers",
      withBase(asked.map((one) => ({ ...one, Person: `0${one.Person}` }))),
      'base has the string "01" where the findings have the number 1 in Person',
    ],
    ["a person whom base lacks", withBase(asked.slice(1)), "base lacks Person 1"],
    [
      "a person in another column",
      withBase(asked.map((one) => ({ ...one, Segment: "new" }))),
      "base does not have Person 3 in loyal",
    ],
    [
      "a person in two columns that only base has",
      ["Topic", "Region", { ...people, base: [...asked, ...asked].map((one, Region) => ({ ...one, Region })) }],
      "base has Person 1 in two of its values",
    ],
    ["a base of people without people", ["Topic", "Segment", { base: asked }], "needs distinct"],
    ["a weight without people", ["Topic", "Segment", { weight: "Weight" }], "weight needs distinct"],
    [
      "a weight of people with two names",
      ["Topic", "Segment", { distinct: ["Person", "Topic"], weight: "W" }],
      "weight needs distinct",
    ],
    [
      "a Map of weights that lacks a person",
      ["Topic", "Segment", { ...people, weight: new Map([[1, 1]]) }],
      "Person 2 has none",
    ],
    [
      "a weight whose square is infinite",
      ["Topic", "Segment", { ...people, weight: new Map([[1, 1e101]]) }],
      "Person 1 has 1e+101",
    ],
    [
      "a weight whose square is 0",
      ["Topic", "Segment", { ...people, weight: new Map([[1, 1e-101]]) }],
      "Person 1 has 1e-101",
    ],
    ["an infinite weight", ["Topic", "Segment", { ...people, weight: new Map([[1, 1 / 0]]) }], "Person 1 has Infinity"],
    ["a negative weight", weights(-1), "Person 3 has -1"],
    ["a weight of null", weights(null), "Person 3 has null"],
    ["a weight of text", weights("1"), "Person 3 has a string"],
    ["two weights of a person", [mood, "Segment", { ...people, weight: "Sentiment" }], "Person 1 has"],
    [
      "a net whose member is written otherwise",
      ["Topic", "Segment", { nets: { n: ["price"] } }],
      'did you mean "Price"?',
      RangeError,
    ],
    ["an order in another case", ["Topic", "Segment", { order: ["PRICE"] }], 'did you mean "Price"?', RangeError],
    [
      "an order of columns with spaces",
      [mood, "Segment", { columnOrder: ["new "] }],
      'did you mean "new"?',
      RangeError,
    ],
    ["a text that is a number", [mood, "Person", { order: { column: "1" } }], "did you mean 1?", RangeError],
    ["a value that is no list", [["Topic", "Segment"], mood, { order: ["a"] }], "must be a list of 2 values"],
    ["a net with the name of a value", ["Topic", "Segment", { nets: { Price: ["Delivery"] } }], "another name"],
    [
      "a net with the name of the rest",
      ["Topic", "Segment", { nets: { Other: ["Price"] }, top: 1, rest: "Other" }],
      "another name",
    ],
    ["a name of null that is a value", ["Topic", "Segment", { none: "Price" }], "none must be a name"],
    ["a rest without top", ["Topic", "Segment", { rest: "Other" }], "rest needs top"],
    [
      "people in two columns",
      ["Segment", "Topic", { ...people, compare: letters() }],
      "1 people are in Price and in Delivery",
    ],
    ["a comparison of mentions", ["Topic", "Segment", { compare: letters() }], "compare needs distinct"],
    [
      "the options of letters",
      ["Topic", "Segment", { ...people, compare: { with: "each" } }],
      'pass letters({ with: "each" }) of "inspection-findings/survey/compare"',
    ],
    ["no name", [[], "Topic"], "rows must have at least one name"],
    ["no condition", ["Topic", {}], "columns must have at least one condition"],
    ["an unknown option", ["Topic", mood, { distnct: "Person" }], "the options are distinct"],
  ])("refuses %s", async ([, [rows, columns, options], says, error = TypeError]) => {
    const table = await tableOf(findings);
    const base = Array.isArray(options?.base) ? await tableOf(options.base) : undefined;
    const call = () => (crosstab as any)(table, rows, columns, base ? { ...options, base } : options);
    expect(call).toThrow(error);
    expect(call).toThrow(says);
  });
});

test.for([
  [{ level: 95 }, "level must be a number between 0 and 1"],
  [{ with: "all" }, 'with must be "each" or'],
  [{ correction: "sidak" }, "correction must be"],
  [{ overlap: true }, 'overlap must be "account"'],
  [{ leastBase: -1 }, "leastBase must be a number of at least 0"],
  [{ within: "rest" }, 'unknown option "within"'],
] as [object, string][])("letters refuses %j", ([options, says]) => {
  expect(() => letters(options)).toThrow(says);
});

describe("what is no table", () => {
  const calls: [string, (table: any) => unknown][] = [
    ["crosstab", (table) => crosstab(table, "Topic", "Segment")],
    ["meanOf", (table) => meanOf(table, "Sentiment", { per: "Person" })],
    ["respondentsOf", (table) => respondentsOf(table, { per: "Person", by: "Topic" })],
  ];
  test.for(calls)("is refused by %s with what to do", async ([, call]) => {
    const table = await tableOf(findings);
    expect(() => call(Promise.resolve(table))).toThrow("table must be a FindingsTable; got a promise: await it");
    expect(() => call({ table, state: "complete" })).toThrow("got an object: pass its table");
    expect(() => call([{ Person: 1 }])).toThrow("got an array: pass FindingsTable.from() of it");
    const live = Object.defineProperty({}, Symbol.toStringTag, { value: "LiveTable" });
    expect(() => call(live)).toThrow("got a LiveTable: pass the table of its snapshot");
    table.free();
    expect(() => call(table)).toThrow("has been freed");
  });
});

describe("meanOf", () => {
  test("takes people with several names, and has no key without groups", async () => {
    // The first person's mean is −1/3, the second's 2, the third's −1. The fourth has none.
    const all = { key: undefined, mean: expect.closeTo((-1 / 3 + 2 - 1) / 3), people: 3 };
    expect(meanOf(await tableOf(findings), "Sentiment", { per: ["Person", "Segment"] })).toMatchObject([all]);
  });

  test("has waves in their own order, and compares each with the one before", async () => {
    const waves = [2, 10, 10, 10, 9, 9, 9, 9, null].map((Wave, Person) => ({ Person, Wave, Score: Person }));
    const table = await tableOf(waves);
    const groups = meanOf(table, "Score", { per: "Person", by: "Wave", compare: letters({ with: "previous" }) });
    const listed = meanOf(table, "Score", { per: "Person", by: ["Wave"] });
    expect(listed.map(({ key }) => key)).toEqual([[2], [9], [10], [null]]);
    expect(groups.map(({ key, tests }) => [key, tests.map(({ other }) => other)])).toEqual([
      [2, []],
      [9, [10]],
      [10, []],
      [null, []],
    ]);
  });

  test.for([
    [undefined, "{ per: "],
    [{}, "per must be the name"],
    [{ per: "Person", by: mood }, "by must be the name"],
    [{ per: "Person", as: "nps" }, "each score"],
    [{ per: "Person", compare: letters({ with: "rest" }) }, 'compare of means is with "each"'],
    [{ per: "Person", by: "Topic", compare: letters() }, "1 people are in"],
    [{ per: ["Person"], weight: "Sentiment" }, "a person has one weight; Person 1 has -2 and 0"],
  ] as [any, string][])("refuses %j", async ([options, says]) => {
    const table = await tableOf(findings.slice(0, 5));
    expect(() => meanOf(table, "Sentiment", options)).toThrow(says);
  });

  test("refuses texts", async () => {
    const table = await tableOf(findings);
    expect(() => meanOf(table, "Topic" as never, { per: "Person" })).toThrow('has a string, such as "Price"');
  });
});

describe("difference", () => {
  /** A wave of some people, with the number of them who speak of each topic. */
  async function wave(counts: Record<string, number>, size = 100) {
    const said = Object.entries({ ...counts, Nothing: size }).flatMap(([Topic, count]) =>
      Array.from({ length: count }, (_, Person) => ({ Person, Topic })),
    );
    return crosstab(await tableOf(said), "Topic", { all: {} }, people);
  }

  test("has what grew most first, and a test of two proportions", async () => {
    const after = await wave({ Price: 20, Delivery: 30, App: 5 });
    const changes = difference(await wave({ Price: 40, Delivery: 10 }), after);
    expect(changes.map(({ row, change }) => [row, change])).toEqual([
      ["Delivery", expect.closeTo(0.2)],
      ["Nothing", 0],
      ["Price", expect.closeTo(-0.2)],
      // Of 0 and 5 people in 100, p is no more than a hint.
      ["App", expect.closeTo(0.05)],
    ]);
    const [delivery, nothing, , app] = changes;
    // Of R: prop.test(c(10, 30), c(100, 100), correct = FALSE).
    expect(delivery).toMatchObject({ z: expect.closeTo(3.5355, 4), p: expect.closeTo(0.00040695, 7), isSmall: false });
    expect(app).toMatchObject({
      before: { count: 0, base: 100, share: 0 },
      p: expect.closeTo(0.0235, 4),
      isSmall: true,
    });
    expect(nothing).toMatchObject({ z: null, p: null });
  });

  test("marks changes with a small base", async () => {
    const waves = [await wave({ Price: 1 }, 20), await wave({ Price: 15 }, 20)] as const;
    expect(difference(...waves).map(({ isSmall }) => isSmall)).toEqual([true, true]);
    expect(difference(...waves, { leastBase: 20 }).map(({ isSmall }) => isSmall)).toEqual([false, false]);
  });

  test("of a wave from JSON and itself is 0, with a p of at most 1, also where a key of several names lacks a value", async () => {
    const table = await tableOf(findings);
    const same = crosstab(table, ["Segment", "Topic"], ["Topic", "Sentiment"], people);
    const changes = difference(JSON.parse(JSON.stringify(same)), same);
    expect(new Set(changes.map(({ change }) => change))).toEqual(new Set([0]));
    expect(changes.every(({ p }) => p === null || p === 1)).toBe(true);
  });

  test("has no z and no p where findings are counted", async () => {
    const table = await tableOf(findings);
    const one = crosstab(table, "Topic", { all: {} });
    expect(difference(one, one)).toMatchObject([{ change: 0, z: null, p: null }, { z: null }]);
  });

  test("has what only one wave has, and refuses what does not show all rows or shows others, also of JSON", async () => {
    const [table, later] = [
      await tableOf(findings),
      await tableOf([...findings, { Person: 9, Segment: "new", Topic: "App" }]),
    ];
    const of = (table: any, options: object, rows: any = "Topic", columns: any = "Segment") =>
      JSON.parse(JSON.stringify(crosstab(table, rows, columns, { ...people, ...options })));
    const [first] = difference(await wave({ Price: 60 }), await wave({ Price: 60, App: 70 }));
    expect(first).toMatchObject({ row: "App", before: { count: 0, base: 100, share: 0 }, after: { count: 70 } });
    const whole = of(later, {});
    const others: [others: object, says: string][] = [
      [of(later, { top: 1 }), "after leaves 2 rows out"],
      [of(later, { top: 1, rest: "Other" }), "leave top out of crosstab"],
      [of(later, { nets: { n: ["Price"] } }), "the same nets; got none and n of Price"],
      [of(later, { none: "No topic" }), "the same none"],
      [of(later, {}, "Segment"), "the same rows; got Topic and Segment"],
      [of(later, {}, mood), "the same rows; got Topic and conditions negative, other"],
      [of(later, {}, "Topic", { all: {} }), "the same columns"],
    ];
    for (const [other, says] of others) expect(() => difference(whole, other as never)).toThrow(says);
    expect(difference(of(table, { top: 3 }), whole)).not.toHaveLength(0);
  });

  test("refuses results that count, divide or weigh otherwise, or have bases of another kind", async () => {
    const [table, base] = [await tableOf(findings), await tableOf(asked)];
    const one = crosstab(table, "Topic", mood);
    const [other, rows, given] = [people, { share: "row" } as const, { base: { negative: 9, other: 9 } }].map(
      (options) => crosstab(table, "Topic", mood, options),
    );
    expect(() => difference(one, other as never)).toThrow('the same counts; got "findings" and "Person"');
    expect(() => difference(one, rows as never)).toThrow('the same share; got "column" and "row"');
    expect(() => difference(one, given as never)).toThrow('the same bases; got "findings" and "given"');
    const options = { ...people, base };
    const weighted = crosstab(table, "Topic", "Segment", { ...options, weight: "Weight" });
    expect(() => difference(crosstab(table, "Topic", "Segment", options), weighted)).toThrow("the same isWeighted");
    expect(() => difference(table as never, one)).toThrow(
      "before must be a result of crosstab; got a FindingsTable: pass crosstab(",
    );
  });
});
