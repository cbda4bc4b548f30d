/** The border between Rust and JavaScript: how many calls cross it, counted by wrapping all imports and exports of the instance. */

import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { dist } from "../../tools/repository.js";

const partitions = 8;
const total = partitions * 500;
const counts = { intoRust: 0, intoJavaScript: 0 };

/**
 * Wraps the functions of an object.
 * @param {Record<string, any>} object
 * @param {keyof typeof counts} direction
 */
function counted(object, direction) {
  const wrapped = Object.entries(object).map(([name, value]) => {
    if (typeof value !== "function") return [name, value];
    const call = (/** @type {unknown[]} */ ...parameters) => {
      counts[direction] += 1;
      return value(...parameters);
    };
    return [name, call];
  });
  return Object.fromEntries(wrapped);
}

const { instantiate } = WebAssembly;
/** @type {any} */ (WebAssembly).instantiate = async (/** @type {WebAssembly.Module} */ module, imports = {}) => {
  const of = Object.entries(imports).map(([name, functions]) => [name, counted(functions, "intoJavaScript")]);
  const { exports } = await instantiate(module, Object.fromEntries(of));
  return { exports: counted(exports, "intoRust") };
};
// Time does not pass, because the end of a time slice takes calls.
performance.now = () => 0;
const { FindingsClient } = await import(join(dist, "inline.js"));

/** @param {number} index */
function finding(index) {
  const topic = { Text: `topic ${index % 9}`, Group: `group ${index % 3}` };
  return {
    RespondentKey: index,
    Comment: `comment ${index}`,
    Sentiment: (index % 5) - 2,
    Topic: topic,
    Score: index / 7,
  };
}

/**
 * A client of a service whose partitions have this many findings.
 * @param {number} each
 */
function clientOf(each) {
  const findings = JSON.stringify({
    Findings: Array.from({ length: each }, (_, index) => finding(index)),
    errors: null,
  });
  const counts = JSON.stringify({ TopicPartitions: partitions, TopicFindings: total, errors: null });
  const fetch = async (/** @type {string} */ href) => new Response(/\/Topics\/\d+$/.test(href) ? findings : counts);
  return new FindingsClient({ baseUrl: "https://service.example/", fetch });
}

/**
 * Counts the calls of a second run: the first one also starts the module.
 * @param {() => Promise<unknown[]>} run
 */
async function countedCalls(run) {
  await run();
  Object.assign(counts, { intoRust: 0, intoJavaScript: 0 });
  const { length } = await run();
  return { length, ...counts };
}

test("getPartition of 100 findings crosses the border at most 45 times", async () => {
  const client = clientOf(100);
  const { length, intoRust, intoJavaScript } = await countedCalls(() => client.getPartition(42, "topics", 0));
  assert.equal(length, 100);
  assert.ok(intoRust + intoJavaScript <= 45, `${intoRust} calls into Rust, ${intoJavaScript} into JavaScript`);
});

test("getFindings of 8 partitions makes at most 90 calls into Rust and 120 into JavaScript", async () => {
  const client = clientOf(total / partitions);
  const { length, intoRust, intoJavaScript } = await countedCalls(() => client.getFindings(42, "topics"));
  assert.equal(length, total);
  assert.ok(intoRust > 0 && intoRust <= 90, `${intoRust} calls into Rust`);
  assert.ok(intoJavaScript > 0 && intoJavaScript <= 120, `${intoJavaScript} calls into JavaScript`);
});

test("a loop of at() makes at most two calls into Rust for a finding, and a new object each time", async () => {
  using table = await clientOf(total / partitions).loadTable(42, "topics");
  const loop = async () => Array.from({ length: table.length }, (_, index) => table.at(index));
  const before = await loop();
  const { intoRust } = await countedCalls(loop);
  assert.ok(intoRust > 0 && intoRust <= 2 * total, `${intoRust} calls into Rust`);
  const after = await loop();
  assert.deepEqual(after, table.toArray());
  assert.deepEqual(after, before);
  assert.equal(new Set([...before, ...after]).size, 2 * total);
});
