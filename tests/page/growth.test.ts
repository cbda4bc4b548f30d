/** The work of calls in JavaScript, counted at two sizes: it grows with the rows that a call returns. `src/table/growth.rs` counts that in Rust. */

import type { FindingsClient } from "inspection-findings";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { shareOf } from "../counts.js";
import { has } from "./engine.js";
import { upTo } from "./inspection.js";
import { closeRealms, openRealm } from "./realm.js";
import { fetchOf, type Table } from "./tables.js";
import { countWork, type Work } from "./work-counter.js";

const few = 10_000;
const many = shareOf(300_000);
const partitionSize = 1000;

/** A finding, each value of which has the same length in a small and in a large table. */
function finding(number: number) {
  const text = String(number).padStart(6, "0");
  return {
    Key: number,
    RespondentId: `R-${text}`,
    Comment: `Comment ${String(number >> 1).padStart(6, "0")}: quiet rooms${number % 8 < 4 ? ", a café" : ""}, and at the desk nobody knew of us`,
    Topic: { Text: `Topic ${number % 40}`, Start: number % 8 },
    Tags: [`T-${text}`],
    Sentiment: (number % 5) - 2,
  };
}

function partitionsOf(count: number) {
  return upTo(count / partitionSize).map((partition) =>
    upTo(partitionSize).map((row) => finding(partition * partitionSize + row)),
  );
}

/** What a call does with a table that has been used before. */
type Use = (table: Table) => unknown;

const whatever: Record<string, Use> = {
  length: (table) => table.length,
  "at the end": (table) => table.at(-40),
  "at in the middle": (table) => table.at(table.length / 2),
  "slice at the end": (table) => table.slice(-600, -500),
  "100 steps of an iterator": (table) => {
    let steps = 0;
    for (const _ of table) if (++steps === 100) break;
  },
  toJSON: (table) => JSON.stringify(table),
  "toArray of a small view": (table) => small(table, (view) => view.toArray()),
  "column of a small view": (table) => small(table, (view) => view.column("Comment")),
  "countBy of a small view": (table) => small(table, (view) => view.countBy("RespondentId")),
  "slice of a sorted view": (table) => table.sortBy("Sentiment").slice(-10),
};

const eachRow: Record<string, Use> = {
  toArray: (table) => table.toArray(),
  iteration: (table) => {
    let sum = 0;
    for (const { Key } of table) sum += Key;
    return sum;
  },
  "slices one after the other": (table) => {
    for (let from = 0; from < table.length; from += 500) table.slice(from, from + 500);
  },
  "column of texts": (table) => table.column("Comment"),
  "column of arrays": (table) => table.column("Tags"),
  "countBy of a text of each row": (table) => table.countBy("RespondentId"),
  toBytes: (table) => table.toBytes(),
  "toArray of a sorted view": (table) => table.sortBy("Sentiment").toArray(),
};

/** Uses of a client and of a table, and the most crossings of the border that they take: so that these do not grow unseen. */
const crossings: [name: string, most: number, use: (client: FindingsClient<any>, table: Table) => unknown][] = [
  ["a table of two partitions and its first row", 90, async (client) => (await client.loadTable(1, "topics")).at(0)],
  ["the objects of two partitions", 75, (client) => client.getFindings(1, "topics")],
  ["the objects of a partition", 40, (client) => client.getPartition(1, "topics", 0)],
  // One for its length, one for its bytes and one to free them.
  ["a row", 3, (_, table) => table.at(700)],
  ["a slice", 3, (_, table) => table.slice(300, 800)],
  // A few for each batch of ten thousand rows.
  ["an iterator", 90, (_, table) => [...table].length],
  // As many for each batch of rows, and some for the distinct cells and their positions.
  ["a column of arrays", 60, (_, table) => table.column("Tags")],
  // Each text crosses once.
  ["a column of few distinct texts", 15, (_, table) => table.column("Topic.Text")],
  // One for the values. Those of JavaScript are for the names of the columns.
  ["groups", 20, (_, table) => table.countBy("Topic.Text", "Sentiment")],
];

/** Uses a view of 80 rows of ten partitions that lie far apart: a text is decoded once for each partition. Texts repeat after 120 rows, so
only numbers differ between the sizes. */
function small(table: Table, use: Use) {
  const distance = partitionSize * Math.floor(table.length / few);
  const key = (number: number) => distance * Math.floor(number / 8) + 121 * (number % 8);
  using view = table.filter({ Key: upTo(80).map(key) });
  expect(view).toHaveLength(80);
  return use(view);
}

describe.skipIf(!has("counts of executed code"))("the work of a call", () => {
  let counter: Awaited<ReturnType<typeof countWork>>;
  const tables: Table[] = [];
  let client: FindingsClient<any>;

  beforeAll(async () => {
    const window = await openRealm();
    counter = await countWork(window);
    const { FindingsClient } = await window.load(counter.entry);
    // Time does not pass, because the end of a time slice takes calls.
    window.performance.now = () => 0;
    client = new FindingsClient({ fetch: fetchOf(partitionsOf(2 * partitionSize)), worker: false });
    for (const size of [few, many]) {
      const client = new FindingsClient({ fetch: fetchOf(partitionsOf(size)), worker: false });
      tables.push(await client.loadTable(1, "topics"));
    }
  }, 120_000);

  afterAll(async () => {
    await counter.stop();
    closeRealms();
  });

  /** Expects at most `times` as much work for the large table as for the small one. Steps may be twice as many, because the
engine does not count functions that it has inlined. */
  async function expectAtMost(times: number, use: Use) {
    const work = [];
    for (const table of tables) {
      // Now the table has done what it does once, and keeps no strings: there are too many.
      table.toArray();
      table.summarize(["Topic.Text"], "Sentiment");
      work.push(await counter.workOf(() => use(table)));
    }
    const [atFew, atMany] = work;
    for (const unit of Object.keys(atFew) as (keyof Work)[]) {
      const most = atFew[unit] * times * (unit === "steps" ? 2 : 1.02) + 10;
      expect(atMany[unit], `${unit}: ${JSON.stringify(work)}`).toBeLessThanOrEqual(most);
    }
  }

  test.for(Object.entries(whatever))("does not depend on the size of the table: %s", ([, use]) => expectAtMost(1, use));

  test.for(Object.entries(eachRow))("is the same for each row: %s", ([, use]) => expectAtMost(many / few, use));

  test.for(crossings)("crosses the border no more often than it has to: %s, %i times", async ([, most, use]) => {
    // The first call makes what is kept.
    for (const _ of [1, 2]) await use(client, tables[0]);
    const { crossings } = await counter.workOf(() => use(client, tables[0]));
    expect(crossings).toBeLessThanOrEqual(most);
  });
});
