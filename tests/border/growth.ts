/**
 * The property of tables that continue from earlier ones with `growth`: whatever has become of the inspection between two calls, a call
 * requests what the documentation says, also if a partition fails, each partition is the earlier one or that of the service,
 * `progress.growth` says which, and a live table shows the earlier findings until it has others for each of their partitions.
 */

import fc from "fast-check";
import { FindingsClient, FindingsTable, type LiveSnapshot, type Options, type Progress } from "inspection-findings";
import { expect } from "vitest";
import { keysOf } from "../arrow/streams.js";
import * as model from "../browser/model";
import { outcomeOf } from "../browser/outcome.js";
import { expectSame } from "../browser/same.js";
import { timesOf } from "../counts.js";
import { Random } from "../random.js";
import { askable, baseUrl, drawn, names, type Table, use } from "./snapshots";

/** What becomes of an inspection, and how it is loaded then. */
interface Step {
  readonly change: ChangeName;
  readonly growth: "append" | "reload" | undefined;
  /** Whether the earlier table is saved and opened before. */
  readonly isReopened: boolean;
  readonly isLive: boolean;
  readonly worker: boolean;
  readonly collects: boolean;
  /** Which partition that is requested, from 0, fails once, if the call can go on then. */
  readonly failing: number | undefined;
  readonly seed: number;
}

/** An inspection that is loaded several times. */
interface History {
  readonly seed: number;
  readonly partitions: number;
  readonly groups: number;
  readonly novelty: number;
  readonly columns: string[] | undefined;
  readonly steps: Step[];
}

type Partitions = object[][];

const ascending = (one: number, other: number) => one - other;

type ChangeName = "nothing" | "append" | "edit" | "cut" | "shrink";

/** Returns an inspection after a change; `draw` draws a finding for a partition. */
type Change = (partitions: Partitions, random: Random, draw: (index: number) => object) => Partitions;

/** A table, what it must have, and the total that the service has sent. */
interface Loaded {
  readonly table: Table;
  readonly partitions: Partitions;
  readonly total: number;
}

/** What a call must give that has sent some requests. */
interface Expected {
  readonly partitions: Partitions;
  readonly requested: number[];
  readonly growth: "append" | "reload" | undefined;
}

const changes: Record<ChangeName, Change> = {
  nothing: (partitions) => partitions,
  append(partitions, random, draw) {
    const grown = [...partitions];
    const last = grown.pop();
    if (last !== undefined) grown.push([...last, ...several(random.integer(0, 3), () => draw(grown.length))]);
    for (const size of several(random.integer(0, 3), () => sizeIn(random)))
      grown.push(several(size, () => draw(grown.length)));
    return grown;
  },
  edit(partitions, random, draw) {
    const grown = changes.append(partitions, random, draw);
    if (grown.length === 0) return grown;
    const index = random.integer(0, grown.length - 1);
    return grown.with(index, [draw(index), ...(grown[index] ?? []).slice(1)]);
  },
  cut(partitions, random, draw) {
    const grown = changes.append(partitions, random, draw);
    const same = random.integer(0, grown.length);
    const [rest, size] = [grown.slice(same).flat(), random.integer(1, 20)];
    const cut = several(Math.ceil(rest.length / size), (index) => rest.slice(index * size, (index + 1) * size));
    return [...grown.slice(0, same), ...cut];
  },
  shrink: (partitions, random) => partitions.slice(0, random.integer(0, partitions.length)),
};

