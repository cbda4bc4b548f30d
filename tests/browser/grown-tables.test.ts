/** Tables of inspections that have grown: what a call with `from` and `growth: "append"` requests, shows and keeps, whatever happens to it. */

import { FindingsTable, type LiveTable, type Progress, type TableOptions } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { upTo } from "./inspection.js";
import { outcomeOf, rejectionOf } from "./outcome.js";
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

/** The inspection that has grown, and has lost a finding of an older partition. */
const edited = grown.with(4, partition(4, 99));

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

/** The partitions with some of them replaced by empty ones. */
function without(partitions: Partitions, indexes: Iterable<number>): Partitions {
  const empty = new Set(indexes);
  return partitions.map((findings, index) => (empty.has(index) ? [] : findings));
}

function wireOf(partitions: Partitions, more?: Inspection): Wire {
  const counts = { TopicPartitions: partitions.length, TopicFindings: partitions.flat().length };
  return new Wire({ counts, findings: (index) => partitions[index] ?? [], ...more });
}

/** A wire on which the request for the n-th partition that is requested, from 0, is refused, once. */
function refusingNth(partitions: Partitions, nth: number): Wire {
  const respond = ({ index, count }: Asked) =>
    index >= 0 && count === 1 && [...new Set(wire.requested)].indexOf(index) === nth ? refused(404) : undefined;
  const wire: Wire = wireOf(partitions, { respond });
  return wire;
}

/** The table of an inspection, whose service may send other counts. */
async function tableOf(partitions: Partitions, { counts, ...options }: any = {}): Promise<Table> {
  const wire = wireOf(partitions, counts && { counts });
  return freeAfterTest(await clientOf(wire).loadTable(1, "topics", { completeness: "off", ...options }));
}

/** Watches an inspection from an earlier table. */
function watchedFrom(from: Table, wire: Wire, options?: TableOptions): LiveTable<any> {
  const live = clientOf(wire).watchTable(1, "topics", { from, growth: "append", ...options });
  return freeAfterTest(live) as LiveTable<any>;
}

/** Loads an inspection from an earlier table, and returns what the call has reported, too. */
async function loadedFrom(from: Table, wire: Wire, options?: TableOptions) {
  const reports: Progress[] = [];
  const onProgress = (progress: Progress) => void reports.push(progress);
  const client = clientOf(wire, { concurrency: options?.concurrency });
  const loading = client.loadTable(1, "topics", { from, growth: "append", onProgress, ...options });
  const { value, reason } = await outcomeOf(loading);
  const table: Table = value ?? reason.table;
  if (table) freeAfterTest(table);
  return { table, reason, reports, growth: reports.map(({ growth }) => growth) };
}

/** How often each partition was requested. */
function timesOf(wire: Wire, partitions: number) {
  return upTo(partitions).map((index) => wire.requested.filter((requested) => requested === index).length);
}

/** The partitions requested, in order, without those that were requested before. */
function firstOf(wire: Wire): number[] {
  return [...new Set(wire.requested)];
}

/** Expects that a live table shows all findings that were kept, and returns how many it shows. */
function expectKept(live: LiveTable<any>, kept: Partitions): number {
  const { table } = live.getSnapshot();
  const shown = new Set(table.column("Id"));
  expect(kept.flat().filter((finding: any) => !shown.has(finding.Id))).toEqual([]);
  return table.length;
}

/** Expects that the two partitions requested first are older ones with findings, and returns the others. */
function expectTwoFirst(wire: Wire, before: Partitions): number[] {
  const [one = -1, other = -1, ...others] = firstOf(wire);
  expect(one).not.toBe(other);
  for (const index of [one, other]) {
    expect(index).toBeLessThan(before.length - 1);
    expect(before[index]).not.toEqual([]);
  }
  return others;
}

