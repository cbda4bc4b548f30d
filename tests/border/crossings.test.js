/** How often calls cross between JavaScript and Rust: so that the crossings do not grow unseen. */

import { FindingsClient } from "inspection-findings";
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
  Topic: { Text: `Topic ${number % 40}`, Start: number % 200, Weight: number / 8 },
  Sentiment: (number % 5) - 2,
}));

const bodies = [findings.slice(0, 500), findings.slice(500)].map((Findings) => JSON.stringify({ Findings }));
const counts = JSON.stringify({ TopicPartitions: bodies.length, TopicFindings: findings.length });

const client = new FindingsClient({
  baseUrl: "https://service.invalid/",
  fetch: async (href) => new Response(bodies[Number(/Topics\/(\d+)$/.exec(String(href))?.[1])] ?? counts),
});

/**
 * The crossings of a call, which has been made once before.
 * @param {() => unknown} call
 */
async function crossingsOf(call) {
  await call();
  Object.assign(calls, { exports: 0, imports: 0 });
  await call();
  return { ...calls };
}

/** @param {{ exports: number, imports: number }} crossings @param {{ exports: number, imports: number }} most */
function expectAtMost(crossings, most) {
  expect(crossings.exports, "calls of Rust").toBeLessThanOrEqual(most.exports);
  expect(crossings.imports, "calls of JavaScript").toBeLessThanOrEqual(most.imports);
}

test("a table of two partitions and its first row take about a hundred calls of Rust, and some hundred of JavaScript", async () => {
  const crossings = await crossingsOf(async () => (await client.loadTable(1, "topics")).at(0));
  // A busy machine yields more often.
  expectAtMost(crossings, { exports: 100, imports: 400 });
});

const table = await client.loadTable(1, "topics");

test("a row takes one call of Rust for its length, one for its bytes and one to free them", async () => {
  expectAtMost(await crossingsOf(() => table.at(700)), { exports: 3, imports: 0 });
});

test("a slice takes as many calls as a row", async () => {
  expectAtMost(await crossingsOf(() => table.slice(300, 800)), { exports: 3, imports: 0 });
});

test("an iterator takes a few calls for each batch, and none for a row", async () => {
  const crossings = await crossingsOf(() => [...table].length);
  expectAtMost(crossings, { exports: 9, imports: 0 });
});

test("groups take three calls of Rust, and one of JavaScript beside those for the names of the columns", async () => {
  const view = table.filter({ Sentiment: 1 });
  expectAtMost(await crossingsOf(() => view.countBy("TopicGroup", "Sentiment")), { exports: 3, imports: 16 });
});
