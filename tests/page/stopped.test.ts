/** The stop of the module by a trap: all calls in flight reject, and the next call starts the module again. What a stop leaves is proved by tests/unit/border/sweep.test.ts. */

import { describe, expect, test, vi } from "vitest";
import { testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { longName, shortName } from "./module-names.js";
import { never, outcomeOf, pause, rejectionOf } from "./outcome.js";
import type { RealmWindow } from "./realm.js";
import { addresses, importInRealm, importManualInRealm } from "./realm.js";
import { fetchOf, likelyFindings, uses } from "./tables.js";
import { Wire } from "./wire.js";

const some = likelyFindings(30);
const others = likelyFindings(40, 1000);
const [fetchSome, fetchOthers, fetchBoth] = [fetchOf([some]), fetchOf([others]), fetchOf([some, others])];

/** Makes the modules of a window able to trap: where a test says so, or always in one of their functions. */
function armed(window: RealmWindow, always?: string) {
  const { instantiate, RuntimeError } = window.WebAssembly;
  let thrown: unknown = new RuntimeError("unreachable");
  const trap = () => {
    throw thrown;
  };
  const memories: WeakRef<WebAssembly.Memory>[] = [];
  let trigger: RegExp | undefined;
  const mapped = (object: object, change: (value: any, name: string) => unknown): any =>
    Object.fromEntries(Object.entries(object).map(([name, value]) => [name, change(value, name)]));
  const armable = (called: (...parameters: any[]) => unknown, name: string) => {
    return (...parameters: any[]) => {
      if (!trigger?.test(longName(name))) return called(...parameters);
      trigger = undefined;
      trap();
    };
  };
  (window.WebAssembly as any).instantiate = async (module: any, imports: any) => {
    const { exports } = (await instantiate(
      module,
      mapped(imports, (functions) => mapped(functions, armable)),
    )) as any;
    memories.push(new WeakRef(exports.memory));
    return { exports: always === undefined ? exports : { ...exports, [shortName(always)]: trap } };
  };
  /** The module traps when it next calls a function of this name, or stops by what that throws. */
  const trapAt = (name: RegExp, instead?: unknown) => {
    trigger = name;
    if (instead !== undefined) thrown = instead;
  };
  return { memories, trapAt };
}

/** Starts the manual entry in a separate realm, with a module that a test can make trap, or that always does in one function. */
async function start(always?: string) {
  const { window, package: manual } = await importManualInRealm();
  const { memories, trapAt } = armed(window, always);
  await manual.init({ module: await (await fetch(addresses.wasm)).arrayBuffer() });
  return { window, manual, memories, trapAt };
}

/** Imports the package, which loads its module by itself, into a separate realm. */
async function startFull() {
  const { window, package: manual } = await importInRealm();
  return { window, manual, ...armed(window) };
}

/** The key of the method by which Node's console shows an object. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** What every call and every response calls: it reads the settings of the one, and the head of the other. */
const reading = /_writeNumbers_/;

function expectStopped({ manual, window }: any, error: any) {
  expect(error).toBeInstanceOf(manual.FindingsError);
  expect(error.code).toBe("memory");
  expect(error.message).toMatch(/^WebAssembly has stopped \(.+\), probably because it was out of memory\./);
  expect(error.cause).toBeInstanceOf(window.WebAssembly.RuntimeError);
}

async function expectStops(realm: any, use: () => unknown) {
  expectStopped(realm, await rejectionOf(Promise.try(use)));
}

/** Makes the module of a realm trap in a call, or stop by what is thrown. */
async function stop({ manual, trapAt }: any, thrown?: unknown) {
  trapAt(reading, thrown);
  return rejectionOf(manual.getFindings(5, "topics", { fetch: fetchSome }));
}

/** A fetch that never responds. */
const silent = never as any;

describe("when the module traps during a call", () => {
  // P29
  test("every call in flight rejects with its own memory error", async () => {
    const realm = await start();
    const { manual } = realm;
    const wire = new Wire({ holds: () => true });
    const client = new manual.FindingsClient({ fetch: wire.fetch });
    const waiting = [
      client.getFindings(1, "topics"),
      client.loadTable(2, "sentiment"),
      client.getPartitionCounts(3),
      manual.getPartition(4, "topics", 0, { fetch: wire.fetch }),
    ].map(rejectionOf);
    await vi.waitUntil(() => wire.open.length === 4);
    const reasons = await Promise.all([...waiting, stop(realm)]);
    for (const reason of reasons) expectStopped(realm, reason);
    expect(new Set(reasons).size).toBe(5);
    const told = reasons.map(({ kind, inspectionKey }) => `${kind} ${inspectionKey}`);
    expect(told).toEqual(["topics 1", "sentiment 2", "undefined 3", "topics 4", "topics 5"]);
  });

  test("a live table fails with a memory error, and gets everything again when it is resumed", async () => {
    const realm = await start();
    const client = new realm.manual.FindingsClient({ failurePolicy: "collect", retries: 0 });
    const fetch = vi.fn(async (href: string, init: any) =>
      href.endsWith("/Topics/1") ? Promise.reject(new Error("refused")) : fetchBoth(href, init),
    );
    const live = client.watchTable(1, "topics", { fetch });
    await rejectionOf(live.done);
    const { table } = live.getSnapshot();
    expect(table.toArray()).toEqual(some);
    const { resume } = await rejectionOf(client.getFindings(1, "topics", { fetch }));
    const loading = client.watchTable(2, "topics", { fetch: silent });
    const onChange = vi.fn();
    loading.subscribe(onChange);
    await stop(realm);
    for (const use of [() => loading.done, () => table.length, resume]) await expectStops(realm, use);
    expect(loading.getSnapshot()).toMatchObject({ state: "failed", error: { inspectionKey: 2 } });
    await vi.waitUntil(() => onChange.mock.calls.length > 0);
    fetch.mockImplementation(fetchBoth);
    live.resume();
    expect((await live.done).toArray()).toEqual([...some, ...others]);
    expect(live.getSnapshot().table.toArray()).toEqual([...some, ...others]);
  });

  test.for([
    ["RangeError", "Array too large", "(Array too large), probably because it was out of memory. "],
    ["RangeError", "Maximum call stack size exceeded", "(Maximum call stack size exceeded). "],
    ["Error", "", "(Error). "],
  ] as const)("its error names a %s, and speaks of memory only if it may be that: %s", async ([name, text, named]) => {
    const realm = await start();
    const { code, message } = await stop(realm, new realm.window[name](text));
    const expected = `WebAssembly has stopped ${named}All tables are lost; the next call starts it again.`;
    expect([code, message]).toEqual(["memory", expected]);
  });

  // P29
  test("the next call of the same client is right, and so is one of another client, without another request for the module", async () => {
    const realm = await startFull();
    const { window, manual, memories } = realm;
    const client = new manual.FindingsClient({ fetch: fetchBoth });
    await client.getPartitionCounts(1);
    await stop(realm);
    const again = [client.getFindings(1, "topics"), client.getPartition(1, "topics", 1)];
    const plain = manual.getFindings(1, "sentiment", { fetch: fetchOthers });
    expect(await Promise.all([...again, plain])).toEqual([[...some, ...others], others, others]);
    const table = await client.loadTable(1, "topics");
    expect(table.countBy("Sentiment" as string).map(({ count }) => count)).toEqual([14, 14, 14, 14, 14]);
    expect(memories).toHaveLength(2);
    const fetched = window.performance.getEntriesByType("resource").filter(({ name }) => name === addresses.wasm);
    expect(fetched).toHaveLength(1);
  });

  test("a restart without memory is a failure of the memory, and the next call tries again", async () => {
    const realm = await start();
    const { window, manual } = realm;
    const client = new manual.FindingsClient({ fetch: fetchSome });
    await stop(realm);
    const noMemory = new window.RangeError("Out of memory: Cannot allocate Wasm memory for new instance");
    const failing = vi.spyOn(window.WebAssembly, "instantiate").mockRejectedValue(noMemory);
    const calls = [client.getFindings(2, "topics"), client.getPartitionCounts(3)];
    for (const [index, reason] of (await Promise.all(calls.map(rejectionOf))).entries()) {
      expect(reason).toBeInstanceOf(manual.FindingsError);
      const message = expect.stringContaining(noMemory.message);
      expect(reason).toMatchObject({ code: "memory", inspectionKey: index + 2, message });
    }
    failing.mockRestore();
    expect(await client.getFindings(1, "topics")).toEqual(some);
  });
});

describe("when the module traps in a query", () => {
  // P29
  test("the query throws a memory error, the calls in flight reject with one, and its tables stay harmless", async () => {
    const realm = await start("columns_groups");
    const client = new realm.manual.FindingsClient({ fetch: fetchSome });
    const table = (await client.loadTable(1, "topics")) as any;
    const view = table.filter({ Sentiment: { min: 0 } });
    const begun = table[Symbol.iterator]();
    expect(begun.next().value).toEqual(some[0]);
    const wire = new Wire({ holds: () => true });
    const waiting = client.getFindings(2, "topics", { fetch: wire.fetch });
    await vi.waitUntil(() => wire.open.length === 1);
    await expectStops(realm, () => table.countBy("Sentiment"));
    await expectStops(realm, () => waiting);
    expect(wire.open).toEqual([]);
    const fresh = await client.loadTable(1, "topics");
    await expectStops(realm, () => begun.next().value.Comment);
    for (const lost of [table, view]) {
      for (const use of Object.values(uses)) await expectStops(realm, () => use(lost));
      const texts = [JSON.stringify(lost), lost[INSPECT](2, {}, JSON.stringify)];
      expect(texts).toEqual(['{"freed":false}', 'FindingsTable {"freed":false}']);
      lost.free();
      lost.free();
      expect(() => lost.length).toThrow(realm.window.TypeError);
    }
    expect(fresh.toArray()).toEqual(some);
  });

  test("a callback that hides the error of its query does not keep its call alive", async () => {
    const realm = await start("columns_groups");
    const { manual } = realm;
    const table: any = await new manual.FindingsClient({ fetch: fetchSome }).loadTable(1, "topics");
    const onProgress = vi.fn(() => void outcomeOf(Promise.try(() => table.countBy("Sentiment"))));
    await expectStops(realm, () => manual.getFindings(1, "topics", { fetch: fetchBoth, onProgress }));
    expect(onProgress).toHaveBeenCalledTimes(1);
  });
});

testWith("garbage collection")(
  "the memory of a stopped module is collected, though its objects are kept, and those that go do not affect the running one",
  async () => {
    const realm = await start();
    const { manual, memories } = realm;
    const { signal } = new AbortController();
    const client = new manual.FindingsClient({ signal });
    const load = (fetch: any): Promise<any[]> =>
      Promise.all(Array.from({ length: 20 }, () => client.loadTable(1, "topics", { fetch })));
    const lost = await load(fetchSome);
    const iterator = lost[0][Symbol.iterator]();
    iterator.next();
    const waiting = rejectionOf(client.getFindings(1, "topics", { fetch: silent }));
    await pause(5);
    const kept = [await stop(realm), await waiting];
    const tables = await load(fetchSome);
    for (const table of lost.splice(2).slice(0, 9)) table.free();
    await collectGarbage();
    expect(memories.map((memory) => memory.deref() === undefined)).toEqual([true, false]);
    expect([...kept.map(({ code }) => code), signal.aborted]).toEqual(["memory", "memory", false]);
    for (const use of [() => iterator.next(), () => lost[1].length]) await expectStops(realm, use);
    tables.push(...(await load(fetchOthers)));
    for (const [index, table] of tables.entries()) expect(table.toArray()).toEqual(index < 20 ? some : others);
  },
);
