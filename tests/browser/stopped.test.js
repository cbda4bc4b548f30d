/** The stop of the module by a trap: all calls in flight reject, and the next call starts the module again. */

import { describe, expect, test, vi } from "vitest";
import { limited, trapping } from "./binary.js";
import { testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { countListeners } from "./listeners.js";
import { gate, never, pause, rejectionOf } from "./outcome.js";
import { addresses, importInRealm, importSlimInRealm, startSlimInRealm } from "./realm.js";
import { fetchOf, likelyFinding, uses } from "./tables.js";
import { Traffic } from "./traffic.js";

const some = Array.from({ length: 30 }, (_, number) => likelyFinding(number));
const others = Array.from({ length: 40 }, (_, number) => likelyFinding(1000 + number));

/** A module whose one function is `trap`, which does nothing else. */
const trapAlone = new Uint8Array([
  ...[0, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
  ...[1, 4, 1, 0x60, 0, 0],
  ...[3, 2, 1, 0],
  ...[7, 8, 1, 4, 0x74, 0x72, 0x61, 0x70, 0, 0],
  ...[10, 5, 1, 3, 0, 0, 0x0b],
]);

/**
 * The package in a realm of its own, whose module can be made to trap.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => Uint8Array<ArrayBuffer>} [changed] changes the module
 */
async function start(changed = (bytes) => bytes) {
  const { window, package: slim } = await importSlimInRealm();
  const { instantiate, Instance, Module } = window.WebAssembly;
  const trap = /** @type {() => void} */ (new Instance(new Module(trapAlone)).exports.trap);
  /** @type {WeakRef<WebAssembly.Memory>[]} */
  const memories = [];
  /** @type {RegExp | undefined} */
  let armed;
  const armable = (/** @type {[string, any]} */ [name, called]) => [
    name,
    (/** @type {any[]} */ ...parameters) => {
      if (armed?.test(name)) {
        armed = undefined;
        trap();
      }
      return called(...parameters);
    },
  ];
  window.WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any} */ module, /** @type {Record<string, any>} */ imports) => {
      const glue = Object.entries(imports).map(([from, named]) => [
        from,
        from.endsWith("_bg.js") ? Object.fromEntries(Object.entries(named).map(armable)) : named,
      ]);
      const instance = /** @type {any} */ (await instantiate(module, Object.fromEntries(glue)));
      memories.push(new WeakRef(instance.exports.memory));
      return instance;
    }
  );
  const bytes = new Uint8Array(await (await fetch(addresses.wasm)).arrayBuffer());
  await slim.init(changed(bytes));
  return {
    window,
    slim,
    memories,
    /** The module traps when it next calls a function of this name. */
    trapAt(/** @type {RegExp} */ name) {
      armed = name;
    },
    get hasTrapped() {
      return armed === undefined;
    },
  };
}

/** The key of the method by which Node's console shows an object. */
const INSPECT = Symbol.for("nodejs.util.inspect.custom");

/** What calls for a number and thus for its time: the module looks at the clock after every response. */
const clock = /^now/;

/**
 * @param {any} realm
 * @param {any} error
 */
function expectStopped({ slim, window }, error) {
  expect(error).toBeInstanceOf(slim.FindingsError);
  expect(error.code).toBe("memory");
  expect(error.message).toMatch(/^The WebAssembly module has stopped \(.+\), probably because it was out of memory\./);
  expect(error.cause).toBeInstanceOf(window.WebAssembly.RuntimeError);
}

/** @param {() => unknown} use */
function thrownBy(use) {
  try {
    use();
  } catch (error) {
    return error;
  }
  return expect.fail("nothing was thrown");
}

