/** The page of the benchmark: the functions that the runner calls, under one global name. */

import { contenders } from "../contenders.ts";

const token = { Authorization: "Bearer of the benchmark" };

/** Where the bytes of a table are between two visits. */
const place = "kept table";

/** The memories of all WebAssembly modules of the page. */
const memories: WebAssembly.Memory[] = [];

/** The result of the last call, alive while the heap is measured. */
let held: import("../contenders.ts").Result | undefined;

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...parameters: any) => {
  const made = await (instantiate as any)(...parameters);
  const { exports } = made.instance ?? made;
  memories.push(...(Object.values(exports).filter((value) => value instanceof WebAssembly.Memory) as any));
  return made;
};

const benchmark = {
  /** Retrieves an inspection, and holds the findings in place of those of the call before. */
  async retrieve(name: string, inspectionKey: number, hasToken = false) {
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
  async warmUp(name: string, inspectionKey: number) {
    (await contenders[name](inspectionKey)).free?.();
  },

  /** The longest stall of the event loop during a retrieval: how long the page's other tasks have to wait. */
  async stallsOf(name: string, inspectionKey: number) {
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
  async search(inspectionKey: number) {
    const table = (await contenders.loadTable(inspectionKey)) as any;
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
  async keepTable(inspectionKey: number) {
    const table = (await contenders.loadTable(inspectionKey)) as any;
    await (await caches.open(place)).put(place, new Response(table.toBytes()));
  },

  /** Shows the first chart from the bytes of the visit before. The import of the package has ended before; opening the bytes loads its module. */
  async visitAgain() {
    const { FindingsTable } = await import("inspection-findings");
    const response = (await (await caches.open(place)).match(place)) as Response;
    const bytes = new Uint8Array(await response.arrayBuffer());
    const begin = performance.now();
    (await FindingsTable.fromBytes(bytes)).countBy("TopicGroup", "Sentiment");
    return { "first chart ms": performance.now() - begin };
  },
};

export type Benchmark = typeof benchmark;

Object.assign(globalThis, { benchmark });

function check(what: string, is: unknown, expected: unknown) {
  if (is !== expected) throw new Error(`${what} is ${is} and not ${expected}`);
}
