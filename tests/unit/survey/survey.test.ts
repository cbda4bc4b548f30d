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
import { timesOf } from "../../counts.js";
import { fetchOf } from "../../page/tables.js";
import { Random } from "../../random.js";

const read = (name: string) => JSON.parse(readFileSync(new URL(`./tables/${name}.json`, import.meta.url), "utf8"));
const rowsOf = (names: string[], rows: unknown[][]): any[] =>
  rows.map((row) => Object.fromEntries(names.map((name, at) => [name, row[at]])));

const keysOf = (lines: readonly { key: unknown }[]) => lines.map(({ key }) => key);

/** Numbers that are equal to four significant digits. */
const near = (numbers: Record<string, number | null>) =>
  Object.fromEntries(
    Object.entries(numbers).map(([name, value]) => {
      const digits = value === 0 ? 9 : 3 - Math.floor(Math.log10(Math.abs(value ?? 1)));
      return [name, value === null ? null : expect.closeTo(value, digits)];
    }),
  );

const overlaps = ["independent", "account"] as const;
const corrections = ["none", "holm", "bonferroni", "fdr"] as const;

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
    const parts = ["table", "guarded", "topics"].filter((part) => part in expected);
    const cases = parts.flatMap((part) =>
      overlaps.flatMap((overlap) => corrections.map((correction) => [part, overlap, correction] as const)),
    );
    // P42
    test.for(cases)(`${name}, %s, %s, %s`, async ([part, overlap, correction]) => {
      const { table, interviews } = spec.data ? await tablesOf(spec.data.findings, spec.data.people) : whole;
      const { total, rows, columns, cells, letters: allLetters, pairs } = expected[part];
      const isGuarded = part === "guarded";
      const keys = (lines: any[]) => lines.map(([key]) => key);
      const result = crosstab(table, part === "topics" ? "TopicGroup" : spec.rows, spec.columns, {
        distinct: "RespondentKey",
        weight: spec.weight,
        base: spec.base === "people" ? (interviews as any) : undefined,
        leastBase: isGuarded ? spec.leastShow : 0,
        compare: letters({ overlap, correction, leastBase: isGuarded ? spec.leastTest : 0 }),
        order: keys(rows),
        columnOrder: keys(columns),
      });
      const kind = overlaps.indexOf(overlap);
      const lettersIn = (at: number) => {
        const own = allLetters[Math.floor(at / columns.length)][1 + kind][corrections.indexOf(correction)];
        return own === undefined ? {} : { letters: own[at % columns.length] };
      };
      // R has no column of findings without a person.
      const known = {
        ...result,
        columns: result.columns.slice(0, columns.length),
        cells: result.cells.filter(({ column }) => keys(columns).includes(column)),
      };
      expect(known).toMatchObject({
        total: total.people,
        ...near({ weighted: total.weighted, effective: total.effective }),
        rows: rows.map(([key, total, weighted]: any) => ({ key, total, ...near({ weighted }) })),
        columns: columns.map(([key, , letter, base, total, weighted, effective]: any) => ({
          ...{ key, base, total, letter: columns.length > 1 ? letter : null },
          ...near({ weighted, effective }),
        })),
        cells: cells.map(([row, count, weighted, share, low, high]: any, at: number) => ({
          ...{ row, count, ...lettersIn(at) },
          ...near({ weighted, share, low, high }),
        })),
        tests: pairs.map(([row, column, other, difference, ...kinds]: any) => {
          const [z, p, holm, bonferroni, fdr] = kinds[kind];
          const corrected = { none: p, holm, bonferroni, fdr }[correction];
          return { row, column, other, ...near({ difference, z, p, corrected }) };
        }),
      });
    });

    test.for(["mean", "weighted"].filter((part) => part in expected))(`${name}, %s`, (part) => {
      const { groups, pairs } = expected[part];
      const [table, column] = spec.per ? [whole.table, "Sentiment"] : [whole.interviews, "Score"];
      for (const overlap of overlaps) {
        for (const correction of ["holm", "bonferroni"] as const) {
          const found = meanOf(table as any, column, {
            per: "RespondentKey",
            by: spec.by,
            order: groups.map(({ key }: any) => key),
            weight: part === "weighted" ? "Weight" : undefined,
            as: spec.nps && "nps",
            compare: letters({ overlap, correction }),
          });
          expect(found.slice(0, groups.length)).toMatchObject(
            groups.map(({ key, people, design, se, ...numbers }: any) => ({
              ...{ key, people, ...near({ ...numbers, error: se }) },
            })),
          );
          const tests = found.flatMap(({ key, tests }) => tests.map((test) => ({ one: key, ...test })));
          expect(tests).toMatchObject(
            pairs.map(({ one, other, welch, overlapping }: any, at: number) => ({
              ...{ one, other },
              ...near(tests[at]?.freedom === null ? { p: overlapping.p } : { p: welch.p, freedom: welch.df }),
              ...(overlap === "independent" && near({ corrected: welch[correction] })),
            })),
          );
        }
      }
    });
  }
});

