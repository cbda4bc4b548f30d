/** The groups of the snapshots of a live table. */

import { describe, expect, test, vi } from "vitest";
import { Random } from "../random.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { countsOf, upTo } from "./inspection.js";
import { countBy, summarize } from "./model.js";
import { Wire } from "./wire.js";

const partitions = 12;
const size = 40;

/** The findings of a partition: some groups occur in every partition, most in few. */
function findings(/** @type {number} */ index) {
  const random = new Random("groups", index);
  return Array.from({ length: size }, () => ({
    Text: random.chance(0.3) ? `text ${random.integer(0, 5)}` : `text ${index >> 1} ${random.integer(6, 40)}`,
    Number: random.integer(-8, 8) / 4,
    ...(random.chance(0.2) ? { Tags: [random.integer(0, 9)] } : {}),
  }));
}

/** A live table whose partitions are held. */
function watched() {
  const counts = { ...countsOf(partitions), TopicFindings: partitions * size };
  const wire = new Wire({ partitions, counts, findings, holds: ({ index }) => index >= 0 });
  /** @type {import("inspection-findings").LiveTable<any>} */
  const live = clientOf(wire, { concurrency: partitions }).watchTable(1, "topics");
  freeAfterTest(live);
  return { wire, live };
}

/**
 * Releases a partition and waits until a snapshot has it.
 * @param {ReturnType<typeof watched>} watched
 * @param {number} index
 */
async function receive({ wire, live }, index) {
  await vi.waitUntil(() => wire.indexes.includes(index));
  const { length } = live.getSnapshot().table;
  wire.release(index);
  await vi.waitUntil(() => live.getSnapshot().table.length > length);
  return live.getSnapshot().table;
}

/** @returns {{ key: readonly any[], count: number }[][]} */
function ask(/** @type {import("inspection-findings").FindingsTable<any>} */ table) {
  using some = table.filter({ Number: { min: 0 } });
  return [
    table.countBy("Text"),
    table.countBy("Text", "Number"),
    table.summarize(["Text"], "Number"),
    table.countBy("Tags"),
    table.summarize(["Tags", "Text"], "Number"),
    some.countBy("Text"),
  ];
}

/** The same answers of a model, of the partitions with these indexes. */
function answers(/** @type {Iterable<number>} */ received) {
  const all = [...received].sort((one, other) => one - other).flatMap(findings);
  const some = all.filter((finding) => finding.Number >= 0);
  return [
    countBy(all, [["Text"]]),
    countBy(all, [["Text"], ["Number"]]),
    summarize(all, [["Text"]], ["Number"]),
    countBy(all, [["Tags"]]),
    summarize(all, [["Tags"], ["Text"]], ["Number"]),
    countBy(some, [["Text"]]),
  ];
}

describe("the groups of a snapshot", () => {
  test.for([1, 2, 3])("are those of its findings, whatever the page does with the arrays (order %i)", async (seed) => {
    const random = new Random("order", seed);
    const order = random.someOf(upTo(partitions), partitions);
    const { wire, live } = watched();
    /** @type {Set<number>} */
    const received = new Set();
    /** @type {{ table: import("inspection-findings").FindingsTable<any>, groups: object[][] } | undefined} */
    let older;
    for (const index of order) {
      const table = await receive({ wire, live }, index);
      received.add(index);
      // Not every snapshot is asked everything.
      if (random.chance(0.3)) table.countBy("Text");
      if (random.chance(0.3)) continue;
      const groups = ask(table);
      expect(groups).toEqual(answers(received));
      expect(ask(table)).toEqual(groups);
      for (const { key } of groups[3] ?? []) key[0]?.push("changed by the page");
      for (const spoiled of groups) spoiled.reverse().length = 3;
      if (older !== undefined && random.chance(0.5)) expect(ask(older.table)).toEqual(older.groups);
      // What later tables share is not this one's.
      older?.table.free();
      older = { table, groups: answers(received) };
    }
    using whole = await live.done;
    expect(ask(whole)).toEqual(answers(order));
  });

  test("are as many as there are texts, also of texts that arrive again after a query", async () => {
    const repeated = upTo(8).map((number) => ({ Text: `a comment that arrives twice, number ${number}` }));
    const others = upTo(3000).map((number) => ({ Text: `a comment that arrives once, number ${number}` }));
    const bodies = [repeated, [...others, ...repeated]];
    const wire = new Wire({
      counts: { TopicPartitions: 2, errors: null },
      findings: (index) => bodies[index],
      holds: ({ index }) => index >= 0,
    });
    /** @type {import("inspection-findings").LiveTable<any>} */
    const live = clientOf(wire).watchTable(1, "topics");
    freeAfterTest(live);
    expect((await receive({ wire, live }, 0)).countBy("Text")).toEqual(countBy(repeated, [["Text"]]));
    const all = countBy(bodies.flat(), [["Text"]]);
    expect((await receive({ wire, live }, 1)).countBy("Text")).toEqual(all);
    expect((await live.done).countBy("Text")).toEqual(all);
  });

  test("keep the objects of what has not changed, and the keys of what has, so they are frozen", async () => {
    const { wire, live } = watched();
    const [first] = ask(await receive({ wire, live }, 4));
    const [second] = ask(await receive({ wire, live }, 1));
    const same = new Set();
    for (const group of first) {
      const later = second.find(({ key }) => key[0] === group.key[0]);
      expect(later?.key).toBe(group.key);
      expect(later === group).toBe(later?.count === group.count);
      expect([Object.isFrozen(group), Object.isFrozen(group.key)]).toEqual([true, true]);
      same.add(later === group);
    }
    expect([same.size, second.length > first.length]).toEqual([2, true]);
  });

  test("are made again after many others", async () => {
    const many = 90_000;
    const numbered = () => upTo(many).map((number) => ({ Kind: "one", A: number, B: -number, C: 2 * number }));
    const wire = new Wire({ partitions: 1, counts: { ...countsOf(1), TopicFindings: many }, findings: numbered });
    /** @type {import("inspection-findings").LiveTable<any>} */
    const live = clientOf(wire).watchTable(1, "topics");
    freeAfterTest(live);
    await vi.waitUntil(() => live.getSnapshot().table.length === many);
    const { table } = live.getSnapshot();
    const [first] = table.countBy("Kind");
    for (const name of ["A", "B"]) expect(table.countBy(name)).toHaveLength(many);
    expect(table.countBy("Kind")[0]).toBe(first);
    for (const name of ["A", "B", "C"]) expect(table.countBy(name)).toHaveLength(many);
    expect(table.countBy("Kind")).toEqual([first]);
    expect(table.countBy("Kind")[0]).not.toBe(first);
  });

  testWith("garbage collection")("are made again once garbage collection has taken them after the end", async () => {
    const { wire, live } = watched();
    for (const index of upTo(partitions)) ask(await receive({ wire, live }, index));
    (await live.done).free();
    const { table } = live.getSnapshot();
    const known = new WeakRef(ask(table)[0][0]);
    await collectGarbage();
    expect(known.deref()).toBe(undefined);
    expect(ask(table)).toEqual(answers(upTo(partitions)));
    expect(ask(table)).toEqual(answers(upTo(partitions)));
  });
});
