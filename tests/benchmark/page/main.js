/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { contenders } from "../contenders.js";

const token = { Authorization: "Bearer of the benchmark" };

/** Where the bytes of a table are between two visits. */
const place = "kept table";

/** The memories of all WebAssembly modules of the page. @type {WebAssembly.Memory[]} */
const memories = [];

/** The result of the last call, alive while the heap is measured. @type {import("../contenders.js").Result | undefined} */
let held;

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (/** @type {any} */ ...parameters) => {
  const made = await /** @type {any} */ (instantiate)(...parameters);
  const { exports } = made.instance ?? made;
  memories.push(.../** @type {any} */ (Object.values(exports).filter((value) => value instanceof WebAssembly.Memory)));
  return made;
};

const benchmark = {
  /** Retrieves an inspection, and holds the findings in place of those of the call before. */
  async retrieve(/** @type {string} */ name, /** @type {number} */ inspectionKey, hasToken = false) {
    held?.free?.();
    held = undefined;
    // In a new task, because the current one belongs to the runner.
    await new Promise((resolve) => setTimeout(resolve));
    const begin = performance.now();
    const result = await contenders[name](inspectionKey, hasToken ? token : undefined);
    const wallTime = performance.now() - begin;
    check(name, result.length, inspectionKey);
    held = result;
    // Memories never shrink.
    const moduleMemory = memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    return { wallTime, moduleMemory };
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

  /** The time of a search of a table, after a first one that compiles the code. */
  async search(/** @type {number} */ inspectionKey) {
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    const search = () => {
      using view = table.filter({ Comment: { contains: "breakfast" } });
      check("the search finds something", view.length > 0, true);
    };
    search();
    const begin = performance.now();
    search();
    return { "search ms": performance.now() - begin };
  },

  /** Keeps a table for the next visit. */
  async keepTable(/** @type {number} */ inspectionKey) {
    const table = /** @type {any} */ (await contenders.loadTable(inspectionKey));
    await (await caches.open(place)).put(place, new Response(table.toBytes()));
  },

  /** Shows the first chart from the bytes of the visit before. The import of the package has ended before; opening the bytes loads its module. */
  async visitAgain() {
    const { FindingsTable } = await import("inspection-findings");
    const response = /** @type {Response} */ (await (await caches.open(place)).match(place));
    const bytes = new Uint8Array(await response.arrayBuffer());
    const begin = performance.now();
    (await FindingsTable.fromBytes(bytes)).countBy("TopicGroup", "Sentiment");
    return { "first chart ms": performance.now() - begin };
  },
};

/** @typedef {typeof benchmark} Benchmark */

Object.assign(globalThis, { benchmark });

/**
 * @param {string} what
 * @param {unknown} is
 * @param {unknown} expected
 */
function check(what, is, expected) {
  if (is !== expected) throw new Error(`${what} is ${is} and not ${expected}`);
}
