/** Cross tabulations, means of people, and differences of waves: what they return, and what they refuse. The property of all snapshots is in tests/border. */

import { type CrosstabResult, crosstab, difference, meanOf } from "inspection-findings/survey";
import { describe, expect, test } from "vitest";
import { freeAfterTest } from "./clients.js";
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

const mood = { negative: { Sentiment: { max: -1 } }, other: { Sentiment: { min: 0 } } };
const people = { distinct: "Person" } as const;

describe("crosstab", () => {
  type Finding = (typeof findings)[0];
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
    const has = (keys: unknown[], key: unknown) => keys.some((one) => JSON.stringify([one]) === JSON.stringify([key]));
    for (const options of [{}, people]) {
      const count = (some: Finding[]) =>
        "distinct" in options ? new Set(some.map(({ Person }) => Person)).size : some.length;
      const inRow = (key: unknown) => findings.filter((finding) => has(rowsOf(finding), key));
      const inColumn = (key: unknown) => findings.filter((finding) => has(columnsOf(finding), key));
      for (const share of ["row", "column", "total"] as const) {
        const result = crosstab(table, rowAxis, columnAxis, { ...options, share });
        expect(result.total).toBe(count(findings));
        for (const { key, total } of result.rows) expect(total).toBe(count(inRow(key)));
        for (const { key, total } of result.columns) expect(total).toBe(count(inColumn(key)));
        expect(result.cells).toHaveLength(result.rows.length * result.columns.length);
        for (const { row, column, ...cell } of result.cells) {
          const inCell = count(inRow(row).filter((finding) => has(columnsOf(finding), column)));
          const base = count({ row: inRow(row), column: inColumn(column), total: findings }[share]);
          expect(cell).toEqual({ count: inCell, base, share: inCell / base, isSmall: false });
        }
      }
    }
  });

  test("has the largest total first, and says what it counts and what it divides by", async () => {
    const table = await tableOf(findings);
    const { rows, columns, counts, share } = crosstab(table, "Topic", "Segment", { distinct: ["Segment", "Person"] });
    expect([rows, columns].map((headings) => headings.map(({ key }) => key))).toEqual([
      ["Price", "Delivery"],
      ["new", "loyal", undefined],
    ]);
    expect([counts, share]).toEqual(["Segment,Person", "column"]);
  });

  test("divides by bases from another source, and marks those that are small or unknown", async () => {
    const bases = { loyal: 200, new: 20, gone: 50 };
    const options = { ...people, leastBase: 30 };
    for (const base of [bases, new Map(Object.entries(bases))]) {
      const { cells, columns } = crosstab(await tableOf(findings), { all: {} }, "Segment", { ...options, base });
      expect(columns.map(({ key, total }) => [key, total])).toEqual([
        ["new", 2],
        ["loyal", 1],
        [undefined, 1],
        ["gone", 0],
      ]);
      expect(cells.map(({ count, base, share, isSmall }) => [count, base, share, isSmall])).toEqual([
        [2, 20, 0.1, true],
        [1, 200, 0.005, false],
        [1, null, null, true],
        [0, 50, 0, false],
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
    const { filter } = table;
    const views: { freed: boolean }[] = [];
    table.filter = (where: any) => {
      const view = filter.call(table, where);
      views.push(view);
      return view as any;
    };
    crosstab(table, mood, mood);
    expect(() => crosstab(table, { ...mood, wrong: { Sentimant: 1 } }, "Topic")).toThrow(RangeError);
    expect(views.map(({ freed }) => freed)).toEqual(views.map(() => true));
    expect(table.length).toBe(findings.length);
  });

  test.for<[string, (table: any) => unknown, typeof TypeError | typeof RangeError, string]>([
    ["an unknown column", (table) => crosstab(table, "Topik", "Segment"), RangeError, "Topic"],
    [
      "an unknown distinct column",
      (table) => crosstab(table, "Topic", mood, { distinct: "Persn" }),
      RangeError,
      "Person",
    ],
    [
      "a condition on an unknown column",
      (table) => crosstab(table, { a: { Topik: "x" } }, "Topic"),
      RangeError,
      "Topic",
    ],
    [
      "a base without a value of the columns",
      (table) => crosstab(table, mood, "Segment", { base: { new: 1, Loyal: 2 } }),
      RangeError,
      'did you mean "Loyal"?',
    ],
    [
      "a base for several columns",
      (table) => crosstab(table, mood, ["Segment", "Topic"], { base: {} }),
      TypeError,
      "base needs columns of one name",
    ],
    [
      "a base and another share",
      (table) => crosstab(table, mood, "Segment", { base: {}, share: "row" }),
      TypeError,
      "leave share out",
    ],
    [
      "a base that is no number",
      (table) => crosstab(table, mood, "Segment", { base: { new: "12" } as any }),
      TypeError,
      'base of "new" must be a number',
    ],
    ["no name", (table) => crosstab(table, [], "Topic"), TypeError, "rows must have at least one name"],
    ["no condition", (table) => crosstab(table, "Topic", {}), TypeError, "columns must have at least one condition"],
    [
      "an unknown option",
      (table) => crosstab(table, "Topic", mood, { distnct: "Person" } as any),
      TypeError,
      "the options are distinct",
    ],
    ["a mean without people", (table) => meanOf(table, "Sentiment", {} as any), TypeError, "per must be the name"],
    [
      "a mean by conditions",
      (table) => meanOf(table, "Sentiment", { per: "Person", by: mood as any }),
      TypeError,
      "by must be the name",
    ],
  ])("refuses %s", async ([, call, error, says]) => {
    const table = await tableOf(findings);
    expect(() => call(table)).toThrow(error);
    expect(() => call(table)).toThrow(says);
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
    expect(table.summarize([], "Sentiment")[0]?.mean).toBe(0);
  });
});

describe("difference", () => {
  /** A wave of a hundred people, with the number of them who speak of each topic. */
  async function wave(counts: Record<string, number>, size = 100): Promise<CrosstabResult<any, any>> {
    const said = Object.entries(counts).flatMap(([topic, count]) =>
      Array.from({ length: count }, (_, person) => ({ Person: person, Topic: topic })),
    );
    const silent = Array.from({ length: size }, (_, person) => ({ Person: person, Topic: "Nothing" }));
    return crosstab(freeAfterTest(await tableOf([...said, ...silent])), "Topic", { all: {} }, people);
  }

  test("has what grew most first, and a test of two proportions", async () => {
    const changes = difference(
      await wave({ Price: 40, Delivery: 10 }),
      await wave({ Price: 20, Delivery: 30, App: 5 }),
    );
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

  test("puts changes with a small base last, and marks them", async () => {
    const [first, ...others] = difference(await wave({ Price: 1 }, 20), await wave({ Price: 15 }, 20));
    expect([first, ...others].every((change) => change?.isSmall)).toBe(true);
    expect(difference(await wave({}, 20), await wave({}, 20), { leastBase: 20 })[0]?.isSmall).toBe(false);
  });

  test("refuses results that count or divide by something else", async () => {
    const table = await tableOf(findings);
    const [one, other] = [crosstab(table, "Topic", mood), crosstab(table, "Topic", mood, people)];
    expect(() => difference(one, other)).toThrow('the same counts; got "findings" and "Person"');
    const rows = crosstab(table, "Topic", mood, { share: "row" });
    expect(() => difference(one, rows)).toThrow('the same share; got "column" and "row"');
    expect(() => difference(table as any, one)).toThrow(TypeError);
  });
});
