/** Cross tabulations, means of people, and differences of waves: what they return, and what they refuse. The property of all snapshots is in tests/border. */

import { crosstab, difference, meanOf } from "inspection-findings/survey";
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
type Finding = (typeof findings)[0];

const mood = { negative: { Sentiment: { max: -1 } }, other: { Sentiment: { min: 0 } } };
const people = { distinct: "Person" } as const;

describe("crosstab", () => {
  /** What rows and columns may be, with the keys under which they count a finding. */
  const axes: Record<string, [axis: any, keysOf: (finding: Finding) => unknown[]]> = {
    "a column": ["Segment", ({ Segment }) => [Segment]],
    "two columns": [["Topic", "Sentiment"], ({ Topic, Sentiment }) => [[Topic, Sentiment]]],
    conditions: [
      { all: {}, price: [{ Topic: "Price" }, { Person: 3 }] },
      ({ Topic, Person }) => ["all", ...(Topic === "Price" || Person === 3 ? ["price"] : [])],
    ],
    "conditions on the same column": [
      { price: { Topic: "Price" }, other: { Topic: { not: "Price" } } },
      ({ Topic }) => [Topic === "Price" ? "price" : "other"],
    ],
  };
  const pairs = Object.keys(axes).flatMap((rows) => Object.keys(axes).map((columns) => [rows, columns] as const));

  test.for(pairs)("counts people and findings by %s and %s, and divides by each total", async ([rows, columns]) => {
    const table = await tableOf(findings);
    const [[rowAxis, rowsOf], [columnAxis, columnsOf]] = [axes[rows], axes[columns]] as [any, any];
    /** The findings that one of the keys counts. */
    const under = (key: unknown, keysOf: any, some = findings) =>
      some.filter((finding) => keysOf(finding).some((one: unknown) => JSON.stringify([one]) === JSON.stringify([key])));
    for (const options of [{}, people]) {
      const count = (some: Finding[]) =>
        options === people ? new Set(some.map(({ Person }) => Person)).size : some.length;
      for (const share of ["row", "column", "total"] as const) {
        const result = crosstab(table, rowAxis, columnAxis, { ...options, share });
        expect(result.total).toBe(count(findings));
        for (const { key, total } of result.rows) expect(total).toBe(count(under(key, rowsOf)));
        for (const { key, total } of result.columns) expect(total).toBe(count(under(key, columnsOf)));
        expect(result.cells).toHaveLength(result.rows.length * result.columns.length);
        for (const { row, column, ...cell } of result.cells) {
          const [inRow, inColumn] = [under(row, rowsOf), under(column, columnsOf)];
          const inCell = count(under(column, columnsOf, inRow));
          const base = count({ row: inRow, column: inColumn, total: findings }[share]);
          expect(cell).toEqual({ count: inCell, base, share: inCell / base, isSmall: false });
        }
      }
    }
  });

  test("has the largest total first, and says what it counts and what it divides by", async () => {
    const table = await tableOf(findings);
    const { rows, columns, counts, share } = crosstab(table, "Topic", "Segment", { distinct: ["Segment", "Person"] });
    expect(rows.map(({ key }) => key)).toEqual(["Price", "Delivery"]);
    expect(columns.map(({ key }) => key)).toEqual(["new", "loyal", undefined]);
    expect([counts, share]).toEqual(["Segment,Person", "column"]);
  });

  test("divides by bases from another source, and marks those that are small or unknown", async () => {
    const bases = { loyal: 200, new: 20, gone: 50 };
    for (const base of [bases, new Map(Object.entries(bases))]) {
      const options = { ...people, leastBase: 30, base };
      const { cells, columns } = crosstab(await tableOf(findings), { all: {} }, "Segment", options);
      const told = cells.map(({ count, base, share, isSmall }, place) => {
        return [columns[place]?.key, columns[place]?.total, count, base, share, isSmall];
      });
      expect(told).toEqual([
        ["new", 2, 2, 20, 0.1, true],
        ["loyal", 1, 1, 200, 0.005, false],
        [undefined, 1, 1, null, null, true],
        ["gone", 0, 0, 50, 0, false],
      ]);
    }
  });

  test("of a table without findings has no cells of values, and empty ones of conditions", async () => {
    const table = await tableOf([]);
    expect(crosstab(table, "Topic", "Segment")).toMatchObject({ rows: [], cells: [], total: 0 });
    expect(crosstab(table, mood, mood, people).cells.map(({ share }) => share)).toEqual([null, null, null, null]);
  });

  test("frees its views, and leaves the table to its caller", async () => {
    const table = await tableOf(findings);
    const filter = vi.spyOn(table, "filter");
    crosstab(table, mood, mood);
    expect(() => crosstab(table, { ...mood, wrong: { Sentimant: 1 } }, "Topic")).toThrow(RangeError);
    const views = filter.mock.results.filter(({ type }) => type === "return");
    expect(views.map(({ value }) => value.freed)).toEqual(Array(8).fill(true));
    expect(table.length).toBe(findings.length);
  });

  test.for<[string, any[], typeof TypeError | typeof RangeError, string]>([
    ["an unknown column", ["Topik", "Segment"], RangeError, "Topic"],
    ["an unknown distinct column", ["Topic", mood, { distinct: "Persn" }], RangeError, "Person"],
    ["a condition on an unknown column", [{ a: { Topik: "x" } }, "Topic"], RangeError, "Topic"],
    ["a base without a value", [mood, "Segment", { base: { new: 1, Loyal: 2 } }], RangeError, 'did you mean "Loyal"?'],
    ["a base for two columns", [mood, ["Segment", "Topic"], { base: {} }], TypeError, "base needs columns of one name"],
    ["a base and another share", [mood, "Segment", { base: {}, share: "row" }], TypeError, "leave share out"],
    ["no number", [mood, "Segment", { base: { new: "12" } }], TypeError, 'base of "new" must be a number'],
    ["no name", [[], "Topic"], TypeError, "rows must have at least one name"],
    ["no condition", ["Topic", {}], TypeError, "columns must have at least one condition"],
    ["an unknown option", ["Topic", mood, { distnct: "Person" }], TypeError, "the options are distinct"],
  ])("refuses %s", async ([, parameters, error, says]) => {
    const table = await tableOf(findings);
    const call = () => (crosstab as any)(table, ...parameters);
    expect(call).toThrow(error);
    expect(call).toThrow(says);
  });
});

