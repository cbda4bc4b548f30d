/**
 * The property of the border between JavaScript and Rust: whatever is asked of the snapshots of a live table, in whatever order, while
 * partitions arrive, the results are those of plain JavaScript over the findings that have arrived.
 */

import fc from "fast-check";
import { FindingsClient, FindingsTable, type LiveSnapshot, type Options } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { crosstab, meanOf } from "inspection-findings/survey";
import { expect } from "vitest";
import { keysOf, readByFlechette, valuesOf } from "../arrow/streams.js";
import * as model from "../browser/model";
import { expectSame } from "../browser/same.js";
import { timesOf } from "../counts.js";
import { Random } from "../random.js";

export type Table = FindingsTable<any>;

export const baseUrl = "https://service.invalid/";

/** What an inspection is made of. Its findings are drawn from the seed. */
interface Inspection {
  readonly seed: number;
  /** The number of findings of each partition, in the order of their arrival. */
  readonly arrivals: { readonly index: number; readonly size: number }[];
  /** How many topic groups there are: few have large counts. */
  readonly groups: number;
  /** How often a comment is a new one. */
  readonly novelty: number;
  /** The option `columns`. */
  readonly columns: string[] | undefined;
  readonly steps: Step[];
}

/** What is asked of a snapshot. */
interface Step {
  /** How many partitions have arrived before. */
  readonly after: number;
  readonly use: keyof typeof uses;
  /** Whether the last snapshot is asked, or one before. */
  readonly isLast: boolean;
  readonly seed: number;
}

/** The names of all columns. */
export const names = [
  "Comment",
  "RespondentKey",
  "Sentiment",
  "Tags",
  "Topic",
  "Topic.Start",
  "Topic.Text",
  "TopicGroup",
  "Weight",
];

/** The findings that a table must have, and what a use may ask. */
interface Asked {
  readonly findings: object[];
  readonly random: Random;
  /** The names that every finding or none may have. */
  readonly names: string[];
  /** Those of numbers whose sums are exact in any order, if not all are. */
  readonly summed?: string[];
}

