/**
 * Tables of a survey: those that R and Python have computed of the same answers, and random ones, computed by plain JavaScript over sets of people.
 */

import { readFileSync } from "node:fs";
import fc from "fast-check";
import { FindingsClient, FindingsTable } from "inspection-findings";
import { crosstab } from "inspection-findings/survey";
import { letters } from "inspection-findings/survey/compare";
import { meanOf } from "inspection-findings/survey/means";
import { respondentsOf } from "inspection-findings/survey/respondents";
import { describe, expect, test } from "vitest";
import { fetchOf } from "../browser/tables.js";
import { timesOf } from "../counts.js";
import { Random } from "../random.js";

const read = (name: string) =>
  JSON.parse(readFileSync(new URL(`../survey-tables/${name}.json`, import.meta.url), "utf8"));
const rowsOf = (names: string[], rows: unknown[][]): any[] =>
  rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));

/** Equal to four significant digits. */
const near = (value: number | null) =>
  value === null ? null : expect.closeTo(value, value === 0 ? 9 : 3 - Math.floor(Math.log10(Math.abs(value))));

describe("the tables of R and Python", async () => {
  const answers = read("answers");
  const findings = rowsOf(answers.names, answers.findings);
  for (const at of answers.withoutSentiment) delete findings[at].Sentiment;
  const whole = await tablesOf(findings, rowsOf(answers.peopleNames, answers.people));

  /** The findings, with what is known of the people, and a row of each interview. */
  async function tablesOf(findings: any[], people: any[]) {
    let table: FindingsTable<any> = await FindingsTable.from(findings);
    for (const name of ["Segment", "Region", "Weight"]) {
      const values = new Map(people.flatMap((person) => (person[name] == null ? [] : [[person.Key, person[name]]])));
      if (values.size > 0) table = table.with(name, { by: "RespondentKey", values });
    }
    const interviews = people.flatMap(({ Key, Waves = "", ...person }) =>
      Waves.split(" ").map((Wave: string) => ({ RespondentKey: Key, ...person, Wave })),
    );
    return { table, interviews: await FindingsTable.from<any>(interviews) };
  }

  for (const { name, spec, expected } of read("tables").tables) {
    const overlaps = ["independent", "account"] as const;
    const parts = ["table", "guarded", "topics"].filter((part) => part in expected);
    const cases = parts.flatMap((part) =>
      overlaps.flatMap((overlap) =>
        (["none", "holm", "bonferroni", "fdr"] as const).map((how) => [part, overlap, how] as const),
      ),
    );
    test.for(cases)(`${name}, %s, %s, %s`, async ([part, overlap, correction]) => {
      const { table, interviews } = spec.data ? await tablesOf(spec.data.findings, spec.data.people) : whole;
      const tested = expected[part];
      const isGuarded = part === "guarded";
      const result = crosstab(table, part === "topics" ? "TopicGroup" : spec.rows, spec.columns, {
        distinct: "RespondentKey",
        weight: spec.weight,
        base: spec.base === "people" ? (interviews as any) : undefined,
        leastBase: isGuarded ? spec.leastShow : 0,
        compare: letters({ overlap, correction, leastBase: isGuarded ? spec.leastTest : 0 }),
      });
      const { people, weighted, effective } = tested.total;
      expect(result).toMatchObject({ total: people, weighted: near(weighted), effective: near(effective) });
      const places = tested.columns.map(([key]: any) => result.columns.findIndex((column) => column.key === key));
      tested.columns.forEach(([, , , base, total, weighted, effective]: any, at: number) => {
        // Nobody is in a column that the values lack.
        if (places[at] === -1) expect([base, total]).toEqual([0, 0]);
        else
          expect(result.columns[places[at]]).toMatchObject({
            base,
            total,
            weighted: near(weighted),
            effective: near(effective),
          });
      });
      const rowAt = (key: unknown) => result.rows.findIndex((row) => row.key === key);
      for (const [key, total, weighted] of tested.rows) {
        if (rowAt(key) === -1) expect(total).toBe(0);
        else expect(result.rows[rowAt(key)]).toMatchObject({ total, weighted: near(weighted) });
      }
      const letterOf = new Map(
        tested.columns.map(([, , letter]: any, at: number) => [letter, result.columns[places[at]]?.letter]),
      );
      tested.cells.forEach(([row, count, weighted, share]: any, at: number) => {
        const place = at % places.length;
        const [i, j] = [rowAt(row), places[place]];
        if (i === -1 || j === -1) return;
        const cell = result.cells[i * result.columns.length + j];
        expect(cell).toMatchObject({ count, weighted: near(weighted), share: near(share) });
        if (correction === "fdr") return;
        const expectedLetters = tested.letters.find(([key]: any) => key === row)[1 + overlaps.indexOf(overlap)];
        const own = expectedLetters[["none", "holm", "bonferroni"].indexOf(correction)][place];
        expect(cell?.letters).toBe(
          [...own]
            .map((letter) => letterOf.get(letter))
            .sort()
            .join(""),
        );
      });
      expect(result.tests).toHaveLength(tested.pairs.length);
      for (const [row, one, other, difference, ...kinds] of tested.pairs) {
        const [z, p, holm, bonferroni, fdr] = kinds[overlaps.indexOf(overlap)];
        const corrected = { none: p, holm, bonferroni, fdr }[correction];
        const found = result.tests.find(
          (test) =>
            test.row === row && [test.column, test.other].includes(one) && [test.column, test.other].includes(other),
        );
        const turn = found?.column === one ? 1 : -1;
        const turned = z === null ? null : near(turn * z);
        expect(found).toMatchObject({
          difference: near(turn * difference),
          z: turned,
          p: near(p),
          corrected: near(corrected),
        });
      }
    });

    test.for(["mean", "weighted"].filter((part) => part in expected))(`${name}, %s`, (part) => {
      for (const overlap of overlaps) {
        for (const correction of ["holm", "bonferroni"] as const) {
          const [table, column] = spec.per ? [whole.table, "Sentiment"] : [whole.interviews, "Score"];
          const weight = part === "weighted" ? "Weight" : undefined;
          const options = {
            per: "RespondentKey",
            by: spec.by,
            weight,
            as: spec.nps && "nps",
            compare: letters({ overlap, correction }),
          };
          const groups: any[] = meanOf(table as any, column, options as any);
          for (const { key, people, weighted, effective, mean, sd, se, low, high } of expected[part].groups) {
            const numbers = Object.entries({ weighted, effective, mean, sd, error: se, low, high } as Record<
              string,
              number
            >);
            const own = Object.fromEntries(numbers.map(([name, value]) => [name, near(value)]));
            expect(groups.find((group) => group.key === key)).toMatchObject({ people, ...own });
          }
          for (const { one, other, welch, overlapping } of expected[part].pairs) {
            const tests = groups.flatMap(({ key, tests }) => tests.map((test: any) => ({ key, ...test })));
            const found = tests.find(
              (test) => [test.key, test.other].includes(one) && [test.key, test.other].includes(other),
            );
            if (found.freedom === null) expect(found.p).toEqual(near(overlapping.p));
            else expect([found.p, found.freedom]).toEqual([near(welch.p), near(welch.df)]);
            if (overlap === "independent") expect(found.corrected).toEqual(near(welch[correction]));
          }
        }
      }
    });
  }
});