describe("when the module traps during a call", () => {
  test("every call in flight rejects with its own memory error", async () => {
    const realm = await start();
    const { slim, trapAt } = realm;
    const client = new slim.FindingsClient({ fetch: /** @type {any} */ (never) });
    const waiting = [client.getFindings(1, "topics"), client.loadTable(2, "sentiment"), client.getPartitionCounts(3)];
    const elsewhere = slim.getPartition(4, "topics", 0, { fetch: /** @type {any} */ (never) });
    await pause(5);
    trapAt(clock);
    const trapped = client.getFindings(5, "topics", { fetch: fetchOf([some]) });
    const reasons = await Promise.all([...waiting, elsewhere, trapped].map((call) => rejectionOf(call)));
    for (const reason of reasons) {
      expectStopped(realm, reason);
    }
    expect(new Set(reasons).size).toBe(5);
    expect(reasons.map(({ kind, inspectionKey }) => [kind, inspectionKey])).toEqual([
      ["topics", 1],
      ["sentiment", 2],
      [undefined, 3],
      ["topics", 4],
      ["topics", 5],
    ]);
  });

  test("a live table fails with a memory error, and another one can be watched", async () => {
    const realm = await start();
    const { slim, trapAt } = realm;
    const client = new slim.FindingsClient({ fetch: fetchOf([some, others]) });
    const held = gate();
    const live = client.watchTable(1, "topics", {
      fetch: async (/** @type {string} */ href, /** @type {any} */ init) => {
        if (href.endsWith("/Topics/1")) await held.promise;
        return fetchOf([some, others])(href, init);
      },
    });
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 1);
    const { table, progress } = live.getSnapshot();
    const onChange = vi.fn();
    live.subscribe(onChange);
    trapAt(clock);
    held.resolve(undefined);
    const reason = await rejectionOf(live.done);
    expectStopped(realm, reason);
    expect([reason.kind, reason.inspectionKey]).toEqual(["topics", 1]);
    const failed = live.getSnapshot();
    expect([failed.state, failed.error === reason, failed.table === table]).toEqual(["failed", true, true]);
    expect(failed.progress).toEqual(progress);
    expectStopped(
      realm,
      thrownBy(() => table.length),
    );
    await vi.waitUntil(() => onChange.mock.calls.length > 0);
    live.free();
    const again = client.watchTable(1, "topics");
    expect((await again.done).length).toBe(70);
    expect(again.getSnapshot().table.toArray()).toEqual([...some, ...others]);
  });

  test("a live table that was partial fails when it is resumed", async () => {
    const realm = await start();
    const { slim, trapAt } = realm;
    const whole = fetchOf([some, others]);
    const live = new slim.FindingsClient({ failurePolicy: "collect", retries: 0 }).watchTable(1, "topics", {
      fetch: async (/** @type {string} */ href, /** @type {any} */ init) => {
        if (href.endsWith("/Topics/1")) throw new Error("refused");
        return whole(href, init);
      },
    });
    await rejectionOf(live.done);
    expect(live.getSnapshot().state).toBe("partial");
    trapAt(clock);
    await rejectionOf(slim.getFindings(2, "topics", { fetch: whole }));
    live.resume();
    expect(live.getSnapshot().state).toBe("loading");
    expectStopped(realm, await rejectionOf(live.done));
    expect(live.getSnapshot().state).toBe("failed");
  });

  test("the next call of the same client is right, and so is one of another client", async () => {
    const { slim, trapAt, memories } = await start();
    const client = new slim.FindingsClient({ fetch: fetchOf([some, others]) });
    trapAt(clock);
    await rejectionOf(client.getFindings(1, "topics"));
    const again = [client.getFindings(1, "topics"), client.getPartition(1, "topics", 1)];
    const plain = slim.getFindings(1, "sentiment", { fetch: fetchOf([others]) });
    expect(await Promise.all([...again, plain])).toEqual([[...some, ...others], others, others]);
    const table = await client.loadTable(1, "topics");
    expect(table.countBy("Sentiment").map(({ count }) => count)).toEqual([14, 14, 14, 14, 14]);
    expect(memories).toHaveLength(2);
  });

  test("its requests are cancelled, and no listener is left on the signals of the caller", async () => {
    const { slim, trapAt } = await start();
    const traffic = new Traffic(never);
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const options = { fetch: traffic.fetch, signal: controller.signal };
    const client = new slim.FindingsClient(options);
    const reasons = [client.getFindings(1, "topics"), client.getPartition(1, "topics", 0)].map(rejectionOf);
    await vi.waitUntil(() => traffic.open === 2);
    expect(listeners.left).toBeGreaterThan(0);
    trapAt(clock);
    await rejectionOf(slim.getFindings(1, "topics", { fetch: fetchOf([some]) }));
    await Promise.all(reasons);
    expect(traffic.trips.map(({ state }) => state)).toEqual(["cancelled", "cancelled"]);
    expect(listeners.left).toBe(0);
    controller.abort();
    await pause(10);
    expect(traffic.trips).toHaveLength(2);
  });

  test("responses, timers and values after the stop have no effect", async () => {
    const { slim, trapAt } = await start();
    const [response, header] = [gate(), gate()];
    const late = /** @type {any} */ (() => response.promise);
    const refused = /** @type {any} */ (async () => ({ status: 503, headers: new Headers({ "retry-after": "0" }) }));
    const seen = vi.fn();
    const calls = [
      slim.getFindings(1, "topics", { fetch: late, timeout: 40, onProgress: seen }),
      slim.getFindings(1, "topics", { fetch: late, headers: () => /** @type {any} */ (header.promise) }),
      slim.getFindings(1, "topics", { fetch: refused, retries: 9 }),
      slim.getFindings(1, "topics", { fetch: fetchOf([some]), totalTimeout: 40, headers: never }),
    ];
    const reasons = Promise.all(calls.map((call) => rejectionOf(call)));
    await pause(5);
    trapAt(clock);
    await rejectionOf(slim.getFindings(1, "topics", { fetch: fetchOf([some]) }));
    expect((await reasons).map(({ code }) => code)).toEqual(["memory", "memory", "memory", "memory"]);
    const next = slim.getFindings(1, "topics", { fetch: fetchOf([others]) });
    response.reject(new Error("too late"));
    header.resolve({ authorization: "late" });
    await pause(400);
    expect(await next).toEqual(others);
    expect(seen).not.toHaveBeenCalled();
  });

  test("its timers are cleared, so that they do not keep a Node process alive", async () => {
    const { window, slim, trapAt } = await start();
    /** @type {Set<unknown>} */
    const timers = new Set();
    const { setTimeout, clearTimeout } = window;
    window.setTimeout = /** @type {any} */ (
      (/** @type {() => void} */ ring, /** @type {number} */ milliseconds) => {
        const timer = setTimeout(ring, milliseconds);
        timers.add(timer);
        return timer;
      }
    );
    window.clearTimeout = (timer) => {
      timers.delete(timer);
      clearTimeout(timer);
    };
    const waiting = slim.getFindings(1, "topics", { fetch: /** @type {any} */ (never), totalTimeout: 600_000 });
    const reason = rejectionOf(waiting);
    await vi.waitUntil(() => timers.size > 1);
    trapAt(clock);
    await rejectionOf(slim.getFindings(2, "topics", { fetch: fetchOf([some]) }));
    expectStopped({ slim, window }, await reason);
    await vi.waitUntil(() => timers.size === 0);
  });

  test("the error of a call that traps at its beginning has the kind and the key", async () => {
    const realm = await start((bytes) => trapping(bytes, "client_getFindings"));
    const reason = await rejectionOf(realm.slim.getFindings(7n, "sentiment", { fetch: fetchOf([some]) }));
    expectStopped(realm, reason);
    expect([reason.kind, reason.inspectionKey]).toEqual(["sentiment", 7n]);
  });

  test("a restart that fails is a load failure, and the next call tries again", async () => {
    const { window, slim, trapAt } = await start();
    const client = new slim.FindingsClient({ fetch: fetchOf([some]) });
    trapAt(clock);
    await rejectionOf(client.getFindings(1, "topics"));
    const { instantiate } = window.WebAssembly;
    window.WebAssembly.instantiate = /** @type {any} */ (
      () => Promise.reject(new window.RangeError("Out of memory: Cannot allocate Wasm memory for new instance"))
    );
    const calls = [client.getFindings(2, "topics"), client.getPartitionCounts(3)];
    const reasons = await Promise.all(calls.map((call) => rejectionOf(call)));
    for (const [index, reason] of reasons.entries()) {
      expect(reason).toBeInstanceOf(slim.FindingsError);
      expect(reason).toMatchObject({ code: "load", inspectionKey: index + 2 });
      expect(reason.message).toContain("Cannot allocate Wasm memory");
    }
    window.WebAssembly.instantiate = instantiate;
    expect(await client.getFindings(1, "topics")).toEqual(some);
  });

  test("a client that is freed afterwards rejects its later calls like any other", async () => {
    const { slim, trapAt } = await start();
    const client = new slim.FindingsClient({ fetch: fetchOf([some]) });
    trapAt(clock);
    await rejectionOf(client.getFindings(1, "topics"));
    client.free();
    client.free();
    expect((await rejectionOf(client.getFindings(1, "topics"))).message).toContain("freed");
  });

  test("the package that loads its module by itself behaves the same, and fetches it once", async () => {
    const { window, package: all } = await importInRealm();
    const { instantiate } = window.WebAssembly;
    let traps = 1;
    window.WebAssembly.instantiate = /** @type {any} */ (
      async (/** @type {any} */ module, /** @type {Record<string, any>} */ imports) => {
        const glue = imports["./inspection_findings_bg.js"];
        for (const [name, called] of Object.entries(glue).filter(([name]) => clock.test(name))) {
          glue[name] = () => {
            if (traps-- > 0) {
              throw new window.WebAssembly.RuntimeError("trap");
            }
            return called();
          };
        }
        return instantiate(module, imports);
      }
    );
    const options = { baseUrl: location.href.split("?")[0], fetch: fetchOf([some]) };
    expect((await rejectionOf(all.getFindings(1, "topics", options))).code).toBe("memory");
    expect(await all.getFindings(1, "topics", options)).toEqual(some);
    const fetched = window.performance.getEntriesByType("resource").filter(({ name }) => name === addresses.wasm);
    expect(fetched).toHaveLength(1);
  });
});

