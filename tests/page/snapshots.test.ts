/**
 * The property of the border between JavaScript and Rust: whatever is asked of the snapshots of a live table, in whatever order, while
 * partitions arrive, the results are those of plain JavaScript over the findings that have arrived.
 */

import fc from "fast-check";
import { FindingsClient, type LiveSnapshot } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";
import { Random } from "../random.js";
import { keysOf } from "../readers/arrow/streams.js";
import * as model from "./model";
import { askable, questions, type Table } from "./questions";
import { expectSame } from "./same.js";
import { Wire } from "./wire.js";

/** The names of all columns that a finding may have. */
const names = [
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
  readonly question: keyof typeof questions;
  /** Whether the last snapshot is asked, or one before. */
  readonly isLast: boolean;
  readonly seed: number;
}

/** A snapshot, and what it must say and have whenever it is asked. */
interface Seen {
  readonly snapshot: LiveSnapshot<any>;
  readonly members: string;
  readonly findings: object[];
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
    { nil: undefined },
  ),
  steps: fc.array(
    fc.record({
      after: fc.nat(10),
      question: fc.constantFrom(...Object.keys(questions)),
      isLast: fc.boolean(),
      seed: fc.nat(),
    }),
    { maxLength: 25 },
  ),
});

// P6, P10
test.for([false, true])(
  "each snapshot of a live table has the findings that have arrived, whatever is asked when; worker: %s",
  (worker) =>
    fc.assert(
      fc.asyncProperty(inspections, (inspection) => watch(inspection, worker)),
      { numRuns: timesOf(300) },
    ),
);

async function watch(inspection: Inspection, worker: boolean) {
  const { seed, arrivals, columns, steps } = inspection;
  const random = new Random(seed);
  const partitions = [...arrivals]
    .sort((one, other) => one.index - other.index)
    .map(({ index, size }) => Array.from({ length: size }, () => drawn(random, inspection, index)));
  const held = partitions.map(() => Promise.withResolvers<void>());
  const { fetch } = new Wire({
    counts: { SentimentPartitions: partitions.length, SentimentFindings: partitions.flat().length },
    findings: (index) => partitions[index] ?? [],
    respond: ({ index }) => held[index]?.promise,
  });
  using client = new FindingsClient({ worker, fetch, concurrency: 16, baseUrl: "https://service.invalid/" });
  using live = client.watchTable(1, "sentiment", columns && { columns });
  const kept = columns?.map(keysOf);
  const shown = (finding: object) => (kept === undefined ? finding : model.pruned(finding, kept));
  const allowed = names.filter((name) => (columns ?? [name]).some((one) => one === name || name.startsWith(`${one}.`)));
  const here = new Set<number>();
  const all: Seen[] = [];
  const look = (snapshot: LiveSnapshot<any>) => {
    expect(snapshot.table.partitions).toEqual([...here].sort((one, other) => one - other));
    const findings = partitions.filter((_, index) => here.has(index)).flat();
    all.push({ snapshot, members: membersOf(snapshot), findings: findings.map(shown) });
  };
  for (let arrived = 0; arrived <= arrivals.length; arrived++) {
    for (const step of steps.filter(({ after }) => after === arrived && all.length > 0)) {
      const random = new Random(step.seed);
      const { snapshot, findings } = step.isLast ? (all.at(-1) as Seen) : random.oneOf(all);
      const { table } = snapshot;
      const { isComplete } = table;
      const names = askable(table, allowed, { isWhole: isComplete });
      await questions[step.question]?.(table, { findings, isComplete, isWhole: isComplete, random, names });
    }
    const next = arrivals[arrived];
    if (next === undefined) break;
    held[next.index]?.resolve();
    here.add(next.index);
    look(await vi.waitUntil(() => snapshotWith(live, here.size), { interval: 1, timeout: 30_000 }));
  }
  const table: Table = await live.done;
  expectSame(table.toArray(), partitions.flat().map(shown));
  for (const { snapshot, members, findings } of all) {
    expect(membersOf(snapshot)).toBe(members);
    expectSame(snapshot.table.toArray(), findings);
  }
}

/** All that a snapshot says, besides its findings. */
function membersOf({ state, progress, table }: LiveSnapshot<any>) {
  const { length, byteLength, columns, columnsTruncated, findingsWithoutColumns, integersRounded } = table;
  const said = { length, byteLength, columns, columnsTruncated, findingsWithoutColumns, integersRounded };
  const { partitions, isComplete, savedAt, freed } = table;
  return JSON.stringify([state, progress, { ...said, partitions, isComplete, savedAt, freed }, table]);
}

/** The snapshot, if it has this number of partitions. */
function snapshotWith(live: { getSnapshot(): LiveSnapshot<any> }, count: number) {
  const snapshot = live.getSnapshot();
  if (snapshot.state === "failed") throw snapshot.error;
  return snapshot.progress.partitionsDone === count ? snapshot : undefined;
}

/** Draws a finding. Some keys are in some partitions only, some texts in one alone; any sum of its numbers is exact. */
function drawn(random: Random, { groups, novelty }: Inspection, index: number) {
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
