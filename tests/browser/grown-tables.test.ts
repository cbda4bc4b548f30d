/**
 * Tables of inspections that have grown: which partitions a call with `from` and `growth: "append"` takes for the same, and what its live table
 * shows. What it requests and keeps in any order of events is proved by src/call/simulation.
 */

import { FindingsTable, type LiveTable, type Progress, type TableOptions } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { upTo } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import type { Table } from "./tables.js";
import { type Asked, quiet, refused, responseOf, Wire } from "./wire.js";
import { collect } from "./wires";

type Partitions = object[][];
type Inspection = ConstructorParameters<typeof Wire>[0];

const each = 100;

/** The inspection before: 1000 findings in ten partitions. */
const ten = upTo(10).map((index) => partition(index));

/** The inspection that has grown: the last partition has 50 findings more, and there are two new ones. */
const grown = [...ten.slice(0, 9), partition(9, 150), partition(10), partition(11)];

/** The inspection after it was analysed again: all findings are others. */
const reanalysed = upTo(12).map((index) => partition(index, each, "again"));

/** The findings of a partition. */
function partition(index: number, length = each, name = "before"): object[] {
  return upTo(length).map((number) => ({
    Id: `${index}.${number}`,
    Comment: `${name}: comment ${number >> 1}`,
    // Only the page can parse it.
    Weight: (number % 5) * 3e307 + 7e306 / 3,
    Extract: {
      Text: `${name}: ${"long text, which is not compared with each other one, ".repeat(number % 4)}${number}`,
    },
  }));
}

function wireOf(partitions: Partitions, more?: Inspection): Wire {
  const counts = { TopicPartitions: partitions.length, TopicFindings: partitions.flat().length };
  return new Wire({ counts, findings: (index) => partitions[index] ?? [], ...more });
}

async function tableOf(wire: Wire, options?: TableOptions): Promise<Table> {
  return freeAfterTest(await clientOf(wire).loadTable(1, "topics", options));
}

/** Watches an inspection from the table of before. Each notification tells how many findings are shown. */
async function watched(wire: Wire, options?: TableOptions) {
  const client = clientOf(wire);
  const from = await tableOf(wireOf(ten));
  const live: LiveTable<any> = freeAfterTest(client.watchTable(1, "topics", { from, growth: "append", ...options }));
  const shown = [expectKept(live)];
  live.subscribe(() => shown.push(live.getSnapshot().table.length));
  return { live, shown };
}

/** Expects that a live table shows all findings of before, and returns how many it shows. */
function expectKept(live: LiveTable<any>): number {
  const { table } = live.getSnapshot();
  const shown = new Set(table.column("Id"));
  expect(ten.flat().filter((finding: any) => !shown.has(finding.Id))).toEqual([]);
  return table.length;
}

/** The partitions requested, in order, without those that were requested before. */
function firstOf(wire: Wire): number[] {
  return [...new Set(wire.requested)];
}

const ascending = (one: number, other: number) => one - other;

describe.for([{ worker: false }, { worker: true }])('a call with growth: "append" (%j)', ({ worker }) => {
  /** Loads an inspection from an earlier table. */
  async function loaded(from: Table, wire: Wire, options?: TableOptions) {
    const onProgress = vi.fn<(progress: Progress) => void>();
    const table = await tableOf(wire, { from, growth: "append", onProgress, worker, ...options });
    return { table, reports: onProgress.mock.calls.map(([progress]) => progress) };
  }

  test.for([
    ["by default", {}],
    ["with columns", { columns: ["Id"] }],
    ["with a single request at a time", { concurrency: 1 }],
  ])(
    "keeps the older partitions %s, once two of them are the same, also of a table from bytes",
    async ([, options]) => {
      const before = await tableOf(wireOf(ten), options as TableOptions);
      for (const from of [before, freeAfterTest(await FindingsTable.fromBytes<any>(before.toBytes()))]) {
        const wire = wireOf(grown);
        const { table, reports } = await loaded(from, wire, options as TableOptions);
        expect(table.column("Id")).toEqual(grown.flat().map(({ Id }: any) => Id));
        expect(table).toMatchObject({ isComplete: true, partitions: upTo(12) });
        expect(wire.requested.slice(0, 2).every((index) => index < 9)).toBe(true);
        expect(wire.requested.slice(2)).toEqual([9, 10, 11]);
        expect(reports.at(-1)).toMatchObject({ partitionsDone: 12, findingsDone: 1250, growth: "append" });
      }
    },
  );

  test("takes findings for the same whatever white space is between them", async () => {
    const respond = ({ index }: Asked) =>
      index < 0 ? undefined : responseOf(JSON.stringify({ errors: null, Findings: grown[index] }, undefined, 2));
    const { table, reports } = await loaded(await tableOf(wireOf(ten)), wireOf(grown, { respond }));
    expect([table.length, reports.at(-1)?.growth]).toEqual([1250, "append"]);
  });

  test("requests each partition once where the service has analysed again, and says so", async () => {
    const wire = wireOf(reanalysed);
    const { table, reports } = await loaded(await tableOf(wireOf(ten)), wire);
    expect(table.toArray()).toEqual(reanalysed.flat());
    expect(wire.requested.toSorted(ascending)).toEqual(upTo(12));
    expect(reports.at(-1)?.growth).toBe("reload");
    expect(reports.map(({ partitionsDone }) => partitionsDone)).toEqual(upTo(13));
  });
});