describe("when the module traps in a query", () => {
  test("the query throws a memory error, and the calls in flight reject with one", async () => {
    const realm = await start((bytes) => trapping(bytes, "columns_groups"));
    const client = new realm.slim.FindingsClient({ fetch: fetchOf([some]) });
    const table = await client.loadTable(1, "topics");
    const traffic = new Traffic(never);
    const waiting = client.getFindings(2, "topics", { fetch: traffic.fetch });
    await vi.waitUntil(() => traffic.open === 1);
    expectStopped(
      realm,
      thrownBy(() => table.countBy("Sentiment")),
    );
    expectStopped(realm, await rejectionOf(waiting));
    expect(traffic.open).toBe(0);
    expect(await client.getFindings(1, "topics")).toEqual(some);
  });

  test("every use of the tables that it held is a memory error, but logging and freeing them is harmless", async () => {
    const realm = await start((bytes) => trapping(bytes, "columns_groups"));
    const client = new realm.slim.FindingsClient({ fetch: fetchOf([some]) });
    const table = /** @type {any} */ (await client.loadTable(1, "topics"));
    const view = table.filter({ Sentiment: { min: 0 } });
    const begun = table[Symbol.iterator]();
    expect(begun.next().value).toEqual(some[0]);
    thrownBy(() => table.countBy("Sentiment"));
    const fresh = await client.loadTable(1, "topics");
    const thrown = thrownBy(() => begun.next().value.Comment);
    expectStopped(realm, thrown);
    for (const lost of [table, view]) {
      for (const thrown of Object.values(uses).map((use) => thrownBy(() => use(lost)))) expectStopped(realm, thrown);
      expect([JSON.stringify(lost), lost[INSPECT](2, {}, JSON.stringify)]).toEqual([
        '{"freed":false}',
        'FindingsTable {"freed":false}',
      ]);
      lost.free();
      lost.free();
      expect(thrownBy(() => lost.length)).toBeInstanceOf(realm.window.TypeError);
    }
    expect(fresh.toArray()).toEqual(some);
  });

  test("a callback that hides the error of its query does not keep its call alive", async () => {
    const realm = await start((bytes) => trapping(bytes, "columns_groups"));
    const { slim } = realm;
    const table = await slim.FindingsClient.prototype.loadTable.call(
      new slim.FindingsClient({ fetch: fetchOf([some]) }),
      1,
      "topics",
    );
    const onProgress = vi.fn(() => void thrownBy(() => table.countBy("Sentiment")));
    const call = slim.getFindings(1, "topics", { fetch: fetchOf([some, others]), onProgress });
    expectStopped(realm, await rejectionOf(call));
    expect(onProgress).toHaveBeenCalledTimes(1);
  });

  test("rows that cannot be built end their call", async () => {
    const realm = await start((bytes) => trapping(bytes, "columns_layOutRows"));
    const client = new realm.slim.FindingsClient({ fetch: fetchOf([some]) });
    expectStopped(realm, await rejectionOf(client.getFindings(1, "topics")));
    const table = await client.loadTable(1, "topics");
    expect(table.length).toBe(30);
    expectStopped(
      realm,
      thrownBy(() => table.at(0)),
    );
    expect(await client.getPartitionCounts(1)).toEqual({
      sentiment: { partitions: 1, findings: null },
      topics: { partitions: 1, findings: null },
    });
  });
});