/** An axis, and the keys under which a finding or a person is counted there. */
type Axis = readonly [given: any, keysOf: (one: any) => unknown[]];

const named = (conditions: Record<string, [condition: unknown, meets: (one: any) => boolean]>): Axis => [
  Object.fromEntries(Object.entries(conditions).map(([name, [condition]]) => [name, condition])),
  (one) => Object.keys(conditions).filter((name) => conditions[name]?.[1](one)),
];
const MOOD = named({
  low: [{ Sentiment: { max: -1 } }, ({ Sentiment }) => Sentiment <= -1],
  high: [[{ Sentiment: { min: 1 } }, { Topic: null }], ({ Sentiment, Topic }) => Sentiment >= 1 || Topic === null],
});
/** Conditions on what the table of people has, too. */
const KINDS = named({
  x: [{ Segment: "x" }, ({ Segment }) => Segment === "x"],
  other: [
    [{ Segment: ["y", null] }, { Weight: { min: 1 } }],
    ({ Segment, Weight }) => Segment === "y" || Segment === null || Weight >= 1,
  ],
});
const TOPIC: Axis = ["Topic", ({ Topic }) => [Topic ?? null]];
const SEGMENT: Axis = ["Segment", ({ Segment }) => [Segment]];
const BOTH: Axis = [["Topic", "Sentiment"], ({ Topic, Sentiment }) => [[Topic ?? null, Sentiment]]];

/** A random survey: who was asked, what they said, and what is asked of it. */
function surveyOf(random: Random) {
  const people = Array.from({ length: random.integer(1, 12) }, (_, Person) => ({
    Person: random.chance(0.5) ? Person : `p${Person}`,
    Weight: random.oneOf([0, 0.1, 0.7, 1, 2.25]),
    Segment: random.oneOf(["x", "y", "z", null]),
  }));
  const isJoined = random.chance(0.3);
  const findings = Array.from({ length: random.integer(1, 40) }, (_, at) => {
    const { Person, ...known } = random.oneOf(people);
    const [Topic, Sentiment] = [
      random.oneOf(["a", "b", "c", 1, "1", null, at ? undefined : "a"]),
      random.integer(-2, 2),
    ];
    return { Person, Sentiment, ...(Topic !== undefined && { Topic }), ...(!isJoined && known) };
  });
  const hasPeople = random.chance(0.85);
  const hasBase = hasPeople && (isJoined || random.chance(0.5));
  const rows = random.oneOf([TOPIC, TOPIC, MOOD, BOTH]);
  const ofPeople = isJoined ? (hasBase ? [SEGMENT] : []) : [SEGMENT, SEGMENT, KINDS];
  const columns = random.oneOf([...ofPeople, ...(hasBase ? [] : [MOOD, TOPIC])]);
  const options: any = { share: random.oneOf(["column", "column", "row", "total"]), leastBase: random.integer(0, 3) };
  if (hasPeople) options.distinct = "Person";
  if (hasBase || (hasPeople && !isJoined && random.chance(0.5))) options.weight = random.oneOf(["Weight", undefined]);
  if (rows === TOPIC) {
    options.order = random.oneOf([undefined, undefined, ["1", 1, "none", "a"], "given", "total"]);
    // Nobody may have a member.
    if (random.chance(0.5)) options.nets = { net: ["a", "b"] };
    if (random.chance(0.3)) Object.assign(options, { top: random.integer(1, 3), rest: "rest" });
  }
  if (hasPeople && options.share === "column" && random.chance(0.7)) {
    const whom = random.oneOf(["each", "rest", "previous", "first"] as const);
    const [overlap, correction] = [
      random.oneOf(["account", "independent"]),
      random.oneOf(["none", "holm", "fdr"]),
    ] as any;
    options.compare = letters({ overlap, correction, level: 0.6, with: whom });
    const keys = columns === SEGMENT ? ["x", "y", "z"] : ["a", "b", "c", 1, "1"];
    if (columns === SEGMENT || columns === TOPIC) options.columnOrder = random.someOf(keys, keys.length);
  }
  return { people, findings, options, rows, columns, hasBase };
}