describe.for([{ worker: false }, { worker: true }])('a call with growth: "append" (%j)', ({ worker }) => {
  test("requests two older partitions, and what may be new once they have decided", async () => {
    const from = await tableOf(ten);
    const wire = wireOf(grown, { holds: ({ index }) => index >= 0 });
    const loading = loadedFrom(from, wire, { worker });
    await vi.waitUntil(() => wire.open.length === 2);
    for (const { index } of wire.open) {
      await quiet();
      expect([expectTwoFirst(wire, ten), wire.requested.length]).toEqual([[], 2]);
      wire.release(index);
    }
    await vi.waitUntil(() => wire.open.length === 3);
    expect(expectTwoFirst(wire, ten)).toEqual([9, 10, 11]);
    for (const index of [9, 10, 11]) wire.release(index);
    const { table, reports, growth } = await loading;
    expect(table.toArray()).toEqual(grown.flat());
    expect(table).toMatchObject({ isComplete: true, partitions: upTo(12) });
    expect(reports[0]).toMatchObject({ partitionsDone: 0, partitions: 12, findingsDone: 0, bytes: 0 });
    expect(reports.at(-1)).toMatchObject({ partitionsDone: 12, findingsDone: 1250 });
    // Once it is decided, each report says so.
    const decided = growth.indexOf("append");
    expect(growth).toEqual([...Array(decided).fill(undefined), ...Array(growth.length - decided).fill("append")]);
    expect(growth.slice(decided)).toHaveLength(1 + 3);
  });

  test("requests each partition once where the service has analysed again, and says so", async () => {
    const from = await tableOf(ten);
    const wire = wireOf(reanalysed);
    const { table, growth, reports } = await loadedFrom(from, wire, { worker });
    expect(table.toArray()).toEqual(reanalysed.flat());
    expect(timesOf(wire, 12)).toEqual(Array(12).fill(1));
    expectTwoFirst(wire, ten);
    expect([growth.at(-1), growth.includes("append")]).toEqual(["reload", false]);
    const done = reports.map(({ partitionsDone }) => partitionsDone);
    expect(done).toEqual(upTo(13));
  });

  test("takes findings for the same whatever white space is between them", async () => {
    const from = await tableOf(ten);
    const respond = ({ index }: Asked) =>
      index < 0 ? undefined : responseOf(JSON.stringify({ errors: null, Findings: grown[index] }, undefined, 2));
    const { table, growth } = await loadedFrom(from, wireOf(grown, { respond }), { worker });
    expect([table.length, growth.at(-1)]).toEqual([1250, "append"]);
  });

  test("keeps what a table from bytes, with columns or with a single request at a time has", async () => {
    for (const options of [{}, { columns: ["Id"] }, { concurrency: 1 }]) {
      const bytes = (await tableOf(ten, options)).toBytes();
      const from: Table = freeAfterTest(await FindingsTable.fromBytes<any>(bytes));
      const wire = wireOf(grown);
      const { table, growth } = await loadedFrom(from, wire, { worker, ...options });
      expect(expectTwoFirst(wire, ten)).toEqual([9, 10, 11]);
      expect([table.column("Id").length, growth.at(-1)]).toEqual([1250, "append"]);
    }
  });
});

describe('the decision of growth: "append"', () => {
  test("is made by partitions with findings: an empty one is the same in any inspection", async () => {
    const empty = upTo(9).filter((index) => index !== 2 && index !== 5);
    const [before, now] = [without(ten, empty), without(grown, empty)];
    const wire = wireOf(now);
    const { table, growth } = await loadedFrom(await tableOf(before), wire);
    expect([expectTwoFirst(wire, before), growth.at(-1)]).toEqual([[9, 10, 11], "append"]);
    expect(table.toArray()).toEqual(now.flat());
  });

  test("is made by the counts for fewer partitions: everything is requested at once", async () => {
    const from = await tableOf(ten);
    const now = reanalysed.slice(0, 9);
    const wire = wireOf(now);
    const { table, growth } = await loadedFrom(from, wire);
    expect(timesOf(wire, 9)).toEqual(Array(9).fill(1));
    expect(table.toArray()).toEqual(now.flat());
    expect(growth).toEqual(Array(now.length + 1).fill("reload"));
  });

  test("does not replace the check of the total, whose error says how to load again", async () => {
    const from = await tableOf(ten);
    const growths = new Set();
    for (let time = 0; time < 100 && growths.size < 2; time++) {
      const wire = wireOf(edited);
      const { table, reason, growth } = await loadedFrom(from, wire);
      growths.add(growth.at(-1));
      if (growth.at(-1) === "reload") expect(table.toArray()).toEqual(edited.flat());
      else {
        expect(expectTwoFirst(wire, ten)).toEqual([9, 10, 11]);
        expect(reason).toMatchObject({ code: "incomplete", expected: 1249, received: 1250 });
        expect(reason.message).toMatch(/call again without growth: "append"$/);
      }
    }
    expect(growths).toEqual(new Set(["append", "reload"]));
  });
});

describe("a table whose total was wrong", () => {
  const mixed = () => tableOf(ten, { counts: { TopicPartitions: 10, TopicFindings: 999 } });

  test("is requested again as a whole, although the counts are the same", async () => {
    const wire = wireOf(edited.slice(0, 10).with(9, partition(9)));
    const { table, growth } = await loadedFrom(await mixed(), wire);
    expect(table.toArray()).toEqual(edited.slice(0, 10).with(9, partition(9)).flat());
    expect([timesOf(wire, 10), growth.at(-1)]).toEqual([Array(10).fill(1), undefined]);
  });

  test('is kept with completeness: "off", where no total has to be right', async () => {
    const wire = wireOf(ten, { counts: { TopicPartitions: 10, TopicFindings: 999 } });
    const { table } = await loadedFrom(await mixed(), wire, { completeness: "off" });
    expect([table.toArray(), wire.requested]).toEqual([ten.flat(), []]);
  });
});