describe('a live table with growth: "append"', () => {
  test("shows all kept findings until others replace them, and their numbers in its progress", async () => {
    const wire = wireOf(grown, { holds: ({ index }) => index >= 0 });
    const { live, shown } = await watched(wire);
    for (let released = 0; released < 5; released++) {
      await quiet();
      shown.push(expectKept(live));
      const { table, progress } = live.getSnapshot();
      expect(progress).toMatchObject({ partitionsDone: table.partitions?.length, findingsDone: table.length });
      expect(progress).toMatchObject({ partitions: 12, findings: 1250 });
      wire.release(Math.max(...wire.open.map(({ index }) => index)));
    }
    expect((await live.done).toArray()).toEqual(grown.flat());
    expect([shown[0], shown]).toEqual([1000, shown.toSorted(ascending)]);
    expect(live.getSnapshot().progress).toMatchObject({ partitionsDone: 12, findingsDone: 1250, growth: "append" });
  });

  test("shows the kept findings until it is decided that they are old", async () => {
    const wire = wireOf(reanalysed, { holds: ({ index }) => index >= 0 });
    const { live } = await watched(wire);
    await quiet();
    const [one, other] = firstOf(wire) as [number, number];
    wire.release(one);
    await quiet();
    expect([expectKept(live), wire.requested.length]).toEqual([1000, 2]);
    expect(live.getSnapshot().progress.growth).toBe(undefined);
    wire.release(other);
    await quiet();
    const { table, progress } = live.getSnapshot();
    expect([table.partitions, progress.growth]).toEqual([[one, other].toSorted(ascending), "reload"]);
  });

  test.for([
    ["it is cancelled before two older partitions have decided", 1, "aborted", {}],
    ["it is cancelled once they have decided", 3, "aborted", {}],
    ["one of the two older partitions fails", 0, "failed", {}],
    ["the last earlier partition fails", 2, "failed", {}],
    ["a new partition fails", 3, "failed", {}],
    ["the last earlier partition fails while it collects", 2, "partial", collect],
  ] as const)("keeps all that it shows if %s, and goes on from there", async ([, nth, state, options]) => {
    const wire: Wire = wireOf(grown, {
      respond: ({ index, count }) => {
        if (index < 0 || count > 1 || firstOf(wire).indexOf(index) !== nth) return undefined;
        // What has arrived is decoded first.
        return state === "aborted" ? quiet().then(live.cancel) : refused(404);
      },
    });
    const { live, shown } = await watched(wire, { concurrency: 1, ...options });
    await rejectionOf(live.done);
    expect(live.getSnapshot().state).toBe(state);
    shown.push(expectKept(live));
    live.resume();
    shown.push(expectKept(live));
    expect((await live.done).toArray()).toEqual(grown.flat());
    expect(live.getSnapshot().progress).toMatchObject({ partitionsDone: 12, growth: "append" });
    expect(shown).toEqual(shown.toSorted(ascending));
    const again = firstOf(wire)[nth] as number;
    expect(wire.requested.toSorted(ascending)).toEqual([...firstOf(wire), again].toSorted(ascending));
    expect(firstOf(wire)).toHaveLength(5);
  });
});