// P42
test("a random tabulation has the counts, weights, shares, intervals and tests of plain JavaScript over sets of people", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(), async (seed) => {
      const random = new Random(seed);
      const survey = surveyOf(random);
      for await (const [table, findings] of tablesOf(survey.findings, random)) await check(survey, table, findings);
    }),
    { numRuns: timesOf(6_000) },
  );
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

/** The quantiles of the normal distribution for 95 % and 60 %. */
const [Z95, Z60] = [1.959964, 0.8416212];

async function check({ people, options, rows, columns, hasBase }: any, table: any, findings: any[]) {
  using base: any = hasBase ? await FindingsTable.from<any>(people) : undefined;
  const result: any = crosstab(table, rows[0], columns[0], { ...options, base });
  const { distinct, compare, leastBase, share, top, nets, order, columnOrder = [] } = options;
  const of = new Map<unknown, any>(people.map((person: any) => [person.Person, person]));
  const keyed = (one: any, unit: unknown, [, rowsOf]: Axis, [, columnsOf]: Axis) => {
    const [inRows, inColumns] = [rowsOf, columnsOf].map((keysOf) => keysOf(one).map((key) => JSON.stringify(key)));
    return { unit, rows: inRows as string[], columns: inColumns as string[] };
  };
  const said = findings.map((one, at) =>
    keyed({ ...of.get(one.Person), ...one }, distinct ? one.Person : at, rows, columns),
  );
  const asked = hasBase ? people.map((person: any) => keyed(person, person.Person, columns, columns)) : said;
  type Units = ReadonlySet<unknown>;
  const units = (list: { unit: unknown }[]): Units => new Set(list.map(({ unit }) => unit));
  const union = (list: Units[]): Units => new Set(list.flatMap((one) => [...one]));
  const sums = (units: Units) => {
    const weights = [...units].map((unit): number => (options.weight ? of.get(unit).Weight : 1));
    const [weight, squares] = [weights.reduce((a, b) => a + b, 0), weights.reduce((a, b) => a + b * b, 0)];
    return { count: units.size, weight, effective: squares > 0 ? weight ** 2 / squares : 0 };
  };
  const inLine = (side: "rows" | "columns", { key, net }: any, list: any[]) => {
    const members = new Set((net ?? [key]).map((key: unknown) => JSON.stringify(key)));
    return list.filter((one) => one[side].some((key: string) => members.has(key)));
  };
  const expectHeading = (line: any, own: Units, speaking: Units) => {
    const { count, weight, effective } = sums(own);
    expect([line.total, line.base, line.weighted]).toEqual([speaking.size, count, expect.closeTo(weight, 8)]);
    if (distinct) expect(line.effective).toBeCloseTo(effective, 8);
    expect(line.effective).toBeLessThanOrEqual(line.base);
  };
  const all = units(asked);
  expectHeading({ ...result, base: result.total }, all, all);
  const bases: Units[] = result.columns.map((column: any) => units(inLine("columns", column, asked)));
  for (const [j, column] of result.columns.entries())
    expectHeading(column, bases[j] as Units, units(inLine("columns", column, said)));
  // Each key that occurs is a row, and so is each that is listed; those of an order come first.
  const listed = Array.isArray(order) ? order : [];
  if (top === undefined && rows === TOPIC) {
    const known = [...listed, ...(nets?.net ?? [])].map((key) => JSON.stringify(key));
    const plain = result.rows.filter(({ net }: any) => !net).map(({ key }: any) => JSON.stringify(key));
    expect(new Set(plain)).toEqual(new Set([...said.flatMap(({ rows }) => rows), ...known]));
    if (!nets) expect(keysOf(result.rows).slice(0, listed.length)).toEqual(listed);
  }
  expect(keysOf(result.columns).slice(0, columnOrder.length)).toEqual(columnOrder);
  const testsOf = Map.groupBy(result.tests, ({ row }: any) => JSON.stringify(row));
  for (const [i, row] of result.rows.entries()) {
    const own = inLine("rows", row, said);
    const inRow = units(own);
    expectHeading(row, inRow, inRow);
    const cells = result.cells.slice(i * bases.length, (i + 1) * bases.length);
    const there: Units[] = result.columns.map((column: any) => units(inLine("columns", column, own)));
    for (const [j, { count, weighted, base, share: given, low, high, isSmall }] of cells.entries()) {
      const whole = sums({ row: inRow, column: bases[j] as Units, total: all }[share as "row"]);
      const { weight } = sums(there[j] as Units);
      expect([count, weighted, base]).toEqual([there[j]?.size, expect.closeTo(weight, 8), whole.count]);
      if (whole.count < leastBase) expect(isSmall).toBe(true);
      const isKnown = whole.weight > 0 && !isSmall;
      expect(given).toEqual(isKnown ? expect.closeTo(weight / whole.weight, 8) : null);
      if (!isKnown || !distinct) expect([low, high]).toEqual([null, null]);
      else expect(low <= given && given <= high).toBe(true);
      // Wilson's ends are where the share is z standard errors away.
      for (const end of isKnown && distinct ? [low, high] : [])
        expect((given - end) ** 2).toBeCloseTo(((compare ? Z60 : Z95) ** 2 * end * (1 - end)) / whole.effective, 5);
    }
    // Of the members of a net, one alone is never hidden.
    const members = result.rows.flatMap((one: any, at: number) =>
      !one.net && row.net?.includes(one.key) ? [at * bases.length] : [],
    );
    for (const [j, { isSmall }] of cells.entries())
      if (members.length > 1 && !isSmall)
        expect(members.filter((at: number) => result.cells[at + j].isSmall)).not.toHaveLength(1);
    if (!compare) continue;
    // Each column is compared with those that the caller wants, if both cells are shown, and a letter says which share is smaller.
    const { with: whom, overlap, level } = compare;
    const compared: number[] = result.columns.flatMap(({ key }: any, j: number) => (key === null ? [] : [j]));
    const [everybody, answers] = [bases, there].map((list) => union(compared.map((j) => list[j] as Units)));
    const pairs = compared.flatMap((one, at): [number, number | undefined][] => {
      if (whom === "rest") return compared.length > 1 ? [[one, undefined]] : [];
      const others = whom === "first" && at > 0 ? [] : compared.slice(at + 1, whom === "previous" ? at + 2 : undefined);
      return others.map((other) => [one, other]);
    });
    const tests: any[] = [...(testsOf.get(JSON.stringify(row.key)) ?? [])];
    const won = cells.map((): string[] => []);
    for (const [one, other] of pairs) {
      const first = bases[one] as Units;
      const second = other === undefined ? everybody?.difference(first) : bases[other];
      const said = other === undefined ? answers : there[other];
      // The rest of a shown column would show who is hidden, unless that is nobody.
      const hides = (j: number) => cells[j].isSmall && (bases[j] as Units).size > 0;
      if (cells[one].isSmall || (other === undefined ? compared.some(hides) : cells[other].isSmall)) continue;
      const [a, b] = [
        [first, there[one]],
        [second, said],
      ].map(([base, said]) => {
        const own = sums(base as Units);
        return { ...own, share: sums((base as Units).intersection(said as Units)).weight / own.weight };
      }) as [any, any];
      if (!(a.effective > 0 && b.effective > 0)) continue;
      const { column, other: found, difference, z, corrected } = tests.shift() ?? {};
      expect([column, found]).toEqual([result.columns[one].key, result.columns[other ?? -1]?.key]);
      expect(difference).toBeCloseTo(a.share - b.share, 8);
      const pooled = (a.share * a.weight + b.share * b.weight) / (a.weight + b.weight);
      const variance = pooled * (1 - pooled) * (1 / a.effective + 1 / b.effective);
      // R knows what people in both columns make of it.
      const isKnown = overlap === "independent" || first.isDisjointFrom(second as Units);
      if (isKnown && variance > 1e-9) expect(z).toBeCloseTo(difference / Math.sqrt(variance), 6);
      if (corrected === null || corrected >= 1 - level) continue;
      const [winner, loser] = difference > 0 || other === undefined ? [one, other] : [other, one];
      won[winner]?.push(loser === undefined ? (difference > 0 ? "↑" : "↓") : result.columns[loser].letter);
    }
    expect(tests).toEqual([]);
    expect(cells.map(({ letters }: any) => letters)).toEqual(won.map((own: string[]) => own.sort().join("")));
  }
  table.free();
}