describe("when memory runs out in an infallible allocation", () => {
  test("the calls reject with memory errors, and the next has all the memory again", async () => {
    const realm = await startSlimInRealm((bytes) => limited(bytes, 2 * 1024 * 1024));
    const { package: slim, exports: lost } = realm;
    const held = gate();
    const fetch = /** @type {any} */ (() => held.promise);
    const calls = Array.from({ length: 50 }, () => rejectionOf(slim.getFindings(1, "topics", { fetch, retries: 0 })));
    await pause(5);
    takeAllMemory(lost);
    held.reject(new Error("no connection"));
    const reasons = await Promise.all(calls);
    expect(new Set(reasons.map(({ code }) => code))).toEqual(new Set(["memory"]));
    for (const reason of reasons) expect(reason.message).toContain("has stopped");
    expect(await slim.getFindings(1, "topics", { fetch: fetchOf([some]) })).toEqual(some);
    expect(realm.exports).not.toBe(lost);
  });
});

/**
 * Takes all memory of an instance, and gives none back.
 * @param {any} exports
 */
function takeAllMemory(exports) {
  for (const size of [65_536, 4096, 256, 12]) {
    try {
      while (exports.__wbindgen_malloc(size, 4) !== 0);
    } catch {
      // There is no piece of this size left.
    }
  }
}