const histories: fc.Arbitrary<History> = fc.record({
  seed: fc.nat(),
  partitions: fc.integer({ min: 0, max: 12 }),
  groups: fc.constantFrom(1, 7, 100),
  novelty: fc.constantFrom(0, 0.1, 1),
  columns: fc.option(fc.subarray(["TopicGroup", "Comment", "Topic", "RespondentKey"]), { nil: undefined }),
  steps: fc.array(
    fc.record({
      change: fc.constantFrom<ChangeName[]>("nothing", "append", "append", "edit", "cut", "shrink"),
      growth: fc.constantFrom("append" as const, "append" as const, "append" as const, "reload" as const, undefined),
      isReopened: fc.boolean(),
      isLive: fc.boolean(),
      worker: fc.boolean(),
      collects: fc.boolean(),
      failing: fc.option(fc.nat(6), { nil: undefined }),
      seed: fc.nat(),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

/** Expects the property of calls that decode in a worker at random, if there are workers. */
export async function expectTrueGrowth({ workers }: { workers: boolean }): Promise<void> {
  await fc.assert(
    fc.asyncProperty(histories, (history) => follow(history, workers)),
    { numRuns: timesOf(150) },
  );
}

async function follow(history: History, workers: boolean) {
  const { columns, steps } = history;
  const random = new Random(history.seed);
  const draw = (index: number) => drawn(random, history, index);
  let partitions: Partitions = several(history.partitions, (index) => several(sizeIn(random), () => draw(index)));
  const shown = (finding: object) => (columns === undefined ? finding : model.pruned(finding, columns.map(keysOf)));
  const all: { table: Table; findings: object[] }[] = [];
  let earlier: Loaded | undefined;
  for (const step of steps) {
    const random = new Random(step.seed);
    partitions = changes[step.change](partitions, random, draw);
    const from = earlier && { ...earlier, table: step.isReopened ? await reopened(earlier.table) : earlier.table };
    const service = new Service(partitions, step.isLive || step.collects ? step.failing : undefined);
    using client = new FindingsClient({
      baseUrl,
      fetch: service.fetch as typeof fetch,
      worker: workers && step.worker,
    });
    const { table, error, progress, snapshots } = await load(client, service, step, {
      columns,
      ...(from && { from: from.table, growth: step.growth }),
    });
    const total = partitions.flat().length;
    const expected = expectedOf(from, partitions, step, service, (findings) => JSON.stringify(findings.map(shown)));
    const received = expected.partitions.flat().length;
    expect({ requested: [...service.requested].toSorted(ascending), growth: progress?.growth }).toEqual({
      requested: expected.requested,
      growth: expected.growth,
    });
    expect(progress).toMatchObject({ partitionsDone: partitions.length, findingsDone: received });
    expect(error).toEqual(received === total ? undefined : expect.objectContaining({ code: "incomplete" }));
    expectKept(snapshots, from, expected, shown);
    const findings = expected.partitions.flat().map(shown);
    expectSame(table.toArray(), findings);
    if (error === undefined) use(table, { findings, random, names: askable(table, allowedOf(columns)) });
    all.push({ table, findings });
    earlier = { table, partitions: expected.partitions, total };
  }
  for (const { table, findings } of all) {
    expectSame(table.toArray(), findings);
    table.free();
  }
}

/** What a call with `from` gives that has sent these requests, first those that decide. `textOf` tells findings apart as the call does. */
function expectedOf(
  from: Loaded | undefined,
  now: Partitions,
  { growth, collects }: Step,
  { requested, failed }: Service,
  textOf: (findings: object[]) => string,
): Expected {
  const all = { partitions: now, requested: [...now.keys()], growth: undefined };
  if (from === undefined) return all;
  const { partitions: before, total: totalBefore } = from;
  const total = now.flat().length;
  const isWrong = before.flat().length !== totalBefore;
  if (before.length === now.length && totalBefore === total) {
    return isWrong ? all : { partitions: before, requested: [], growth: undefined };
  }
  if (growth !== "append") return all;
  const reload = { ...all, growth: "reload" as const };
  const older = [...before.slice(0, -1).keys()];
  const telling = older.filter((index) => before[index]?.length !== 0);
  const hasShrunk = now.length < before.length || total < totalBefore;
  if (isWrong || hasShrunk || older.length < 3 || telling.length < 2) return reload;
  const checks = [...requested].slice(0, 2);
  expect(telling).toEqual(expect.arrayContaining(checks));
  const isLost = collects && failed !== undefined && checks.includes(failed);
  const isSame = checks.every((index) => textOf(before[index] ?? []) === textOf(now[index] ?? []));
  if (isLost || !isSame) return reload;
  const isKept = (index: number) => index < older.length;
  return {
    partitions: now.map((partition, index) => (isKept(index) ? (before[index] ?? []) : partition)),
    requested: all.requested.filter((index) => !isKept(index) || checks.includes(index)),
    growth,
  };
}

/** Expects that a live table has shown all findings of the earlier table until what the call has of them was whole. */
function expectKept(
  snapshots: readonly LiveSnapshot<any>[],
  from: Loaded | undefined,
  { partitions, growth }: Expected,
  shown: (finding: object) => object,
) {
  const before = from?.partitions ?? [];
  const first = before.flat().map(shown);
  const text = JSON.stringify(first);
  let isFirst = true;
  for (const { table, progress } of snapshots) {
    isFirst &&= JSON.stringify(table.toArray()) === text;
    if (isFirst) continue;
    const indexes = table.partitions ?? [];
    expectSame(table.toArray(), indexes.flatMap((index) => partitions[index] ?? []).map(shown));
    expect(progress).toMatchObject({ partitionsDone: indexes.length, findingsDone: table.length });
    expect(progress.growth).toBe(growth);
    if (growth === "append") expect(indexes).toEqual(expect.arrayContaining([...before.keys()]));
  }
}

/** Loads a table, again if a partition fails. Returns the snapshots of a live table, too. */
async function load(client: FindingsClient, service: Service, step: Step, given: object) {
  let progress: Progress | undefined;
  const onProgress = (now: Progress) => {
    progress = now;
  };
  const failurePolicy = step.collects ? "collect" : "fail-fast";
  const options = { ...given, failurePolicy, onProgress } as Options;
  const snapshots: LiveSnapshot<any>[] = [];
  let done: Promise<unknown>;
  let resume: (error: any) => Promise<unknown>;
  if (step.isLive) {
    const live = client.watchTable(1, "sentiment", options);
    const note = () => void snapshots.push(live.getSnapshot());
    note();
    live.subscribe(note);
    service.onRequest = note;
    done = live.done;
    resume = () => {
      note();
      live.resume();
      note();
      return live.done;
    };
  } else {
    done = client.loadTable(1, "sentiment", options);
    resume = (error) => error.resume();
  }
  let outcome = await outcomeOf(done);
  if (service.failed !== undefined) {
    expect(outcome.reason.code).toBe(step.collects ? "partial" : "http");
    outcome.reason.table?.free();
    outcome = await outcomeOf(resume(outcome.reason));
  }
  const { value, reason: error } = outcome;
  return { table: (value ?? error.table) as Table, error, progress, snapshots };
}

async function reopened(table: Table): Promise<Table> {
  return FindingsTable.fromBytes<any>(table.toBytes());
}

function allowedOf(columns: string[] | undefined) {
  return names.filter((name) => (columns ?? [name]).some((one) => one === name || name.startsWith(`${one}.`)));
}

function several<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The number of findings of a partition, which is often empty. */
function sizeIn(random: Random) {
  return random.chance(0.3) ? 0 : random.integer(1, 20);
}

/** A service that notes which partitions are requested, in order. The n-th partition that is requested, from 0, fails once. */
class Service {
  readonly requested = new Set<number>();
  failed: number | undefined;
  onRequest = () => {};
  readonly #partitions: Partitions;
  readonly #failing: number | undefined;

  constructor(partitions: Partitions, failing: number | undefined) {
    this.#partitions = partitions;
    this.#failing = failing;
  }

  readonly fetch = async (href: string) => {
    this.onRequest();
    const index = href.match(/\/Sentiment\/(\d+)$/)?.[1];
    if (index !== undefined) return this.#partition(Number(index));
    const [partitions, findings] = [this.#partitions.length, this.#partitions.flat().length];
    return Response.json({ SentimentPartitions: partitions, SentimentFindings: findings });
  };

  #partition(index: number) {
    this.requested.add(index);
    if (this.failed === undefined && this.requested.size - 1 === this.#failing) {
      this.failed = index;
      return new Response(undefined, { status: 404 });
    }
    return Response.json({ Findings: this.#partitions[index] });
  }
}