describe('a live table with growth: "append"', () => {
  test("shows all kept findings until others replace them, and their numbers in its progress", async () => {
    const wire = wireOf(grown, { holds: ({ index }) => index >= 0 });
    const live = watchedFrom(await tableOf(ten), wire);
    const notified: number[] = [];
    live.subscribe(() => notified.push(live.getSnapshot().table.length));
    const shown = [expectKept(live, ten)];
    for (let released = 0; released < 5; released++) {
      await quiet();
      shown.push(expectKept(live, ten));
      const { table, progress } = live.getSnapshot();
      expect(progress).toMatchObject({ partitionsDone: table.partitions?.length, findingsDone: table.length });
      expect(progress).toMatchObject({ partitions: 12, findings: 1250 });
      wire.release(Math.max(...wire.open.map(({ index }) => index)));
    }
    expect((await live.done).toArray()).toEqual(grown.flat());
    expect([shown[0], shown.toSorted((one, other) => one - other)]).toEqual([1000, shown]);
    expect(notified.toSorted((one, other) => one - other)).toEqual(notified);
    expect(live.getSnapshot().progress).toMatchObject({ partitionsDone: 12, findingsDone: 1250, growth: "append" });
  });

  test("shows the kept findings until it is decided that they are old", async () => {
    const wire = wireOf(reanalysed, { holds: ({ index }) => index >= 0 });
    const live = watchedFrom(await tableOf(ten), wire);
    await quiet();
    const [one, other] = firstOf(wire) as [number, number];
    wire.release(one);
    await quiet();
    expect([expectKept(live, ten), wire.requested.length]).toEqual([1000, 2]);
    expect(live.getSnapshot().progress.growth).toBe(undefined);
    wire.release(other);
    await quiet();
    const { table, progress } = live.getSnapshot();
    expect([table.partitions, progress.growth]).toEqual([[one, other].toSorted((a, b) => a - b), "reload"]);
    while (live.getSnapshot().state === "loading") {
      for (const { index } of wire.open) wire.release(index);
      await quiet();
    }
    expect((await live.done).toArray()).toEqual(reanalysed.flat());
    expect(timesOf(wire, 12)).toEqual(Array(12).fill(1));
  });

  test("keeps all that it shows if it is cancelled, and goes on from there", async () => {
    for (const responses of [1, 3]) {
      let held = true;
      const wire = wireOf(grown, { holds: ({ index }) => held && index >= 0 });
      const live = watchedFrom(await tableOf(ten), wire, { concurrency: 2 });
      for (let released = 0; released < responses; released++) {
        await quiet();
        wire.release(Math.max(...wire.open.map(({ index }) => index)));
      }
      await quiet();
      const shown = expectKept(live, ten);
      live.cancel();
      await rejectionOf(live.done);
      expect([live.getSnapshot().state, expectKept(live, ten)]).toEqual(["aborted", shown]);
      held = false;
      const responded = wire.asked.filter(({ index, state }) => index >= 0 && state === "responded");
      live.resume();
      expect(expectKept(live, ten)).toBe(shown);
      expect((await live.done).toArray()).toEqual(grown.flat());
      expect(responded).toHaveLength(responses);
      for (const { index } of responded) expect(timesOf(wire, 12)[index]).toBe(1);
    }
  });

  test.for([
    [0, "one of the two older partitions"],
    [2, "the last earlier partition"],
    [3, "a new partition"],
  ] as const)("keeps all that it shows if request %i fails, that for %s, and goes on from there", async ([nth]) => {
    const wire = refusingNth(grown, nth);
    const live = watchedFrom(await tableOf(ten), wire, { concurrency: 1 });
    const notified: number[] = [];
    live.subscribe(() => notified.push(expectKept(live, ten)));
    expect(await rejectionOf(live.done)).toMatchObject({ status: 404, partitionIndex: firstOf(wire)[nth] });
    expect(live.getSnapshot().state).toBe("failed");
    live.resume();
    notified.push(expectKept(live, ten));
    expect((await live.done).toArray()).toEqual(grown.flat());
    expect(live.getSnapshot().progress).toMatchObject({ partitionsDone: 12, growth: "append" });
    expect(notified.toSorted((one, other) => one - other)).toEqual(notified);
    expect(firstOf(wire)).toHaveLength(5);
  });
});

describe('a call with growth: "append" that collects', () => {
  test("keeps the older partitions although the last earlier one fails, and a live table shows it until then", async () => {
    const wire = refusingNth(grown, 2);
    const live = watchedFrom(await tableOf(ten), wire, collect);
    const { table, code } = await rejectionOf(live.done);
    expect([code, freeAfterTest(table).partitions]).toEqual(["partial", [...upTo(9), 10, 11]]);
    expect(live.getSnapshot().state).toBe("partial");
    expectKept(live, ten);
    live.resume();
    expectKept(live, ten);
    expect((await live.done).toArray()).toEqual(grown.flat());
    expect(wire.indexes.slice(6)).toEqual([-1, 9]);
  });
});
