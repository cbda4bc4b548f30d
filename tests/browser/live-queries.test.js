/** Queries of live tables, asked between arrivals: each snapshot and view answers as plain JavaScript does over its findings, and shares what is the same. */

import fc from "fast-check";
import { FindingsTable } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { timesOf } from "../counts.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { upTo } from "./inspection.js";
import * as model from "./model.js";
import { expectSame } from "./same.js";
import { Wire } from "./wire.js";

/** @typedef {import("inspection-findings").FindingsTable<any>} Table */

/**
 * What the findings of a partition are made from. Varied ones differ in nearly all texts, so that the package stops searching for them.
 * @typedef {{ findings: number, salt: number, isVaried: boolean }} Partition
 */

/** The columns of all findings; `late` is in every third partition only. */
const names = ["Text", "Number", "Topic.Text", "Row", "Late"];

const odd = [[1, 2], [], [{ k: 1 }], true, null, "\ud800", {}];
const short = ["", "a", "B", "É", "ΑΣ", "ας αζ", "é\u{10000}", "\ue000"];
const numbers = [0, -0, 0.5, -2.25, 3, 5e9, null];

/** The texts are unique, rare, frequent, or equal within a partition or across. @param {number} index @param {Partition} partition */
function findingsOf(index, { findings, salt, isVaried }) {
  return upTo(findings).map((row) => {
    const mixed = Math.imul(Math.imul(row ^ salt, 0x9e3779b9) ^ (row >>> 3), 0x85ebca6b) >>> 8;
    const choice = Math.floor(mixed / 12);
    const kind = isVaried && mixed % 9 > 0 ? 0 : mixed % 12;
    const texts = [
      ...Array(5).fill(`the comment with the number ${index}.${row}`),
      `a comment that is rare: ${choice % 61}`,
      `a frequent comment: ${choice % 3}`,
      `a frequent comment: ${choice % 2}`,
      `a comment of partition ${index}: ${choice % 4}`,
      `the comment in row ${row}`,
      short[choice % short.length],
    ];
    return {
      ...(kind < texts.length ? { Text: texts[kind] } : {}),
      Number: numbers[choice % numbers.length],
      Topic: { Text: choice % 5 === 0 ? odd[choice % odd.length] : `topic ${choice % 7}` },
      Row: index * 1000 + row,
      ...(index % 3 === 2 ? { Late: choice % 2 } : {}),
    };
  });
}

const text = fc.constantFrom(
  "a frequent comment: 1",
  "a comment that is rare: 7",
  "the comment in row 3",
  "topic 2",
  "B",
);
const contains = fc.constantFrom("", "COMMENT", "rare: 1", "é", "ΑΣ", "of partition 1", "Topic");
const plain = fc.oneof(
  fc.tuple(fc.constantFrom("Text", "Topic.Text"), fc.oneof(text, fc.array(text), fc.record({ contains }))),
  fc.tuple(
    fc.constantFrom("Number", "Row", "Late"),
    fc.constantFrom(0, 0.5, { min: 0 }, { min: -1, max: 3 }, [3, null]),
  ),
  fc.tuple(fc.constantFrom(...names), fc.constantFrom(null, { missing: true })),
);
const condition = fc
  .tuple(plain, fc.boolean())
  .map(([[name, sought], isNegated]) => ({ [name]: isNegated ? { not: sought } : sought }));
const alternatives = fc.array(
  fc.array(condition, { maxLength: 2 }).map((conditions) => Object.assign({}, ...conditions)),
  { minLength: 1, maxLength: 2 },
);
const name = fc.oneof(fc.constant("Text"), fc.constantFrom(...names));
const some = fc.array(name, { maxLength: 2 });

/** One query of a chain, with the names that it uses. */
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ filter: alternatives }) },
  { weight: 2, arbitrary: fc.record({ sortBy: some, direction: fc.constantFrom("asc", "desc") }) },
  fc.constant({ reopen: true }),
);
const question = fc.oneof(
  { weight: 4, arbitrary: fc.record({ countBy: some }) },
  { weight: 2, arbitrary: fc.record({ summarize: some }) },
  fc.record({ column: name }),
  fc.constant({ rows: true }),
);
const chain = fc.record({ steps: fc.oneof(fc.constant([]), fc.array(step, { minLength: 1, maxLength: 2 })), question });