/** Periods, numbers and bands in their order, as they may be written: each list is one axis. */
const years = [2023, 2024, 2025, 2026];
const months = years.flatMap((year) => Array.from({ length: 12 }, (_, month) => new Date(Date.UTC(year, month, 15))));
const dates = (locale: string, options?: Intl.DateTimeFormatOptions) =>
  months.map((date) => date.toLocaleDateString(locale, { timeZone: "UTC", ...options }));
/** Parts of years: # is the number of the part, @ the year, and ~ its last two digits. */
const parts = (format: string) =>
  years.flatMap((year) =>
    (format.startsWith("H") ? [1, 2] : [1, 2, 3, 4]).map((part) =>
      format.replace(/[#@~]/g, (sign) => String({ "#": part, "@": year }[sign] ?? year % 100)),
    ),
  );
const bounds = [500, 1_000, 5_000, 10_000, 250_000].map((bound) => bound.toLocaleString("en-US"));
const bands = (below: string, sign = below.endsWith("$") ? "$" : "") => [
  `${below}${bounds[0]}`,
  ...bounds.slice(1).map((bound, at) => `${sign}${bounds[at]}-${sign}${bound}`),
  `${sign}${bounds.at(-1)}+`,
];
const ORDERED: string[][] = [
  ...["Q# ~", "Q#'~", "#Q~", "Q# FY~", "Q# @", "@-Q#", "Wave # (@)", "H# ~", "Week 1#, @", "FY~ #Q"].map(parts),
  ...["de-DE", "en-US", "en-GB"].map((locale) => dates(locale)),
  dates("en-US", { month: "short", year: "2-digit" }),
  dates("en-US", { month: "long", year: "numeric" }),
  dates("en-US", { month: "long", day: "numeric", year: "numeric" }),
  dates("en-GB", { month: "short", day: "numeric", year: "numeric" }),
  dates("en-US", { month: "short" }).slice(0, 12),
  months.map((month) => `${month.getUTCFullYear()} ${month.toLocaleDateString("en-US", { month: "long" })}`),
  months.map((month) => `${month.getUTCMonth() + 1}/${month.getUTCFullYear()}`),
  // No month has 43 days, so these are years.
  months.map((month) => `${month.getUTCMonth() + 1}/${(month.getUTCFullYear() + 20) % 100}`),
  ...[7, 10, 24].map((length) => months.map((month) => month.toISOString().slice(0, length))),
  years.map((year) => `${year}/${(year + 1) % 100}`),
  ...["Under ", "Under $", "<", "<$", "less than $", "Up to "].map((below) => bands(below)),
  ...["3+ years", "3 or more years", "3 years or more"].map((last) => ["Under 1 year", "1-2 years", last]),
  ...[
    "<18|18-24|25\u201334|35 to 44|45 and older;0-7 days|8+ days;1-10|11-20;-10 %|-2 %|0 %|1.5 %|12 %;1.5|2.0|2.5;3.75|4.25",
    "R0112|R0201|R1003;v1.9.0|v1.10.0;2024-25|2025-26;15.1.|1.2.|3.12.;2023/2024|2024/2025",
  ].flatMap((lists) => lists.split(";").map((names) => names.split("|"))),
  ...["# stars", "Week #", "Top #0"].map((format) => parts(format).slice(0, 4)),
];

test("names that say an order have it, however they are written and shuffled", async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...ORDERED), fc.nat(), async (names, seed) => {
      const own = new Random(seed).someOf(names, names.length);
      const table = await FindingsTable.from(own.map((Name, Person) => ({ Name, Person, Score: Person })));
      const compare = letters({ with: "previous" });
      const { columns } = crosstab(table, { all: {} }, "Name", { distinct: "Person", compare });
      expect(keysOf(columns)).toEqual(names);
      expect(keysOf(meanOf(table, "Score", { per: "Person", by: "Name", compare }))).toEqual(names);
    }),
    { numRuns: timesOf(2_000) },
  );
});

