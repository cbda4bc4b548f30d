/**
 * The property of tables that continue from earlier ones with `growth`: whatever has become of the inspection between two calls, a call
 * requests what the documentation says, each partition is the earlier one or that of the service, and `progress.growth` says which.
 */

import fc from "fast-check";
import { FindingsClient, FindingsTable, type Options, type Progress } from "inspection-findings";
import { expect } from "vitest";
import { keysOf } from "../arrow/streams.js";
import * as model from "../browser/model";
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

type ChangeName = "nothing" | "append" | "edit" | "cut" | "shrink";

/** Returns an inspection after a change; `draw` draws a finding for a partition. */
type Change = (partitions: Partitions, random: Random, draw: (index: number) => object) => Partitions;

/** A table, and what it must have. */
interface Loaded {
  readonly table: Table;
  readonly partitions: Partitions;
}

const changes: Record<ChangeName, Change> = {
  nothing: (partitions) => partitions,
  append(partitions, random, draw) {
    const grown = [...partitions];
    const last = grown.pop();
    if (last !== undefined) grown.push([...last, ...several(random.integer(0, 3), () => draw(grown.length))]);
    for (const size of several(random.integer(0, 3), () => random.integer(0, 20)))
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
  let partitions: Partitions = several(history.partitions, (index) =>
    several(random.integer(0, 20), () => draw(index)),
  );
  const shown = (finding: object) => (columns === undefined ? finding : model.pruned(finding, columns.map(keysOf)));
  const all: { table: Table; findings: object[] }[] = [];
  let earlier: Loaded | undefined;
  for (const step of steps) {
    const random = new Random(step.seed);
    partitions = changes[step.change](partitions, random, draw);
    const from = earlier && { ...earlier, table: step.isReopened ? await reopened(earlier.table) : earlier.table };
    const service = new Service(partitions);
    using client = new FindingsClient({
      baseUrl,
      fetch: service.fetch as typeof fetch,
      worker: workers && step.worker,
    });
    let last: Progress | undefined;
    const { growth } = step;
    const options = {
      columns,
      growth,
      from: from?.table ?? null,
      onProgress: (progress: Progress) => (last = progress),
    };
    const { table, shows } = await load(client, step.isLive, options as Options);
    if (step.isLive) expect(shows).toBe(from?.partitions.flat().length ?? 0);
    const expected = expectedOf(from?.partitions, partitions, growth, service.requested);
    expect({ requested: service.requested.toSorted((one, other) => one - other), growth: last?.growth }).toEqual({
      requested: expected.requested,
      growth: expected.growth,
    });
    expect(last).toMatchObject({ partitionsDone: partitions.length, findingsDone: expected.partitions.flat().length });
    const findings = expected.partitions.flat().map(shown);
    expectSame(table.toArray(), findings);
    use(table, { findings, random, names: askable(table, allowedOf(columns)) });
    all.push({ table, findings });
    earlier = { table, partitions: expected.partitions };
  }
  for (const { table, findings } of all) {
    expectSame(table.toArray(), findings);
    table.free();
  }
}

/** What a call with `from` gives that has sent these requests. */
function expectedOf(before: Partitions | undefined, now: Partitions, growth: Step["growth"], requested: number[]) {
  const each = [...now.keys()];
  if (before === undefined) return { partitions: now, requested: each, growth: undefined };
  const [sizeBefore, size] = [before.flat().length, now.flat().length];
  if (before.length === now.length && sizeBefore === size)
    return { partitions: before, requested: [], growth: undefined };
  if (growth !== "append") return { partitions: now, requested: each, growth: undefined };
  const all = { partitions: now, requested: each, growth: "reload" };
  const older = before.length - 1;
  if (now.length < before.length || size < sizeBefore || older < 3) return all;
  const checks = requested.filter((index) => index < older).slice(0, 2);
  const partitions = now.map((partition, index) =>
    index < older && !checks.includes(index) ? (before[index] as object[]) : partition,
  );
  const isSame = checks.every((index) => JSON.stringify(before[index]) === JSON.stringify(now[index]));
  if (!isSame || partitions.flat().length !== size) return all;
  const kept = each.filter((index) => index >= older || checks.includes(index));
  expect(new Set(checks).size).toBe(2);
  return { partitions, requested: kept, growth };
}

/** Loads a table. Of a live table, also returns the number of findings that it shows first. */
async function load(client: FindingsClient, isLive: boolean, options: Options) {
  if (!isLive) return { table: (await client.loadTable(1, "sentiment", options)) as Table, shows: 0 };
  const live = client.watchTable(1, "sentiment", options);
  const shows = live.getSnapshot().table.length;
  return { table: (await live.done) as Table, shows };
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

/** A service that notes which partitions are requested, in order. */
class Service {
  readonly requested: number[] = [];
  readonly #partitions: Partitions;

  constructor(partitions: Partitions) {
    this.#partitions = partitions;
  }

  readonly fetch = async (href: string) => {
    const index = href.match(/\/Sentiment\/(\d+)$/)?.[1];
    if (index !== undefined) {
      this.requested.push(Number(index));
      return Response.json({ Findings: this.#partitions[Number(index)] });
    }
    const [partitions, findings] = [this.#partitions.length, this.#partitions.flat().length];
    return Response.json({ SentimentPartitions: partitions, SentimentFindings: findings });
  };
}