/** The questions that a page asks of each snapshot, and the partitions, in the order in which they arrive, with other questions. */
const inspection = fc.record({
  page: fc.array(chain, { minLength: 1, maxLength: 4 }),
  order: fc.shuffledSubarray(upTo(5), { minLength: 5 }),
  arrivals: fc.array(
    fc.record({
      findings: fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 300, max: 700 })),
      salt: fc.nat(3),
      isVaried: fc.boolean(),
      others: fc.array(fc.record({ chain, age: fc.nat(4) }), { maxLength: 2 }),
    }),
    { minLength: 2, maxLength: 5 },
  ),
});

/** The names of columns in a chain. @param {any} given @returns {string[]} */
function namesIn({ steps, question: { countBy = [], summarize, column } }) {
  const ofSteps = steps.flatMap((/** @type {any} */ { filter = [], sortBy = [] }) => [
    ...filter.flatMap(Object.keys),
    ...sortBy,
  ]);
  return [...ofSteps, ...countBy, ...(summarize ? [...summarize, "Number"] : []), ...(column ? [column] : [])];
}

/** Asks a table and its findings the same. @param {Table} table @param {any[]} findings @param {any} chain */
async function ask(table, findings, { steps, question }) {
  /** @type {Table[]} */
  const made = [];
  const keys = new Map(names.map((name) => [name, name.split(".")]));
  const pathOf = (/** @type {string} */ name) => /** @type {string[]} */ (keys.get(name));
  const last = () => made.at(-1) ?? table;
  for (const { filter, sortBy, direction, reopen } of steps) {
    if (filter) {
      made.push(last().filter(filter));
      findings = findings.filter((finding) =>
        filter.some((/** @type {any} */ where) => model.meets(finding, where, keys)),
      );
    } else if (sortBy) {
      made.push(last().sortBy(sortBy, direction));
      findings = model.sortByAll(findings, sortBy.map(pathOf), Array(sortBy.length).fill(direction));
    } else if (reopen) {
      made.push(await FindingsTable.fromBytes(last().toBytes()));
    }
  }
  const { countBy, summarize, column } = question;
  if (countBy) expectGroups(() => last().countBy(countBy), model.countBy(findings, countBy.map(pathOf)));
  else if (summarize)
    expectGroups(
      () => last().summarize(summarize, "Number"),
      model.summarize(findings, summarize.map(pathOf), ["Number"]),
    );
  else if (column)
    expectSame(
      [...last().column(column)],
      findings.map((finding) => model.valueAt(finding, pathOf(column))),
    );
  else expectSame(last().toArray(), findings);
  for (const one of made) one.free();
}

/** Asks for groups twice, and changes in between what a page can change. @param {() => any[]} ask @param {any[]} expected */
function expectGroups(ask, expected) {
  for (let time = 0; time < 2; time++) {
    const groups = ask();
    // Those of a live table are frozen.
    const copies = groups.map((group) => ({ ...group, key: [...group.key] }));
    expectSame(copies, expected);
    for (const [value] of copies.map(({ key }) => key)) if (Array.isArray(value)) value.push("changed by the page");
    groups.reverse().length >>= 1;
  }
}

test.for([true, false])("every snapshot answers whatever a page asks between arrivals (worker: %s)", async (worker) => {
  await fc.assert(
    fc.asyncProperty(inspection, async ({ page, order, arrivals }) => {
      const bodies = new Map(arrivals.map((partition, at) => [order[at], findingsOf(order[at], partition)]));
      const indexes = [...bodies.keys()].sort((one, other) => one - other);
      const ofIndex = (/** @type {number} */ index) => /** @type {any[]} */ (bodies.get(indexes[index]));
      const wire = new Wire({
        counts: { TopicPartitions: indexes.length, errors: null },
        findings: ofIndex,
        holds: ({ index }) => index >= 0,
      });
      using client = clientOf(wire, { worker });
      using live = client.watchTable(1, "topics");
      const all = JSON.parse(JSON.stringify(indexes.map((_, index) => ofIndex(index))));
      const known = model.columnsOf(all.flat());
      const areKnown = (/** @type {any} */ chain) => namesIn(chain).every((name) => known.has(name));
      /** @type {{ table: Table, findings: any[] }[]} */
      const snapshots = [];
      const received = new Set();
      for (const [at, { others }] of arrivals.entries()) {
        const index = indexes.indexOf(order[at]);
        await vi.waitUntil(() => wire.indexes.includes(index));
        wire.release(index);
        received.add(index);
        await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === received.size);
        const findings = all.filter((/** @type {any} */ _, /** @type {number} */ index) => received.has(index)).flat();
        snapshots.push({ table: live.getSnapshot().table, findings });
        const asked = [...page.map((chain) => ({ chain, age: 0 })), ...others];
        for (const { chain, age } of asked) {
          const { table, findings } = snapshots[Math.max(0, snapshots.length - 1 - age)];
          // A table from bytes lacks the columns that had not arrived.
          const columns = model.columnsOf(findings);
          const reopens = JSON.stringify(chain.steps).includes("reopen");
          if (areKnown(chain) && (!reopens || namesIn(chain).every((name) => columns.has(name)))) {
            await ask(table, findings, chain);
          }
        }
      }
      using whole = await live.done;
      for (const chain of page.filter(areKnown)) await ask(whole, all.flat(), chain);
    }),
    { numRuns: timesOf(30) },
  );
});