/** What a random tabulation is of. */
interface Survey {
  readonly people: any[];
  readonly findings: any[];
  readonly options: any;
  readonly rows: any;
  readonly columns: any;
}

const TOPICS = ["a", "b", "c", 1, "1", null, undefined];
const SEGMENTS = ["x", "y", "z", null];
const MOOD = { low: { Sentiment: { max: -1 } }, high: [{ Sentiment: { min: 1 } }, { Topic: null }] };
/** Conditions on what the table of people has, too. */
const KINDS = { x: { Segment: "x" }, other: [{ Segment: ["y", null] }, { Weight: { min: 1 } }] };
const WITH = ["each", "rest", "previous", "first"] as const;

function surveyOf(random: Random): Survey {
  const people = Array.from({ length: random.integer(1, 12) }, (_, Person) => ({
    Person: random.chance(0.5) ? Person : `p${Person}`,
    Weight: random.oneOf([0, 0.5, 1, 1, 2.25]),
    Segment: random.oneOf(SEGMENTS),
  }));
  const isJoined = random.chance(0.3);
  const findings = Array.from({ length: random.integer(1, 40) }, () => {
    const { Person, Segment, Weight } = random.oneOf(people);
    const finding: any = { Person, Sentiment: random.integer(-2, 2) };
    const topic = random.oneOf(TOPICS);
    if (topic !== undefined) finding.Topic = topic;
    if (!isJoined) Object.assign(finding, { Segment, Weight });
    return finding;
  });
  const [rows, columns] = [
    random.oneOf(["Topic", "Topic", MOOD, ["Topic", "Sentiment"]]),
    random.oneOf(["Segment", "Segment", MOOD, KINDS, "Topic"]),
  ];
  const hasPeople = random.chance(0.85);
  const isOfPeople = columns === "Segment" || (columns === KINDS && !isJoined);
  const hasBase = hasPeople && (isJoined || random.chance(0.5)) && isOfPeople;
  const isWeighted = hasPeople && random.chance(0.5) && (hasBase || !isJoined);
  const options: any = { share: random.oneOf(["column", "column", "row", "total"]), leastBase: random.integer(0, 3) };
  if (hasPeople) options.distinct = "Person";
  if (hasBase) options.base = people;
  if (isWeighted) options.weight = "Weight";
  if (rows === "Topic" && random.chance(0.5))
    options.nets = { net: ["a", "b"].filter((key) => findings.some(({ Topic }) => Topic === key)) };
  if (options.nets?.net.length === 0) delete options.nets;
  if (rows === "Topic" && random.chance(0.3)) options.order = random.oneOf([["1", 1, "none", "a"], "given", "total"]);
  if (rows === "Topic" && random.chance(0.3)) Object.assign(options, { top: random.integer(1, 3), rest: "rest" });
  if (hasPeople && options.share === "column" && random.chance(0.7)) {
    const overlap = random.oneOf(["account", "independent"] as const);
    options.compare = letters({
      overlap,
      correction: random.oneOf(["none", "holm", "bonferroni", "fdr"] as const),
      level: 0.6,
      with: random.oneOf(WITH),
    });
  }
  const isKnown = (columns !== "Segment" && columns !== KINDS) || !isJoined || hasBase;
  return { people, findings, options, rows, columns: isKnown ? columns : "Topic" };
}