test("names that could be two things have the order that both have, or none", async () => {
  const two = (number: number) => `${number}`.padStart(2, "0");
  type Kind = [nameOf: (a: number, b: number) => string, orderOf: (a: number, b: number) => number];
  const kinds: Kind[] = [
    [(a, b) => `${two(a)}-${b}`, (a, b) => 100 * b + a],
    [(a, b) => `${a}.${b}`, (a, b) => 100 * b + a],
    ...["-", "/"].map((sign): Kind => [(a, b) => `${b}${sign}${two(a)}`, (a, b) => 100 * b + a]),
    ...["", "."].map((sign): Kind => [(a, b) => `${b}.${two(a)}${sign}`, (a, b) => 100 * a + b]),
    [(a, b) => `v${a}.${b}`, (a, b) => 100 * a + b],
    [(a, b) => `${a}.${b}`, (a, b) => Number(`${a}.${b}`)],
  ];
  const pairs = fc.uniqueArray(fc.nat(12 * 22 - 1), { minLength: 2, maxLength: 3 });
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), pairs, async ([nameOf, orderOf], own) => {
      const numbers = own.map((pair) => [1 + (pair % 12), 10 + Math.floor(pair / 12)] as const);
      const ordered = numbers
        .toSorted((one, other) => orderOf(...one) - orderOf(...other))
        .map((pair) => nameOf(...pair));
      const table = await FindingsTable.from(numbers.map((pair, Person) => ({ Name: nameOf(...pair), Person })));
      const options = { distinct: "Person", compare: letters({ with: "previous" }) } as const;
      const columns = async () => keysOf(crosstab(table, { all: {} }, "Name", options).columns);
      const found = await columns().catch(({ message }) => message);
      expect(found).toEqual(typeof found === "string" ? expect.stringContaining("needs an order") : ordered);
    }),
    { numRuns: timesOf(2_000) },
  );
});

