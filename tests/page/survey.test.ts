/** Cross tabulations, means of people, and differences of waves: orders, nets, and what they refuse. What they compute is in tests/unit/border. */

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
    expect(keysOf(result.rows)).toEqual(["Price", "Delivery"]);
    expect(keysOf(result.columns)).toEqual(["new", "loyal", null]);
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

  test.for<[what: string, options: object, keys: unknown[]]>([
    ["nets", { nets: { n: ["Price", "Room"] } }, ["Room"]],
    ["order", { order: ["Room", null] }, ["Room", null]],
    ["columnOrder", { columnOrder: ["Gone", "NEW", "new", 1, "1"] }, ["Gone", "NEW", 1, "1"]],
    ["the column of order", { order: { column: "Gone" } }, ["Gone"]],
  ])("has a line of nobody for a value of %s that no finding has", async ([, options, keys]) => {
    for (const some of [findings, []]) {
      const columns = { all: {}, Segment: "Segment" } as const;
      const result = crosstab(await tableOf(some), "Topic", columns, { ...people, ...options, none: undefined });
      const lines: { key: unknown; total: number }[] = [...result.rows, ...result.columns];
      expect(keys.map((key) => lines.find((line) => line.key === key)?.total)).toEqual(keys.map(() => 0));
      // Beside the values of another column, it could be in either, and is in none.
      const banner = { ...columns, Person: "Person" } as const;
      const beside = crosstab(await tableOf(some), "Topic", banner, { ...people, ...options, none: undefined });
      expect(keysOf(beside.rows)).toEqual(keysOf(result.rows));
      expect(beside.columns.filter(({ key }) => key === "Gone")).toEqual([]);
    }
  });

  test("gives a hidden cell no letter and no test, and marks those of few people", async () => {
    const segments = ["new", "new", "new", "old", "old", "old", "gone", "gone"];
    const few = segments.map((Segment, Person) => ({ Person, Segment, Topic: Person < 3 ? "a" : "b" }));
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
    expect(keysOf(result.rows)).toEqual(["Delivery", "Price"]);
    expect(keysOf(result.columns)).toEqual(["loyal", "new", null]);
    const listed = crosstab(await tableOf(findings), mood, mood, { order: ["other"], columnOrder: ["other"] });
    expect(keysOf(listed.rows)).toEqual(["other", "negative"]);
    expect(keysOf(listed.columns)).toEqual(["other", "negative"]);
    const reversed = await tableOf([...findings].reverse());
    const given = crosstab(reversed, ["Topic", "Segment"], { all: {} }, { order: "given" });
    expect(keysOf(given.rows).join("; ")).toBe("Price,; Delivery,loyal; Price,new; Delivery,new");
  });

  test("puts columns side by side, with letters of their own", async () => {
    const { columns } = crosstab(
      await tableOf(findings),
      "Topic",
      { all: {}, S: "Segment", T: "Topic" },
      { ...people, compare: letters({ overlap: "account" }) },
    );
    const texts = columns.map(({ of, key, letter }) => `${of} ${key} ${letter}`);
    const ofTopics = ["T Price A", "T Delivery B"];
    expect(texts).toEqual(["undefined all null", "S new A", "S loyal B", "S null null", ...ofTopics]);
  });

  test("divides by bases from another source, and hides shares whose base is small or unknown", async () => {
    const bases = { loyal: 200, new: 20, gone: 50 };
    for (const base of [bases, new Map<unknown, number>(Object.entries(bases))]) {
      const options = { ...people, leastBase: 30, base };
      const { cells, columns } = crosstab(await tableOf(findings), { all: {} }, "Segment", options);
      const told = cells.map(({ count, base, share, isSmall }, place) => {
        return `${columns[place]?.key}: ${columns[place]?.total} ${count} ${base} ${share} ${isSmall}`;
      });
      const known = ["new: 2 2 20 null true", "loyal: 1 1 200 0.005 false", "gone: 0 0 50 0 false"];
      expect(told).toEqual([...known, "null: 1 1 null null true"]);
    }
    const none = new Map<unknown, number>(["new", "loyal", null].map((key) => [key, 2]));
    const lastShare = async (columns: string, base: object) =>
      (crosstab as any)(await tableOf(findings), { all: {} }, columns, { ...people, base }).cells.at(-1).share;
    expect(await lastShare("Person", { 1: 4, 2: 4, 3: 4, 4: 8 })).toBe(1 / 8);
    expect(await lastShare("Segment", none)).toBe(0.5);
  });

  test("of a table without findings has no cells of values, and empty ones of conditions", async () => {
    const table = await tableOf([]);
    expect(crosstab(table, "Topic", "Segment")).toMatchObject({ rows: [], cells: [], total: 0 });
    expect(crosstab(table, mood, mood, people).cells.map(({ share }) => share)).toEqual([null, null, null, null]);
  });

  test("reads each condition once", async () => {
    let reads = 0;
    const get = () => ({ max: -1 - 9 * reads++ });
    const where: { Sentiment?: { max: number } } = Object.defineProperty({}, "Sentiment", { enumerable: true, get });
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
    const rest = crosstab(table, { all: {} }, "Text", { ...people, compare: letters({ with: "rest" }) });
    expect(rest.tests).toHaveLength(count);
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

  const by = (options: object) => ["Topic", "Segment", options];
  const of = (options: object) => by({ ...people, ...options });
  const withWeight = (Weight: unknown) =>
    of({ base: asked.map((one) => ({ ...one, ...(one.Person === 3 && { Weight }) })), weight: "Weight" });
  const weighted = (Weight: number) => of({ weight: new Map([[1, Weight]]) });
  test.for<[says: string, parameters: any[], error?: ErrorConstructor]>([
    ["there is no column", ["Topik", "Segment"], RangeError],
    ["there is no column", ["Topic", mood, { distinct: "Persn" }], RangeError],
    ["there is no column", [{ a: { Topik: "x" } }, "Topic"], RangeError],
    ['"a" of rows must be an object of conditions', [{ a: 5 }, "Topic"]],
    ["each condition needs a name", [{ Sentiment: { max: -1 } }, "Topic"]],
    ["columns is missing", ["Topic", { distinct: "Person" }]],
    ['none for "loyal" (did you mean "Loyal"?)', by({ base: { new: 4, Loyal: 2 } }), RangeError],
    ['base of "new" must be at least 4', by({ base: { new: 1, loyal: 2 } }), RangeError],
    ["base needs columns of one name", [mood, ["Segment", "Topic"], { base: {} }]],
    ["leave share out", by({ base: {}, share: "row" })],
    ['base of "new" must be a number', by({ base: { new: "12" } })],
    ['base of "new" must be a number', by({ base: { new: 1e101, loyal: 9 } })],
    ["column of order must be the key", by({ order: {} })],
    ['no column "Person": it has Id, Segment', of({ base: [{ Id: 1, Segment: "new" }] })],
    [
      'base has the string "01" where the findings have the number 1 in Person',
      of({ base: asked.map((one) => ({ ...one, Person: `0${one.Person}` })) }),
    ],
    [
      'base has the string "New" where the findings have the string "new" in Segment: make them the same text',
      ["Topic", { all: {} }, { distinct: "Segment", base: [{ Segment: "New" }] }],
    ],
    ["base lacks Person 1", of({ base: asked.slice(1) })],
    ['only base has the column "Weight"', ["Topic", { a: { Weight: 1 } }, { ...people, base: asked }]],
    ['only the findings have the column "Sentiment"', ["Topic", mood, { ...people, base: asked }]],
    ["base does not have Person 3 in loyal", of({ base: asked.map((one) => ({ ...one, Segment: "new" })) })],
    [
      "base has Person 1 in two of its values",
      ["Topic", "Region", { ...people, base: [...asked, ...asked].map((one, Region) => ({ ...one, Region })) }],
    ],
    ["needs distinct", by({ base: asked })],
    ["weight needs distinct", by({ weight: "Weight" })],
    ["weight needs distinct", by({ distinct: ["Person", "Topic"], weight: "W" })],
    ["Person 2 has none", weighted(1)],
    ["Person 1 has 1e+101", weighted(1e101)],
    ["Person 1 has 1e-101", weighted(1e-101)],
    ["Person 1 has Infinity", weighted(1 / 0)],
    ["Person 3 has -1", withWeight(-1)],
    ["Person 3 has null", withWeight(null)],
    ["Person 3 has a string", withWeight("1")],
    ["a person has one weight; Person 1 has", of({ weight: "Sentiment" })],
    ['nets has "price", and no finding has it: did you mean "Price"?', by({ nets: { n: ["price"] } }), RangeError],
    ['order has "PRICE"', by({ order: ["PRICE"] }), RangeError],
    ['columnOrder has "new "', by({ columnOrder: ["new "] }), RangeError],
    ["did you mean 1?", [mood, "Person", { order: { column: "1" } }], RangeError],
    [
      'order has "godo", which is none of the conditions: "negative", "',
      [mood, "Person", { order: ["godo"] }],
      RangeError,
    ],
    ["each value of order must be a list of 2 values", [["Topic", "Segment"], mood, { order: ["a"] }]],
    ["give the net or the rest another name", by({ nets: { Price: ["Delivery"] } })],
    ["give the net or the rest another name", by({ nets: { Other: ["Price"] }, top: 1, rest: "Other" })],
    ["none must be a name", by({ none: "Price" })],
    ["rest needs top", by({ rest: "Other" })],
    ["1 people are in Price and in Delivery", ["Segment", "Topic", { ...people, compare: letters() }]],
    ["compare needs distinct", by({ compare: letters() })],
    ['pass letters({ with: "each" }) of "inspection-findings/survey/compare"', of({ compare: { with: "each" } })],
    ["rows must have at least one name", [[], "Topic"]],
    ["columns must have at least one condition", ["Topic", {}]],
    ["the options are distinct", ["Topic", mood, { distnct: "Person" }]],
  ])("refuses what it cannot answer: %s", async ([says, [rows, columns, options], error = TypeError]) => {
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
    const texts = groups.map(({ key, tests }) => `${key}: ${tests.map(({ other }) => other)}`);
    expect(texts).toEqual(["2: ", "9: 10", "10: ", "null: "]);
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
    // Of 0 and 5 people in 100, p is no more than a hint.
    const texts = changes.map(({ row, change }) => `${row} ${change?.toFixed(2)}`);
    expect(texts).toEqual(["Delivery 0.20", "Nothing 0.00", "Price -0.20", "App 0.05"]);
    const [delivery, nothing, , app] = changes;
    // Of R: prop.test(c(10, 30), c(100, 100), correct = FALSE).
    expect(delivery).toMatchObject({ z: expect.closeTo(3.5355, 4), p: expect.closeTo(0.00040695, 7), isSmall: false });
    expect(app).toMatchObject({ before: { count: 0, base: 100 }, p: expect.closeTo(0.0235, 4), isSmall: true });
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

  // P43
  test("has what only one wave has, and refuses what does not show all rows or shows others, also of JSON", async () => {
    const [first] = difference(await wave({ Price: 60 }), await wave({ Price: 60, App: 70 }));
    expect(first).toMatchObject({ row: "App", before: { count: 0, base: 100, share: 0 }, after: { count: 70 } });
    const table: any = await tableOf(findings);
    const of = (options: object, rows: any = "Topic", columns: any = "Segment") =>
      JSON.parse(JSON.stringify(crosstab(table, rows, columns, { ...people, ...options })));
    const weight = new Map(asked.map(({ Person }) => [Person, 1]));
    const others: [other: object, says: string][] = [
      [table, "after must be a result of crosstab; got a FindingsTable: pass crosstab(table, "],
      [of({ top: 1 }), "after leaves 1 rows out"],
      [of({ top: 1, rest: "Other" }), "leave top out of crosstab"],
      [of({ nets: { n: ["Price"] } }), "the same nets; got none and n of Price"],
      [of({ none: "No topic" }), "the same none"],
      [of({}, "Segment"), "the same rows; got Topic and Segment"],
      [of({}, mood), 'the same rows; got Topic and {"negative":[{"Sentiment":{"max":-1}}],"other":[{'],
      [of({}, "Topic", { all: {} }), "the same columns"],
      [of({ distinct: undefined }), 'the same counts; got "Person" and "findings"'],
      [of({ share: "row" }), 'the same share; got "column" and "row"'],
      [of({ base: { new: 9, loyal: 9 } }), 'the same bases; got "findings" and "given"'],
      [of({ weight }), "the same isWeighted; got false and true"],
    ];
    for (const [other, says] of others) expect(() => difference(of({}), other as never)).toThrow(says);
    expect(difference(of({ top: 2 }), of({}))).not.toHaveLength(0);
    const asking = (...conditions: object[]) => of({}, { all: {}, a: conditions });
    const one = asking({ Topic: ["Price", null], Sentiment: { missing: true } });
    expect(difference(one, asking({ Sentiment: { missing: true }, Topic: [null, "Price"] }))).not.toHaveLength(0);
    const other = asking({ Sentiment: { max: 1 } }, { Topic: "Price" });
    expect(
      difference(asking({ Topic: ["Price", "Price"] }, { Sentiment: { min: -Infinity, max: 1 } }), other),
    ).toBeDefined();
    for (const other of [{ Topic: ["Price", null], Sentiment: null }, { Topic: "Price" }, { Topic: { not: "Price" } }])
      expect(() => difference(one, asking(other))).toThrow("the same rows");
  });
});