/** The keys under which a finding is counted, on an axis. */
function keysOf(axis: any, finding: any): string[] {
  if (Array.isArray(axis)) return [JSON.stringify(axis.map((name) => finding[name] ?? null))];
  if (typeof axis === "string") return [JSON.stringify(finding[axis] ?? null)];
  const { Sentiment, Topic, Segment, Weight } = finding;
  if (axis === KINDS)
    return [
      ...(Segment === "x" ? ['"x"'] : []),
      ...(Segment === "y" || Segment === null || Weight >= 1 ? ['"other"'] : []),
    ];
  return [...(Sentiment <= -1 ? ['"low"'] : []), ...(Sentiment >= 1 || Topic === null ? ['"high"'] : [])];
}

const kish = (weights: number[]) => {
  const [sum, squares] = [weights.reduce((a, b) => a + b, 0), weights.reduce((a, b) => a + b * b, 0)];
  return squares > 0 ? (sum * sum) / squares : 0;
};

describe("a random tabulation", () => {
  test("has the counts, the weights, the shares and the tests of plain JavaScript over sets of people", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), async (seed) => {
        const random = new Random(seed);
        const survey = surveyOf(random);
        for await (const [table, findings] of tablesOf(survey.findings, random))
          await check({ ...survey, findings }, table);
      }),
      { numRuns: timesOf(20_000) },
    );
  });
});