describe("meanOf", () => {
  test("gives each person the same weight", async () => {
    const table = await tableOf(findings);
    // The first person's mean is −1/3, the second's 2, the third's −1. The fourth has none.
    expect(meanOf(table, "Sentiment", { per: "Person" })).toEqual([
      { key: undefined, mean: expect.closeTo((-1 / 3 + 2 - 1) / 3), people: 3 },
    ]);
    expect(meanOf(table, "Sentiment", { per: "Person", by: "Topic" })).toEqual([
      { key: "Price", mean: 0.5, people: 2 },
      { key: "Delivery", mean: 0, people: 2 },
    ]);
  });

  test.for([
    [{}, "per must be the name"],
    [{ per: "Person", by: mood }, "by must be the name"],
  ] as [any, string][])("refuses %j", async ([options, says]) => {
    const table = await tableOf(findings);
    expect(() => meanOf(table, "Sentiment", options)).toThrow(TypeError);
    expect(() => meanOf(table, "Sentiment", options)).toThrow(says);
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
      ["App", expect.closeTo(0.05)],
      ["Nothing", 0],
      ["Price", expect.closeTo(-0.2)],
    ]);
    const [delivery, app, nothing] = changes;
    // Of R: prop.test(c(10, 30), c(100, 100), correct = FALSE).
    expect(delivery).toMatchObject({ z: expect.closeTo(3.5355, 4), p: expect.closeTo(0.00040695, 7), isSmall: false });
    expect(app).toMatchObject({ before: { count: 0, base: 100, share: 0 }, p: expect.closeTo(0.0235, 4) });
    expect(nothing).toMatchObject({ z: null, p: null });
  });

  test("marks changes with a small base", async () => {
    const waves = [await wave({ Price: 1 }, 20), await wave({ Price: 15 }, 20)] as const;
    expect(difference(...waves).map(({ isSmall }) => isSmall)).toEqual([true, true]);
    expect(difference(...waves, { leastBase: 20 }).map(({ isSmall }) => isSmall)).toEqual([false, false]);
  });

  test("refuses results that count or divide by something else", async () => {
    const table = await tableOf(findings);
    const one = crosstab(table, "Topic", mood);
    const [other, rows] = [people, { share: "row" } as const].map((options) => crosstab(table, "Topic", mood, options));
    expect(() => difference(one, other as never)).toThrow('the same counts; got "findings" and "Person"');
    expect(() => difference(one, rows as never)).toThrow('the same share; got "column" and "row"');
    expect(() => difference(table as never, one)).toThrow(TypeError);
  });
});