// P43
test.for([
  ["words", ["spring", "summer", "autumn"]],
  ["days that are months elsewhere", ["01/02/25", "02/01/25", "03/03/25"]],
  ["months that are days elsewhere", ["11/25", "12/25", "01/26"]],
  ["months that could be bands", ["12-25", "01-26", "02-26"]],
  ["seasons that could be bands", ["98-99", "01-02", "14-15"]],
  ["versions that could be decimals", ["v1.9", "v1.10", "v1.11"]],
  ["versions that could be dates", ["3.10.11", "3.9.12", "3.8.13"]],
  ["numbers of two units", ["30 min", "1 h", "2 h"]],
  ["thousands that are decimals elsewhere", ["1.000-4.999", "500-999", "0-499"]],
  ["two names of one number", ["1", "01", "2"]],
  ["two numbers that are no year", ["Room 12 24", "Room 1 25", "Room 3 26"]],
  ["names of two formats", ["Q1 2025", "H1 2025", "2025"]],
] as const)("%s have no order, so nothing is compared with what is before until a list says it", async ([, names]) => {
  const table = await FindingsTable.from(names.map((Name, Person) => ({ Name, Person, Score: Person })));
  for (const whom of ["previous", "first"] as const) {
    const compare = letters({ with: whom });
    const keys = (columnOrder?: readonly string[]) =>
      keysOf(crosstab(table, { all: {} }, "Name", { distinct: "Person", compare, columnOrder }).columns);
    const groups = (order?: readonly string[]) =>
      keysOf(meanOf(table, "Score", { per: "Person", by: "Name", compare, order }));
    for (const ask of [keys, groups]) {
      expect(() => ask()).toThrow(`compare with "${whom}" needs an order`);
      expect(ask(names)).toEqual(names);
      // The first alone says what a control is.
      if (whom === "first") expect(ask(names.slice(0, 1))[0]).toBe(names[0]);
      else expect(() => ask(names.slice(0, 1))).toThrow(/List them in (columnO|o)rder/);
    }
  }
});