const uses: Record<string, (table: Table, asked: Asked) => unknown> = {
  at(table, { findings, random }) {
    for (let time = 0; time < 5; time++) {
      const index = random.integer(-findings.length - 1, findings.length);
      expectSame(table.at(index), findings.at(index));
    }
  },
  slice(table, { findings, random }) {
    const [from, to] = [random.integer(-5, findings.length), random.integer(-5, findings.length)];
    expectSame(table.slice(from, to), findings.slice(from, to));
  },
  toArray: (table, { findings }) => expectSame(table.toArray(), findings),
  column(table, { findings, random, names }) {
    if (names.length === 0) return;
    const name = random.oneOf(names);
    expectSame(table.column(name), valuesUnder(name, findings));
  },
  countBy(table, { findings, random, names }) {
    const some = random.someOf(names, random.integer(0, 2));
    const distinct = random.chance(0.4) ? random.someOf(names, random.integer(1, 2)) : [];
    for (let time = 0; time < 2; time++) {
      const option: any = distinct.length === 1 && random.chance(0.5) ? distinct[0] : distinct;
      const groups: any[] = distinct.length === 0 ? table.countBy(some) : table.countBy(some, { distinct: option });
      const paths = some.map(keysOf);
      expect(groups).toEqual(
        distinct.length === 0
          ? model.countBy(findings, paths)
          : model.countDistinct(findings, paths, ...distinct.map(keysOf)),
      );
      // The page may change what is its own.
      for (const { key } of groups) for (const value of key) if (Array.isArray(value)) value.push("changed");
    }
  },
  summarize(table, { findings, random, names, summed = names }) {
    const numbers = summed.filter((name) => names.includes(name));
    if (numbers.length === 0) return;
    const [value, other] = [random.oneOf(numbers), random.oneOf(names)];
    const some = random.someOf(names, random.integer(0, 2));
    const paths = some.map(keysOf);
    const groups = model.summarize(findings, paths, keysOf(value));
    expect(table.summarize(some, value)).toEqual(groups);
    const distinct = model.countDistinct(findings, paths, keysOf(other));
    expect(table.summarize(some, { mean: value, other: { distinct: other }, b: { min: value } })).toEqual(
      groups.map(({ key, count, mean, min }, place) => ({
        key,
        count,
        mean,
        other: distinct[place]?.distinct,
        b: min,
      })),
    );
  },
  filter(table, asked) {
    const { findings, random, names } = asked;
    if (names.length === 0) return;
    const columns = new Map(names.map((name) => [name, keysOf(name)]));
    const wheres = Array.from({ length: random.integer(1, 2) }, () =>
      Object.fromEntries(random.someOf(names, random.integer(1, 2)).map((name) => [name, conditionOn(name, asked)])),
    );
    const given: any = wheres.length === 1 ? wheres[0] : wheres;
    if (wheres.some((where) => model.hasWrongTypes(findings, where, columns))) {
      // What a view holds does not decide alone, and more findings may have other types.
      if (table.isComplete) expect(() => table.filter(given)).toThrow(TypeError);
      return;
    }
    using view = table.filter(given);
    const kept = findings.filter((finding) => wheres.some((where) => model.meets(finding, where, columns)));
    use(view, { ...asked, findings: kept });
  },
  sortBy(table, asked) {
    const { findings, random, names } = asked;
    const by = random.someOf(names, random.integer(0, 2));
    const directions = by.map(() => random.oneOf(["asc", "desc"] as const));
    using view = table.sortBy(by, directions);
    use(view, { ...asked, findings: model.sortBy(findings, by.map(keysOf), directions) });
  },
  select(table, asked) {
    const { findings, random, names } = asked;
    const named = names.filter((name) => name !== "");
    const some = random.someOf(named, random.integer(1, 4));
    using copy = table.select(...some);
    const paths = some.map(keysOf);
    use(copy, {
      ...asked,
      findings: findings.map((finding) => model.pruned(finding, paths)),
      names: names.filter((name) => some.some((kept) => name === kept || name.startsWith(`${kept}.`))),
    });
  },
  crosstab(table, asked) {
    const { findings, random, names } = asked;
    if (names.length < 2) return;
    const distinct = random.chance(0.5) ? random.oneOf(names) : undefined;
    const share = random.oneOf(["row", "column", "total"] as const);
    // Conditions of both axes on one column may compare with types that only some rows have.
    const half = names.length >> 1;
    const [rows, columns] = [axisOf(asked, names.slice(0, half)), axisOf(asked, names.slice(half))];
    if (rows === undefined || columns === undefined) return;
    const expected = model.crosstab(
      findings,
      rows.keysOf,
      columns.keysOf,
      distinct === undefined ? distinct : keysOf(distinct),
      share,
    );
    const { cells, total, ...headings } = crosstab(table, rows.axis as any, columns.axis as any, {
      distinct,
      share,
    }) as any;
    expect(total).toBe(expected.total);
    // The order of equal totals is that of the first occurrence, which the model of `countBy` proves.
    for (const side of ["rows", "columns"] as const) {
      const known = headings[side].filter(({ total }: any) => total > 0);
      expect(byKey(known)).toEqual(byKey(expected[side]));
    }
    const some = cells.filter(({ count }: any) => count > 0);
    expect(byKey(some)).toEqual(byKey(expected.cells));
    expect(cells).toHaveLength(headings.rows.length * headings.columns.length);
  },
  meanOf(table, { findings, random, names, summed = names }) {
    const numbers = summed.filter((name) => names.includes(name));
    if (numbers.length === 0) return;
    const [column, per] = [random.oneOf(numbers), random.oneOf(names)];
    const by = random.someOf(names, random.integer(1, 2));
    const expected = model.meanOf(findings, by.map(keysOf), keysOf(per), keysOf(column));
    const means = meanOf(table, column, { by, per });
    const near = (mean: number) => expect.closeTo(mean, 9);
    expect(byKey(means)).toEqual(byKey(expected).map(({ mean, ...rest }: any) => ({ ...rest, mean: near(mean) })));
  },
  toArrowIPC(table, { findings }) {
    // Of a field that also holds objects, the stream says nothing that its other columns do not.
    const names = table.columns.filter((name) => !valuesUnder(name, findings).some(isObject));
    for (const { name, read, expected } of valuesOf(readByFlechette(toArrowIPC(table)), findings, names)) {
      // Of arrays that JSON.stringify writes alike, the stream has one.
      expectSame(
        Array.isArray(read) ? model.canonical(read) : read,
        Array.isArray(expected) ? model.canonical(expected) : expected,
        name,
      );
    }
  },
};

/** An axis of a cross tabulation, with the keys under which it counts a finding. */
function axisOf(asked: Asked, names = asked.names) {
  const { findings, random } = asked;
  const some = random.someOf(names, random.integer(1, 2));
  if (random.chance(0.6)) {
    const paths = some.map(keysOf);
    const keyOf = (finding: object) => paths.map((path) => model.canonical(model.valueAt(finding, path)));
    if (some.length > 1) return { axis: some, keysOf: (finding: object) => [keyOf(finding)] };
    return { axis: some[0], keysOf: (finding: object) => [keyOf(finding)[0]] };
  }
  const columns = new Map(names.map((name) => [name, keysOf(name)]));
  const conditions = ["one", "other"].map((key) => {
    const name = random.oneOf(names);
    return [key, { [name]: conditionOn(name, asked) }] as const;
  });
  if (conditions.some(([, where]) => model.hasWrongTypes(findings, where, columns))) return;
  return {
    axis: Object.fromEntries(conditions),
    keysOf: (finding: object) =>
      conditions.filter(([, where]) => model.meets(finding, where, columns)).map(([key]) => key),
  };
}

