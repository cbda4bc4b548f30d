/** How often calls cross between JavaScript and Rust: so that the crossings do not grow unseen. */

import { FindingsClient, FindingsTable } from "inspection-findings";
import { expect, test } from "vitest";

/** The calls of the exports and of the imports of all instances since the last count. */
const calls = { exports: 0, imports: 0 };

/**
 * Counts the calls of functions.
 * @param {object} functions
 * @param {"exports" | "imports"} side
 */
function counted(functions, side) {
  const entries = Object.entries(functions).map(([name, value]) => {
    const count = (/** @type {unknown[]} */ ...parameters) => {
      calls[side]++;
      return value(...parameters);
    };
    return [name, typeof value === "function" ? count : value];
  });
  return Object.fromEntries(entries);
}

const instantiate = WebAssembly.instantiate.bind(WebAssembly);

Object.assign(WebAssembly, {
  async instantiate(/** @type {WebAssembly.Module} */ module, /** @type {WebAssembly.Imports} */ imports) {
    const modules = Object.entries(imports).map(([name, functions]) => [name, counted(functions, "imports")]);
    const instance = await instantiate(module, Object.fromEntries(modules));
    return { exports: counted(instance.exports, "exports") };
  },
});

const findings = Array.from({ length: 1000 }, (_, number) => ({
  RespondentKey: 100_000 + number,
  RespondentId: `R-${number}`,
  TopicGroup: number % 5 === 0 ? null : `Group ${number % 7}`,
  Comment: `Comment ${number >> 2}: quiet rooms, and a café`,
  // A column of objects exists if some finding has another value there.
  Topic: number % 100 === 99 ? null : { Text: `Topic ${number % 40}`, Start: number % 200, Weight: number / 8 },
  Sentiment: (number % 5) - 2,
}));

const bodies = [findings.slice(0, 500), findings.slice(500)].map((Findings) => JSON.stringify({ Findings }));
const counts = JSON.stringify({ TopicPartitions: bodies.length, TopicFindings: findings.length });

/** @type {FindingsClient<any>} */
const client = new FindingsClient({
  baseUrl: "https://service.invalid/",
  fetch: async (href) => new Response(bodies[Number(/Topics\/(\d+)$/.exec(String(href))?.[1])] ?? counts),
});

// Time does not pass, because the end of a time slice takes calls.
performance.now = () => 0;

const table = await client.loadTable(1, "topics");
const fourTimes = FindingsTable.concat([table, table, table, table]);
const view = table.filter({ Sentiment: 1 });

/** @type {[name: string, most: { exports: number, imports: number }, call: () => unknown][]} */
const most = [
  [
    "a table of two partitions and its first row",
    { exports: 40, imports: 75 },
    async () => (await client.loadTable(1, "topics")).at(0),
  ],
  ["the objects of two partitions", { exports: 40, imports: 60 }, () => client.getFindings(1, "topics")],
  ["the objects of a partition", { exports: 24, imports: 32 }, () => client.getPartition(1, "topics", 0)],
  // One for its length, one for its bytes and one to free them.
  ["a row", { exports: 3, imports: 0 }, () => table.at(700)],
  ["a slice", { exports: 3, imports: 0 }, () => table.slice(300, 800)],
  // A few for each batch, and none for a row.
  ["an iterator", { exports: 9, imports: 0 }, () => [...table].length],
  // As many for each batch of rows, and some for the distinct cells and their positions.
  ["a column of objects", { exports: 14, imports: 8 }, () => table.column("Topic")],
  // As many as for one table: each text crosses once.
  ["a column of few distinct texts", { exports: 7, imports: 8 }, () => fourTimes.column("Topic.Text")],
  // One for the values. Those of JavaScript are for the names of the columns.
  ["groups", { exports: 4, imports: 16 }, () => view.countBy("TopicGroup", "Sentiment")],
];

test.for(most)("%s: at most %o calls of Rust and of JavaScript", async ([, { exports, imports }, call]) => {
  // The first call makes what is kept.
  await call();
  Object.assign(calls, { exports: 0, imports: 0 });
  await call();
  expect(calls.exports, "calls of Rust").toBeLessThanOrEqual(exports);
  expect(calls.imports, "calls of JavaScript").toBeLessThanOrEqual(imports);
});