/** Tables of some findings, each with what it has: a copy, two joined ones, or the snapshots of a live table. */
async function* tablesOf(findings: any[], random: Random): AsyncGenerator<[table: any, findings: any[]]> {
  const parts = [findings.slice(0, 5), findings.slice(5, 20), findings.slice(20)];
  const kind = random.oneOf(["copy", "copy", "joined", "live"]);
  if (kind === "copy") yield [await FindingsTable.from<any>(findings), findings];
  if (kind === "joined")
    yield [FindingsTable.concat(await Promise.all(parts.map((part) => FindingsTable.from<any>(part)))), findings];
  if (kind !== "live") return;
  using client = new FindingsClient({ fetch: fetchOf(parts), concurrency: 1 });
  using live = client.watchTable(1, "topics");
  let length = -1;
  for await (const { table } of live) {
    // A snapshot may have what the one before has.
    if (table.length !== length && table.length > 0) yield [table, table.toArray()];
    length = table.length;
  }
}

async function check({ people, findings, options, rows, columns }: Survey, table: any) {
  const base: any = options.base && (await FindingsTable.from<any>(people));
  const arePeople = options.distinct !== undefined;
  const of = new Map(people.map((person) => [person.Person, person]));
  const known = findings.map((finding, at) => ({
    ...of.get(finding.Person),
    ...finding,
    unit: arePeople ? finding.Person : at,
  }));
  const weightOf = (unit: unknown) => (options.weight ? of.get(unit).Weight : 1);
  const weigh = (units: Set<unknown>) =>
    [...units].map(weightOf).reduce((sum: number, weight: number) => sum + weight, 0);
  const unitsOf = (rows: any[]) => new Set<unknown>(rows.map(({ unit }) => unit));
  const result: any = crosstab(table, rows, columns, { ...options, base });
  const membersOf = ({ key, net }: any) => (net ?? [key]).map((key: unknown) => JSON.stringify(key ?? null));
  const inRow = (row: any) =>
    known.filter((finding) => keysOf(rows, finding).some((key) => membersOf(row).includes(key)));
  const inColumn = (column: any, list: any[]) =>
    list.filter((one) => keysOf(columns, one).some((key) => membersOf(column).includes(key)));
  const asked = people.map((person) => ({ ...person, unit: person.Person }));
  const baseOf = (column: any) => unitsOf(inColumn(column, options.base ? asked : known));
  const total = unitsOf(options.base ? asked : known);
  expect([result.total, result.weighted]).toEqual([total.size, expect.closeTo(weigh(total), 9)]);
  // Without nets and the rest, each key that occurs is a row.
  const keys = new Set(known.flatMap((finding) => keysOf(rows, finding)));
  const plain = result.rows.filter(({ net }: any) => net === undefined);
  const listed = Array.isArray(options.order) ? options.order : [];
  const named = [...listed, ...(table.isComplete ? [] : (options.nets?.net ?? []))].map((key) => JSON.stringify(key));
  if (options.top === undefined && typeof rows !== "object")
    expect(new Set(plain.flatMap(membersOf))).toEqual(new Set([...keys, ...named]));
  if (options.top === undefined && options.nets === undefined)
    expect(plain.slice(0, listed.length).map(({ key }: any) => key)).toEqual(listed);
  const hidden = new Set<number>();
  result.rows.forEach((row: any, i: number) => {
    expect([row.total, row.weighted]).toEqual([
      unitsOf(inRow(row)).size,
      expect.closeTo(weigh(unitsOf(inRow(row))), 9),
    ]);
    result.columns.forEach((column: any, j: number) => {
      const cell = result.cells[i * result.columns.length + j];
      const there = unitsOf(inColumn(column, inRow(row)));
      const own = { row: unitsOf(inRow(row)), column: baseOf(column), total }[options.share as "row"];
      const weight = weigh(own);
      expect([cell.count, cell.weighted, cell.base]).toEqual([there.size, expect.closeTo(weigh(there), 9), own.size]);
      if (own.size < options.leastBase) hidden.add(i * result.columns.length + j);
      const share = weight > 0 ? expect.closeTo(weigh(there) / weight, 9) : null;
      expect(cell.share).toEqual(cell.isSmall ? null : share);
    });
  });
  expectHidden(result, hidden);
  result.columns.forEach((column: any) => {
    const [own, speaking] = [baseOf(column), unitsOf(inColumn(column, known))];
    expect([column.total, column.base, column.weighted]).toEqual([
      speaking.size,
      own.size,
      expect.closeTo(weigh(own), 9),
    ]);
    if (arePeople) expect(column.effective).toBeCloseTo(kish([...own].map(weightOf)), 9);
  });
  for (const { row, column, other, z } of result.tests) {
    const at = (key: unknown) => result.columns.find((one: any) => one.key === key);
    const all = result.columns.filter(({ key }: any) => key !== null);
    const first = baseOf(at(column));
    const second: Set<unknown> =
      other === undefined
        ? new Set(all.flatMap((one: any) => [...baseOf(one)]).filter((unit: unknown) => !first.has(unit)))
        : baseOf(at(other));
    const there = result.rows.find((one: any) => one.key === row);
    const said = (keys: any[]) => unitsOf(keys.flatMap((key) => inColumn(key, inRow(there))));
    const [inFirst, inSecond] = [said([at(column)]), other === undefined ? said(all) : said([at(other)])];
    const samples = [
      [first, inFirst],
      [second, inSecond],
    ].map(([base = new Set(), said = new Set()]) => {
      const [weight, effective] = [weigh(base), kish([...base].map(weightOf))];
      return { weight, effective, share: weigh(new Set([...base].filter((unit) => said.has(unit)))) / weight };
    }) as any[];
    const both = [...first].filter((unit) => second.has(unit));
    const correlation =
      options.compare.overlap === "account" && other !== undefined
        ? correlationOf(both, inFirst, inSecond, weightOf)
        : 0;
    const [one, two] = samples;
    const pooled = (one.share * one.weight + two.share * two.weight) / (one.weight + two.weight);
    const shared = (2 * correlation * kish(both.map(weightOf))) / one.effective / two.effective;
    const variance = pooled * (1 - pooled) * (1 / one.effective + 1 / two.effective - shared);
    if (pooled * (1 - pooled) > 1e-9 && variance > 1e-9)
      expect(z).toBeCloseTo((one.share - two.share) / Math.sqrt(variance), 6);
    if (z === null) expect(Math.min(pooled * (1 - pooled), variance)).toBeLessThan(1e-9);
  }
  if (options.compare !== undefined && options.compare.with !== "rest") {
    expectPairs(result);
    expectLetters(result);
  }
  table.free();
  base?.free();
}