/** In an order that depends on nothing but what they are. */
function byKey(list: readonly any[]): any[] {
  const text = ({ key, row, column }: any) =>
    JSON.stringify([key, row, column], (_, value) =>
      (value ?? null) !== null && (typeof value !== "number" || Number.isFinite(value)) ? value : { is: `${value}` },
    );
  return [...list].sort((one, other) => (text(one) < text(other) ? -1 : 1));
}

/** The uses that end in another table, so that one of them follows another. */
const ofViews = ["filter", "sortBy", "select"];

/** The uses of survey data. Odd values as keys of cross tabulations are not what they are for. */
const ofSurveys = ["crosstab", "meanOf"];

/** Uses a table in a random way. */
export function use(table: Table, asked: Asked) {
  expect(table.length).toBe(asked.findings.length);
  const name = asked.random.oneOf(
    Object.keys(uses).filter(
      (name) => !ofSurveys.includes(name) && (!ofViews.includes(name) || asked.random.chance(0.3)),
    ),
  );
  uses[name]?.(table, asked);
}

function valuesUnder(name: string, findings: object[]) {
  return findings.map((finding) => model.valueAt(finding, keysOf(name)));
}

function isObject(value: unknown) {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** A condition on a column, which some of the findings may meet. */
function conditionOn(name: string, { findings, random }: Asked): unknown {
  const values = valuesUnder(name, findings).filter((value) => typeof value !== "object");
  const one = values.length > 0 ? random.oneOf(values) : undefined;
  const text = typeof one === "string" ? one.slice(0, 2) : random.oneOf(["a", "É", "ΑΣ", ""]);
  const min = typeof one === "number" ? one : -1;
  const plain = random.oneOf<unknown>([
    one ?? { missing: true },
    [one ?? null, null, "1"],
    { contains: random.oneOf([text, text.toUpperCase()]) },
    { min, max: random.oneOf([undefined, min + 2]) },
    { missing: true },
  ]);
  return random.chance(0.3) ? { not: plain } : plain;
}

const inspections: fc.Arbitrary<Inspection> = fc.record({
  seed: fc.nat(),
  arrivals: fc
    .uniqueArray(fc.record({ index: fc.nat(15), size: fc.constantFrom(0, 1, 3, 20, 60) }), {
      selector: ({ index }) => index,
      minLength: 1,
      maxLength: 10,
    })
    // The indexes are those from 0 on, in any order.
    .map((arrivals) => {
      const sorted = arrivals.map(({ index }) => index).sort((one, other) => one - other);
      return arrivals.map(({ index, size }) => ({ index: sorted.indexOf(index), size }));
    }),
  groups: fc.constantFrom(1, 2, 7, 100),
  novelty: fc.constantFrom(0, 0.1, 1),
  columns: fc.option(
    fc.subarray(["TopicGroup", "Sentiment", "Comment", "Topic.Text", "Topic", "Weight", "RespondentKey"]),
    {
      nil: undefined,
    },
  ),
  steps: fc.array(
    fc.record({
      after: fc.nat(10),
      use: fc.constantFrom(...Object.keys(uses)),
      isLast: fc.boolean(),
      seed: fc.nat(),
    }),
    { maxLength: 25 },
  ),
});

/** Draws a finding. Some keys are in some partitions only, some texts in one alone; any sum of its numbers is exact. */
export function drawn(random: Random, { groups, novelty }: Pick<Inspection, "groups" | "novelty">, index: number) {
  const comment = () =>
    `${index}: ${random.next()} ${random.oneOf(["quiet rooms", "a café", "部屋", "😀 ".repeat(40)])}`;
  const finding: Record<string, unknown> = {
    RespondentKey: random.oneOf([1, 2 ** 29, -(2 ** 29) - 1, 2 ** 31, 2 ** 40]) - random.integer(0, 3),
    TopicGroup: random.chance(0.1) ? null : `Group ${random.integer(1, groups)}`,
    Comment: random.chance(novelty) ? comment() : random.oneOf(["good", "", "schön", "\ud800"]),
    Sentiment: random.integer(-2, 2),
  };
  if (index % 3 > 0)
    finding.Topic = random.chance(0.2) ? null : { Text: `Topic ${random.integer(0, 30)}`, Start: random.integer(0, 9) };
  if (random.chance(0.2)) finding.Tags = [random.integer(0, 2), { deep: random.oneOf(["", "tag"]) }];
  if (index % 4 === 3) finding.Weight = random.oneOf([0.5, 2 ** -9, 3, 2 ** 31 + 0.5, null]);
  return finding;
}

/** Expects the property of live tables whose calls have these options. */
export async function expectTrueSnapshots(options: Options): Promise<void> {
  await fc.assert(
    fc.asyncProperty(inspections, (inspection) => watch(inspection, options)),
    { numRuns: timesOf(300) },
  );
}

async function watch(inspection: Inspection, options: Options) {
  const { seed, arrivals, columns, steps } = inspection;
  const random = new Random(seed);
  const partitions = [...arrivals]
    .sort((one, other) => one.index - other.index)
    .map(({ index, size }) => Array.from({ length: size }, () => drawn(random, inspection, index)));
  const service = new Service(partitions);
  using client = new FindingsClient({ ...options, fetch: service.fetch as typeof fetch, concurrency: 16, baseUrl });
  using live = client.watchTable(1, "sentiment", columns && { columns });
  const kept = columns?.map(keysOf);
  const shown = (finding: object) => (kept === undefined ? finding : model.pruned(finding, kept));
  const allowed = names.filter((name) => (columns ?? [name]).some((one) => one === name || name.startsWith(`${one}.`)));
  const here = new Set<number>();
  const snapshots: { snapshot: LiveSnapshot<any>; members: string; findings: object[] }[] = [];
  const look = (snapshot: LiveSnapshot<any>) => {
    expect(snapshot.table.partitions).toEqual([...here].sort((one, other) => one - other));
    const findings = partitions.filter((_, index) => here.has(index)).flat();
    snapshots.push({ snapshot, members: membersOf(snapshot), findings: findings.map(shown) });
  };
  for (let arrived = 0; arrived <= arrivals.length; arrived++) {
    for (const step of steps.filter(({ after }) => after === arrived)) {
      if (snapshots.length === 0) continue;
      const drawnBy = new Random(step.seed);
      const { snapshot, findings } = step.isLast
        ? (snapshots.at(-1) as (typeof snapshots)[0])
        : drawnBy.oneOf(snapshots);
      uses[step.use]?.(snapshot.table, { findings, random: drawnBy, names: askable(snapshot.table, allowed) });
    }
    const next = arrivals[arrived];
    if (next === undefined) break;
    service.release(next.index);
    here.add(next.index);
    look(await atPartition(live, here.size));
  }
  const table: Table = await live.done;
  const all = partitions.flat().map(shown);
  expectSame(table.toArray(), all);
  using again = await FindingsTable.fromBytes<any>(table.toBytes());
  expectSame(again.toArray(), all);
  for (const { snapshot, members, findings } of snapshots) {
    expect(membersOf(snapshot)).toBe(members);
    expectSame(snapshot.table.toArray(), findings);
  }
}

/** The names that a query on a table accepts: any name, unless the table is whole. */
export function askable(table: Table, allowed: string[]) {
  const documented = ["Comment", "RespondentKey", "Sentiment", "TopicGroup"];
  const isKnown = (name: string) => table.columns.includes(name) || documented.includes(name);
  return table.isComplete && table.length > 0 ? allowed.filter(isKnown) : allowed;
}

/** All that a snapshot says, besides its findings. */
function membersOf({ state, progress, table }: LiveSnapshot<any>) {
  const { length, byteLength, columns, columnsTruncated, integersRounded, partitions, isComplete, savedAt, freed } =
    table;
  return JSON.stringify([
    state,
    progress,
    { length, byteLength, columns, columnsTruncated, integersRounded, partitions, isComplete, savedAt, freed },
    table,
  ]);
}

/** Resolves with the first snapshot that has this number of partitions. */
async function atPartition(live: { getSnapshot(): LiveSnapshot<any> }, count: number) {
  for (;;) {
    const snapshot = live.getSnapshot();
    if (snapshot.progress.partitionsDone === count) return snapshot;
    if (snapshot.state === "failed") throw snapshot.error;
    await new Promise((resolve) => setTimeout(resolve));
  }
}

/** A service whose partitions arrive when the test releases them. */
class Service {
  readonly #bodies: Promise<Uint8Array>[] = [];
  readonly #releases: (() => void)[] = [];
  readonly #counts: string;

  constructor(partitions: object[][]) {
    const findings = partitions.flat().length;
    this.#counts = JSON.stringify({ SentimentPartitions: partitions.length, SentimentFindings: findings });
    for (const Findings of partitions) {
      const { promise, resolve } = Promise.withResolvers<Uint8Array>();
      this.#bodies.push(promise);
      this.#releases.push(() => resolve(new TextEncoder().encode(JSON.stringify({ Findings }))));
    }
  }

  release(index: number) {
    this.#releases[index]?.();
  }

  readonly fetch = async (href: string) => {
    const index = href.match(/\/Sentiment\/(\d+)$/)?.[1];
    const body = index === undefined ? this.#counts : await this.#bodies[Number(index)];
    return new Response(body as BodyInit);
  };
}
