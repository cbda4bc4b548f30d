/**
 * The property of tables that continue from earlier ones: whatever has become of the inspection between two calls, also if a partition
 * fails, a call has the service's findings of each partition that it has requested, and the earlier ones of all others. The rules by
 * which it decides are proved in Rust.
 */

import fc from "fast-check";
import { FindingsClient, FindingsTable, type Options, type Progress } from "inspection-findings";
import { expect } from "vitest";
import { keysOf } from "../arrow/streams.js";
import * as model from "../browser/model";
import { outcomeOf } from "../browser/outcome.js";
import { expectSame } from "../browser/same.js";
import { timesOf } from "../counts.js";
import { Random } from "../random.js";
import { allowedOf, baseUrl, drawn, Service, type Traits } from "./inspections";
import { ask, askable, type Table } from "./questions";

type Partitions = object[][];

/** Returns an inspection after a change; `draw` draws a finding for a partition. */
type Change = (partitions: Partitions, random: Random, draw: (index: number) => object) => Partitions;

const changes = {
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
} satisfies Record<string, Change> as Record<"nothing" | "append" | "edit" | "cut" | "shrink", Change>;

/** What becomes of an inspection, and how it is loaded then. */
interface Step {
  readonly change: keyof typeof changes;
  readonly growth: "append" | "reload" | undefined;
  /** Whether the earlier table is saved and opened before. */
  readonly isReopened: boolean;
  readonly worker: boolean;
  /** Which partition that is requested, from 0, fails once in a call that collects; undefined in another one. */
  readonly failing: number | undefined;
  readonly seed: number;
}

/** An inspection that is loaded several times. */
interface History extends Traits {
  readonly seed: number;
  readonly partitions: number;
  readonly columns: string[] | undefined;
  readonly steps: Step[];
}

/** A table, what it must have, and the total that the service has sent. */
interface Loaded {
  readonly table: Table;
  readonly partitions: Partitions;
  readonly total: number;
}

const histories: fc.Arbitrary<History> = fc.record({
  seed: fc.nat(),
  partitions: fc.integer({ min: 0, max: 12 }),
  groups: fc.constantFrom(1, 7, 100),
  novelty: fc.constantFrom(0, 0.1, 1),
  columns: fc.option(fc.subarray(["TopicGroup", "Comment", "Topic", "RespondentKey"]), { nil: undefined }),
  steps: fc.array(
    fc.record({
      change: fc.constantFrom<Step["change"][]>("nothing", "append", "append", "edit", "cut", "shrink"),
      growth: fc.constantFrom<Step["growth"][]>("append", "append", "append", "reload", undefined),
      isReopened: fc.boolean(),
      worker: fc.boolean(),
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
    const from = step.isReopened ? await reopened(earlier?.table) : earlier?.table;
    const service = new FailingService(partitions, step.failing);
    using client = new FindingsClient({
      baseUrl,
      fetch: service.fetch as typeof fetch,
      worker: workers && step.worker,
    });
    const given = { columns, ...(from && { from, growth: step.growth }) };
    const { table, error, progress } = await load(client, service, step, given);
    const total = partitions.flat().length;
    const mayKeep = earlier !== undefined && (step.growth === "append" || isAlike(earlier, partitions));
    const isKept = (index: number) => mayKeep && !service.requested.has(index);
    const received = partitions.map((partition, index) =>
      isKept(index) ? (earlier?.partitions[index] ?? []) : partition,
    );
    const findings = received.flat().map(shown);
    expect(progress).toMatchObject({ partitionsDone: partitions.length, findingsDone: findings.length });
    expect(error).toEqual(findings.length === total ? undefined : expect.objectContaining({ code: "incomplete" }));
    expectSame(table.toArray(), findings);
    if (error === undefined) {
      const names = askable(table, allowedOf(columns), true);
      await ask(table, { findings, isComplete: true, isWhole: true, random, names });
    }
    all.push({ table, findings });
    earlier = { table, partitions: received, total };
  }
  for (const { table, findings } of all) {
    expectSame(table.toArray(), findings);
    table.free();
  }
}

/** Whether the service sends the same counts as before. */
function isAlike({ partitions, total }: Loaded, now: Partitions) {
  return partitions.length === now.length && total === now.flat().length;
}

/** Loads a table, again if a partition fails. */
async function load(client: FindingsClient, service: FailingService, { failing }: Step, given: object) {
  let progress: Progress | undefined;
  const onProgress = (now: Progress) => {
    progress = now;
  };
  const failurePolicy = failing === undefined ? "fail-fast" : "collect";
  const options = { ...given, failurePolicy, onProgress } as Options;
  let outcome = await outcomeOf(client.loadTable(1, "sentiment", options));
  if (service.failed !== undefined) {
    expect(outcome.reason.code).toBe("partial");
    outcome.reason.table?.free();
    outcome = await outcomeOf(outcome.reason.resume());
  }
  const { value, reason: error } = outcome;
  return { table: (value ?? error.table) as Table, error, progress };
}

async function reopened(table: Table | undefined): Promise<Table | undefined> {
  return table && FindingsTable.fromBytes<any>(table.toBytes());
}

function several<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index));
}

/** The number of findings of a partition, which is often empty. */
function sizeIn(random: Random) {
  return random.chance(0.3) ? 0 : random.integer(1, 20);
}

/** A service of which the n-th partition that is requested, from 0, fails once. */
class FailingService extends Service {
  failed: number | undefined;
  readonly #failing: number | undefined;

  constructor(partitions: Partitions, failing: number | undefined) {
    super(partitions);
    this.#failing = failing;
  }

  protected override async partition(index: number) {
    const response = super.partition(index);
    if (this.failed !== undefined || this.requested.size - 1 !== this.#failing) return response;
    this.failed = index;
    return new Response(undefined, { status: 404 });
  }
}