test("people with the same weight have an effective base of their number, which every threshold sees", async () => {
  const counts = fc.integer({ min: 2, max: 120 });
  await fc.assert(
    fc.asyncProperty(counts, fc.integer({ min: 1, max: 999 }), async (count, hundredths) => {
      const Weight = hundredths / 100;
      const of = (Person: number) => ({ Person, Weight, Segment: Person % 2, Score: Person % 3 });
      const table = await FindingsTable.from(Array.from({ length: 2 * count }, (_, Person) => of(Person)));
      const compare = letters({ leastBase: count });
      const options = { distinct: "Person", weight: "Weight", compare } as const;
      const { columns, tests } = crosstab(table, { some: { Score: 0 } }, "Segment", options);
      const groups = meanOf(table, "Score", { per: "Person", by: "Segment", weight: "Weight", compare });
      const own = { effective: count, weighted: Number((count * Weight).toPrecision(10)) };
      expect([...columns, ...groups]).toMatchObject([own, own, own, own]);
      expect([tests.length, groups[0]?.tests.length]).toEqual([1, 1]);
    }),
    { numRuns: timesOf(1_000) },
  );
});

test("groups without spread have a test without a p, and no letter, whatever the weights and the findings of each person are", async () => {
  const tenths = fc.integer({ min: 1, max: 99 }).map((tenths) => tenths / 10);
  const given = fc.record({
    ...{ weights: fc.array(tenths, { minLength: 1, maxLength: 3 }), scores: fc.tuple(tenths, tenths) },
    ...{ spread: fc.nat(9), count: fc.integer({ min: 4, max: 80 }), isShared: fc.boolean() },
  });
  await fc.assert(
    fc.asyncProperty(given, async ({ weights, scores, spread, count, isShared }) => {
      // Each person has three findings in a group. Those who are in both groups differ, and all by the same in the second one.
      const findings = Array.from({ length: 6 * count }, (_, at) => {
        const [one, step] = [Math.floor(at / 3), (at % 3) - 1];
        const [Person, Group] = [isShared ? one >> 1 : one, one % 2];
        const own = isShared ? Person % 5 : step * spread * (Person % 3);
        return { Person, Group, Score: scores[Group as 0] + own / 10, Weight: weights[Person % weights.length] };
      });
      const compare = letters({ overlap: "account" });
      const options = { per: "Person", by: "Group", weight: "Weight", compare } as const;
      const groups = meanOf(await FindingsTable.from(findings), "Score", options);
      const difference = expect.closeTo(scores[0] - scores[1], 9);
      const tests = [{ other: 1, difference, t: null, freedom: null, p: null, corrected: null }];
      expect(groups.map(({ letters, tests }) => [letters, tests])).toEqual([
        ["", tests],
        ["", []],
      ]);
      for (const { key, mean, ...group } of isShared ? [] : groups)
        expect([mean, group]).toMatchObject([expect.closeTo(scores[key as 0], 9), { sd: 0, low: mean, high: mean }]);
    }),
    { numRuns: timesOf(2_000) },
  );
});

test("the test of two means knows no unit, and the interval of a Net Promoter Score ends at 100", async () => {
  const scores = [1, 4, 2, 8, 5, 7].map((one) => [one, (3 * one) % 11]);
  const tOf = async (unit: number, zero = 0) => {
    const findings = scores.flatMap((own, Person) =>
      own.map((one, Group) => ({ Person, Group, Score: zero + one * unit })),
    );
    const options = { per: "Person", by: "Group", compare: letters({ overlap: "account" }) } as const;
    return meanOf(await FindingsTable.from(findings), "Score", options)[0]?.tests[0]?.t;
  };
  const t = (await tOf(1)) as number;
  expect(await tOf(1e-9)).toBeCloseTo(t, 9);
  // Of a time in milliseconds, a double keeps four digits of such a spread.
  expect(await tOf(1, 1.7e12)).toBeCloseTo(t, 3);
  const both = await FindingsTable.from([0, 10].map((Score, Person) => ({ Person, Score })));
  expect(meanOf(both, "Score", { per: "Person", as: "nps" })).toMatchObject([{ low: -100, high: 100 }]);
});