/** Of the rows of a net, one alone is never hidden. */
function expectHidden({ rows, columns, cells }: any, hidden: Set<number>) {
  for (const at of hidden) expect(cells[at].isSmall).toBe(true);
  for (const [i, { net }] of rows.entries()) {
    if (net === undefined) continue;
    columns.forEach((_: unknown, j: number) => {
      const own = rows.flatMap((row: any, at: number) =>
        row.net === undefined && net.includes(row.key) ? [cells[at * columns.length + j]] : [],
      );
      if (cells[i * columns.length + j].isSmall || own.length < 2) return;
      expect(own.filter(({ isSmall }: any) => isSmall)).not.toHaveLength(1);
    });
  }
}

function correlationOf(
  both: unknown[],
  first: Set<unknown>,
  second: Set<unknown>,
  weightOf: (unit: unknown) => number,
) {
  const weight = both.reduce((sum: number, unit) => sum + weightOf(unit), 0);
  if (weight === 0) return 0;
  if (both.every((unit) => first.has(unit) === second.has(unit))) return 1;
  const mean = (value: (unit: unknown) => number) =>
    both.reduce((sum: number, unit) => sum + weightOf(unit) * value(unit), 0) / weight;
  const [x, y] = [mean((unit) => Number(first.has(unit))), mean((unit) => Number(second.has(unit)))];
  if (Math.min(x * (1 - x), y * (1 - y)) <= 1e-12) return 0;
  const product = mean((unit) => (Number(first.has(unit)) - x) * (Number(second.has(unit)) - y));
  return product / Math.sqrt(x * (1 - x) * y * (1 - y));
}