describe("the groups of a snapshot", () => {
  const parts = [0, 1].map((index) => findingsOf(index, { findings: 40, salt: index, isVaried: false }));

  /** A live table whose partitions are held. @param {(object[])[]} bodies */
  function watched(bodies = parts) {
    const counts = { TopicPartitions: bodies.length, errors: null };
    const wire = new Wire({ counts, findings: (index) => bodies[index], holds: ({ index }) => index >= 0 });
    /** @type {import("inspection-findings").LiveTable<any>} */
    const live = clientOf(wire).watchTable(1, "topics");
    freeAfterTest(live);
    /** Releases a partition, and returns the groups of the snapshot that has it. */
    const groupsWith = async (/** @type {number} */ index) => {
      await vi.waitUntil(() => wire.indexes.includes(index));
      const { length } = live.getSnapshot().table;
      wire.release(index);
      await vi.waitUntil(() => live.getSnapshot().table.length > length);
      return live.getSnapshot().table.countBy("Text");
    };
    return { live, groupsWith };
  }

  test("are as many as there are texts, also of texts that arrive again after a query", async () => {
    const repeated = upTo(8).map((number) => ({ Text: `a comment that arrives twice, number ${number}` }));
    const others = upTo(3000).map((number) => ({ Text: `a comment that arrives once, number ${number}` }));
    const bodies = [repeated, [...others, ...repeated]];
    const { live, groupsWith } = watched(bodies);
    expect(await groupsWith(0)).toEqual(model.countBy(repeated, [["Text"]]));
    const all = model.countBy(bodies.flat(), [["Text"]]);
    expect(await groupsWith(1)).toEqual(all);
    expect((await live.done).countBy("Text")).toEqual(all);
  });

  test("keep the objects of what has not changed, and the keys of what has, so they are frozen", async () => {
    const { groupsWith } = watched();
    const [first, second] = [await groupsWith(1), await groupsWith(0)];
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
    const { live, groupsWith } = watched([
      upTo(many).map((number) => ({ Text: "", Kind: "one", A: number, B: -number, C: 2 * number })),
    ]);
    await groupsWith(0);
    const { table } = live.getSnapshot();
    const [first] = table.countBy("Kind");
    for (const name of ["A", "B"]) expect(table.countBy(name)).toHaveLength(many);
    expect(table.countBy("Kind")[0]).toBe(first);
    for (const name of ["A", "B", "C"]) expect(table.countBy(name)).toHaveLength(many);
    expect(table.countBy("Kind")).toEqual([first]);
    expect(table.countBy("Kind")[0]).not.toBe(first);
  });

  testWith("garbage collection")("are made again once garbage collection has taken them after the end", async () => {
    const { live, groupsWith } = watched();
    for (const index of [0, 1]) await groupsWith(index);
    (await live.done).free();
    const { table } = live.getSnapshot();
    const known = new WeakRef(table.countBy("Text")[0]);
    await collectGarbage();
    expect(known.deref()).toBe(undefined);
    const expected = model.countBy(JSON.parse(JSON.stringify(parts.flat())), [["Text"]]);
    for (let time = 0; time < 2; time++) expect(table.countBy("Text")).toEqual(expected);
  });
});