test("a row of each respondent has a 1 for each topic, and says who has none", async () => {
  const table = await FindingsTable.from([
    { Person: 2, Topic: "Price", Sentiment: -2 },
    { Person: 2, Topic: "Price", Sentiment: 1 },
    { Person: 1, Topic: "Check-in", Sentiment: 1 },
    { Person: 10, Topic: null, Sentiment: 0 },
    // Nobody's topic has no column.
    { Person: null, Topic: "App", Sentiment: 2 },
  ]);
  const base = await FindingsTable.from(
    [1, 2, 3, 10].map((Person) => ({ Person, Segment: Person > 2 ? "old" : "new" })),
  );
  const { rows, labels } = respondentsOf(table, { per: "Person", by: "Topic", base, keep: ["Segment"] });
  expect(labels).toEqual({ Person: "Person", Segment: "Segment", T1: "Check-in", Price: "Price", T3: "No topic" });
  expect(rows).toEqual([
    { Person: 1, Segment: "new", T1: 1, Price: 0, T3: 0 },
    { Person: 2, Segment: "new", T1: 0, Price: 1, T3: 0 },
    { Person: 3, Segment: "old", T1: 0, Price: 0, T3: 1 },
    { Person: 10, Segment: "old", T1: 0, Price: 0, T3: 1 },
  ]);
  const means = respondentsOf(table, { per: "Person", by: "Topic", value: "Sentiment", keep: ["Topic"] }).rows;
  const texts = means.map(({ Price, Topic, T3 }) => `${Topic} ${Price} ${T3}`);
  expect(texts).toEqual(["Check-in null 0", "Price -0.5 0", "null null 1"]);
  const unknown = table.with("Score", { by: "Person", values: new Map([[2, 1]]) }) as typeof table;
  const scores = respondentsOf(unknown, { per: "Person", by: "Topic", value: "Score" as never }).rows;
  expect(scores.map(({ T1, T3 }) => `${T1} ${T3}`)).toEqual(["null 0", "null 0", "null 1"]);
  const few = await FindingsTable.from([{ Person: 1 }, { Person: 2 }]);
  expect(() => respondentsOf(table, { per: "Person", by: "Topic", base: few })).toThrow("base lacks Person 10");
  const twice = () => respondentsOf(table, { per: "Person", by: "Topic", keep: ["Sentiment"] });
  expect(twice).toThrow("Person 2 has two in Sentiment");
  const ofBase = () => respondentsOf(table, { per: "Person", by: "Topic", base, keep: ["Sentiment"] });
  expect(ofBase).toThrow('only the findings have the column "Sentiment"');
});

test("the columns of respondents have names that SPSS takes, each once, and labels with what they were called", async () => {
  const long = "x".repeat(64);
  const words = ["ALL", "Price", "a b", "price", "2x", "x_", "é", "T1", "V2", "a.b", long, `${long}x`, "No topic"];
  const names = fc.uniqueArray(fc.constantFrom(...words), { minLength: 2 });
  await fc.assert(
    fc.asyncProperty(names, fc.uniqueArray(fc.constantFrom(...words), { minLength: 1 }), async (columns, topics) => {
      const keys = columns.map((name) => name.replace(".", "\\."));
      const table = await FindingsTable.from<any>(
        topics.map((Of, at) => ({ Of, ...Object.fromEntries(columns.map((name) => [name, at])) })),
      );
      const { rows, labels } = respondentsOf(table, { per: keys.slice(0, 1), by: "Of", keep: keys.slice(1) });
      const found = Object.keys(rows[0] as object);
      expect(new Set(found.map((name) => name.toLowerCase())).size).toBe(found.length);
      for (const name of found) expect(name).toMatch(/^(?!all$)[a-z][\w.]{0,63}(?<![._])$/i);
      const called = found.map((name) => labels[name] as string);
      const lower = called.map((name) => name.toLowerCase());
      // A valid name stays: of equal ones the first.
      const stays = (name: string, at: number) =>
        /^(price|t1|v2|a\.b|x{64})$/i.test(name) && lower.indexOf(lower[at] as string) === at;
      expect(found).toEqual(called.map((name, at) => (stays(name, at) ? name : expect.anything())));
      expect(called).toEqual([...columns, ...[...topics].sort(), "No topic"]);
      expect(rows.map((row) => row[found[0] as string])).toEqual(topics.map((_, at) => at));
    }),
    { numRuns: timesOf(500) },
  );
});