/** Each column is compared with those that the caller wants, unless nobody is in one of the two. */
function expectPairs({ rows, columns, tests, compare }: any) {
  const own = columns.filter(({ key }: any) => key !== null);
  const pairs = own.flatMap((one: any, at: number) =>
    own.slice(at + 1).flatMap((other: any, next: number) => {
      const isWanted = { each: true, previous: next === 0, first: at === 0 }[compare.with as "each"];
      return isWanted && one.effective > 0 && other.effective > 0 ? [[one.key, other.key]] : [];
    }),
  );
  const tested = tests.map(({ column, other }: any) => [column, other]);
  expect(tested).toEqual(rows.flatMap(() => pairs));
}

/** Each letter is that of a column with a smaller share, whose test says so. */
function expectLetters({ rows, columns, cells, tests }: any) {
  cells.forEach(({ row, column, letters }: any) => {
    const won = tests.flatMap((test: any) => {
      const isHere = test.row === row && test.corrected !== null && test.corrected < 0.4;
      if (isHere && test.column === column && test.difference > 0) return [test.other];
      return isHere && test.other === column && !(test.difference > 0) ? [test.column] : [];
    });
    const own = won.map((key: unknown) => columns.find((one: any) => one.key === key).letter);
    // Rows of several names have lists as keys, which are equal by their text.
    if (rows.every(({ key }: any) => !Array.isArray(key))) expect(letters).toBe(own.sort().join(""));
  });
}

test("a row of each respondent has a 1 for each topic, and says who has none", async () => {
  const table = await FindingsTable.from([
    { Person: 2, Topic: "Price", Sentiment: -2 },
    { Person: 2, Topic: "Price", Sentiment: 1 },
    { Person: 1, Topic: "Check-in", Sentiment: 1 },
    { Person: 10, Topic: null, Sentiment: 0 },
  ]);
  const base = await FindingsTable.from(
    [1, 2, 3, 10].map((Person) => ({ Person, Segment: Person > 2 ? "old" : "new" })),
  );
  const { rows, labels } = respondentsOf(table, { per: "Person", by: "Topic", base, keep: ["Segment"] });
  expect(labels).toEqual({ T1: "Check-in", Price: "Price", T3: "No topic" });
  expect(rows).toEqual([
    { Person: 1, Segment: "new", T1: 1, Price: 0, T3: 0 },
    { Person: 2, Segment: "new", T1: 0, Price: 1, T3: 0 },
    { Person: 3, Segment: "old", T1: 0, Price: 0, T3: 1 },
    { Person: 10, Segment: "old", T1: 0, Price: 0, T3: 1 },
  ]);
  const means = respondentsOf(table, { per: "Person", by: "Topic", value: "Sentiment", keep: ["Topic"] }).rows;
  expect(means.map(({ Price, Topic, T3 }) => [Topic, Price, T3])).toEqual([
    ["Check-in", null, 0],
    ["Price", -0.5, 0],
    [null, null, 1],
  ]);
  const unknown = table.with("Score", { by: "Person", values: new Map([[2, 1]]) }) as typeof table;
  const scores = respondentsOf(unknown, { per: "Person", by: "Topic", value: "Score" as never }).rows;
  expect(scores.map(({ T1, T3 }) => [T1, T3])).toEqual([
    [null, 0],
    [null, 0],
    [null, 1],
  ]);
  const few = await FindingsTable.from([{ Person: 1 }, { Person: 2 }]);
  expect(() => respondentsOf(table, { per: "Person", by: "Topic", base: few })).toThrow("base lacks Person 10");
  const twice = () => respondentsOf(table, { per: "Person", by: "Topic", keep: ["Sentiment"] });
  expect(twice).toThrow("Person 2 has two in Sentiment");
});

test("the columns of respondents have names that SPSS takes, each once", async () => {
  const long = "x".repeat(64);
  const topics = ["ALL", "Price", "a b", "price", long, `${long}x`];
  const table = await FindingsTable.from(topics.map((Topic, Person) => ({ Topic, Person })));
  const { labels } = respondentsOf(table, { per: "Person", by: "Topic" });
  expect(Object.keys(labels)).toEqual(["T1", "Price", "T3", "T4", long, "T6", "T7"]);
  expect(Object.values(labels)).toEqual([...topics, "No topic"]);
});