describe("what a stopped module leaves behind", () => {
  testWith("garbage collection")(
    "its memory is collected, though clients, tables, iterators, signals and errors of it are kept",
    async () => {
      const { slim, trapAt, memories } = await start();
      const controller = new AbortController();
      const client = new slim.FindingsClient({ signal: controller.signal });
      const table = await client.loadTable(1, "topics", { fetch: fetchOf([some]) });
      const iterator = table[Symbol.iterator]();
      iterator.next();
      const waiting = rejectionOf(client.getFindings(1, "topics", { fetch: /** @type {any} */ (never) }));
      await pause(5);
      trapAt(clock);
      const kept = [await rejectionOf(client.getFindings(1, "topics", { fetch: fetchOf([some]) })), await waiting];
      await collectGarbage();
      expect(memories.map((memory) => memory.deref())).toEqual([undefined]);
      expect(kept.map(({ code }) => code)).toEqual(["memory", "memory"]);
      expect(thrownBy(() => iterator.next())).toHaveProperty("code", "memory");
      expect(await client.getFindings(1, "topics", { fetch: fetchOf([some]) })).toEqual(some);
      expect(table).toBeDefined();
    },
  );

  testWith("garbage collection")(
    "tables of it that are collected or freed do not affect the running module",
    async () => {
      const { slim, trapAt } = await start();
      const client = new slim.FindingsClient({ fetch: fetchOf([some]) });
      /** @type {any[]} */
      let lost = await Promise.all(Array.from({ length: 20 }, () => client.loadTable(1, "topics")));
      trapAt(clock);
      await rejectionOf(client.getFindings(1, "topics"));
      const tables = await Promise.all(Array.from({ length: 20 }, () => client.loadTable(1, "topics")));
      for (const table of lost.slice(0, 10)) {
        table.free();
      }
      lost = [];
      await collectGarbage();
      const more = await Promise.all(
        Array.from({ length: 20 }, () => client.loadTable(2, "topics", { fetch: fetchOf([others]) })),
      );
      expect(tables.map((table) => table.toArray())).toEqual(tables.map(() => some));
      expect(more.map((table) => table.toArray())).toEqual(more.map(() => others));
      expect(lost).toEqual([]);
    },
  );
});
