/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { baseline, contenders } from "../contenders.js";
import { median } from "../rounds.js";

const token = { Authorization: "Bearer of the benchmark" };

/** Where the bytes of a table are between two visits. */
const place = "kept table";

/** The text that is searched in all comments. */
const word = "breakfast";

/** The memories of all WebAssembly modules of the page. @type {WebAssembly.Memory[]} */
const memories = [];

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (/** @type {any} */ ...parameters) => {
  const made = await /** @type {any} */ (instantiate)(...parameters);
  const { exports } = made.instance ?? made;
  memories.push(.../** @type {any} */ (Object.values(exports).filter((value) => value instanceof WebAssembly.Memory)));
  return made;
};

const benchmark = {
  /** Retrieves an inspection, and holds the findings. */
  async retrieve(/** @type {string} */ name, /** @type {number} */ inspectionKey, hasToken = false) {
    // In a new task, because the current one belongs to the runner.
    await new Promise((resolve) => setTimeout(resolve));
    const begin = performance.now();
    const result = await contenders[name](inspectionKey, hasToken ? token : undefined);
    const wallTime = performance.now() - begin;
    check(name, result.length, inspectionKey);
    // Keeps the result alive while the heap is measured; an unused variable would be optimised away.
    Object.assign(globalThis, { result });
    // Memories never shrink.
    const moduleMemory = memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    return { wallTime, byteLength: result.byteLength ?? 0, moduleMemory };
  },

  /** Compiles the code and opens connections. */
  async warmUp(/** @type {string} */ name, /** @type {number} */ inspectionKey) {
    (await contenders[name](inspectionKey)).free?.();
  },

  /** The longest stall of the event loop during a retrieval: how long the page's other tasks have to wait. */
  async stallsOf(/** @type {string} */ name, /** @type {number} */ inspectionKey) {
    await new Promise((resolve) => setTimeout(resolve));
    let longest = 0;
    let before = performance.now();
    const look = () => {
      const now = performance.now();
      longest = Math.max(longest, now - before);
      before = now;
    };
    // The shortest pause that engines keep.
    const timer = setInterval(look, 4);
    await contenders[name](inspectionKey);
    clearInterval(timer);
    look();
    return { "stall ms": longest };
  },

  /** The times of a search of a table, and of the usual one of an array of findings. */
  async search(/** @type {number} */ inspectionKey, /** @type {number} */ times) {
    const findings = /** @type {any[]} */ (/** @type {unknown} */ (await contenders[baseline](inspectionKey)));
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    const byArray = () => findings.filter(({ Comment }) => Comment.toLowerCase().includes(word)).length;
    const byTable = () => {
      using view = table.filter({ Comment: { contains: word } });
      return view.length;
    };
    check("the search of the table", byTable(), byArray());
    return { array: await timeOf(times, byArray), table: await timeOf(times, byTable) };
  },

  /** Loads a table and writes it as bytes, which the next visit finds. */
  async keepTable(/** @type {number} */ inspectionKey, /** @type {number} */ times) {
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    const bytes = table.toBytes();
    await (await caches.open(place)).put(place, new Response(bytes));
    return { writing: await timeOf(times, () => table.toBytes()), byteLength: bytes.byteLength };
  },

  /**
   * Shows the first chart from the bytes of the visit before, then asks whether the counts have changed. The import of the package has ended
   * before; opening the first bytes loads its module. Opens them again, for the time without that.
   */
  async visitAgain(/** @type {number} */ inspectionKey, /** @type {number} */ times) {
    const { FindingsClient, FindingsTable } = await import("inspection-findings");
    const response = /** @type {Response} */ (await (await caches.open(place)).match(place));
    const bytes = new Uint8Array(await response.arrayBuffer());
    const begin = performance.now();
    const table = await FindingsTable.fromBytes(bytes);
    table.countBy("TopicGroup", "Sentiment");
    const toFirstChart = performance.now() - begin;
    let requests = 0;
    const counted = (/** @type {Parameters<typeof fetch>} */ ...request) => {
      requests++;
      return fetch(...request);
    };
    const client = new FindingsClient({ fetch: counted });
    const { length } = await client.loadTable(inspectionKey, "sentiment", { from: table });
    check("the kept table", length, inspectionKey);
    return { toFirstChart, requests, opening: await timeOf(times, () => FindingsTable.fromBytes(bytes)) };
  },
};

/** @typedef {typeof benchmark} Benchmark */

Object.assign(globalThis, { benchmark });

/**
 * The median of the times of some work, in milliseconds, after a first one that compiles the code.
 * @param {number} times
 * @param {() => unknown} work
 */
async function timeOf(times, work) {
  /** @type {number[]} */
  const all = [];
  for (let time = 0; time <= times; time++) {
    globalThis.gc?.();
    const begin = performance.now();
    await work();
    if (time > 0) all.push(performance.now() - begin);
  }
  return median(all);
}

/**
 * @param {string} what
 * @param {unknown} is
 * @param {unknown} expected
 */
function check(what, is, expected) {
  if (is !== expected) throw new Error(`${what} is ${is} and not ${expected}`);
}
