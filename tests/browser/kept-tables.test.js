/** The store of tables: what a visit keeps, and what the next one shows, requests and survives. */

import { FindingsClient, FindingsError, FindingsTable } from "inspection-findings";
import { openStore } from "inspection-findings/keep";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf, findingsOf, findingsOfAll } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { addresses, openRealm } from "./realm.js";
import { watchTimers } from "./timers.js";
import { quiet, refused, Wire } from "./wire.js";

/** @typedef {import("inspection-findings/keep").KeepOptions} KeepOptions */
/** @typedef {import("inspection-findings/keep").FindingsStore} FindingsStore */
/** @typedef {import("inspection-findings").LiveTable<any>} Live */

/** @type {unknown[]} the errors of the stores of a test */
let errors = [];

/** A store, as a page opens one. */
const open = () => openStore({ onError: (error) => errors.push(error) });

/**
 * Loads a table through a store. It is freed after the test.
 * @param {FindingsStore} store
 * @param {Wire | FindingsClient} from
 * @param {KeepOptions} [options]
 * @returns {Promise<Live>}
 */
async function loaded(store, from, options) {
  const client = from instanceof FindingsClient ? from : clientOf(from);
  const live = await store.load(client, 1, "topics", options);
  freeAfterTest(live);
  return live;
}

/**
 * One visit of the page, until its table is kept: what it shows at first and at last, and what it requests.
 * @param {Wire} wire
 * @param {KeepOptions} [options]
 * @param {FindingsStore} [store]
 */
async function visit(wire, options, store = open()) {
  const live = await loaded(store, wire, options);
  const first = live.getSnapshot().table.length;
  await live.done.then((table) => table.free()).catch(() => {});
  const { state, table } = live.getSnapshot();
  await store.list();
  return { first, state, findings: table.toArray(), requests: wire.indexes.toSorted((one, other) => one - other) };
}

/** The entry as it is shipped. */
const keepAddress = `${location.origin}/package/keep.js`;

/** What a visit without a kept table gives, of four partitions. */
const everything = { first: 0, state: "complete", findings: allFindings(4), requests: [-1, 0, 1, 2, 3] };

/** What a visit with the complete table gives. */
const kept = { ...everything, first: 8, requests: [-1] };

const four = () => new Wire({ partitions: 4 });

/** The storages, each as a browser has it: the second is that of a browser whose pages cannot write files. */
const storages = {
  "the best storage of this engine": () => {},
  IndexedDB: () => {
    // WebKitGTK has no such property, so its best storage is IndexedDB.
    if ("storage" in navigator) vi.spyOn(navigator, "storage", "get").mockReturnValue(/** @type {any} */ (undefined));
  },
};

beforeEach(() => {
  errors = [];
});

describe.for(Object.entries(storages))("a store in %s", ([, prepare]) => {
  beforeEach(async () => {
    prepare();
    await open().clear();
  });

  afterEach(() => open().clear());

  test("shows the kept table at once, and checks it with one request", async () => {
    expect(await visit(four())).toEqual(everything);
    expect(await visit(four())).toEqual(kept);
    expect(await visit(four())).toEqual(kept);
    expect(errors).toEqual([]);
  });

  test("keeps the kept table in view until another has arrived, and keeps that", async () => {
    await visit(four());
    const wire = new Wire({ partitions: 5, holds: ({ index }) => index >= 0 });
    const live = await loaded(open(), wire);
    await vi.waitUntil(() => wire.open.length === 5);
    expect(live.getSnapshot()).toMatchObject({ state: "loading", table: { length: 8 } });
    for (let index = 0; index < 5; index++) wire.release(index);
    (await live.done).free();
    expect(live.getSnapshot().table.toArray()).toEqual(allFindings(5));
    await open().list();
    expect((await visit(new Wire({ partitions: 5 }))).requests).toEqual([-1]);
  });

  test("requests everything with reload, although the counts are the same, and keeps that", async () => {
    await visit(four());
    const other = (/** @type {number} */ index) => findingsOf(index + 10);
    const findings = findingsOfAll([10, 11, 12, 13]);
    const reloaded = await visit(new Wire({ partitions: 4, findings: other }), { reload: true });
    expect(reloaded).toEqual({ ...everything, findings });
    expect(await visit(four())).toEqual({ ...kept, findings });
  });

  test("keeps tables apart by service, inspection, kind and columns", async () => {
    const loads = [
      ["https://a.example/", 1, "topics", {}],
      ["https://b.example/", 1, "topics", {}],
      ["https://a.example/cxi/", 1, "topics", {}],
      ["https://a.example/", 2n ** 62n, "topics", {}],
      ["https://a.example/", 1, "sentiment", {}],
      ["https://a.example/", 1, "topics", { columns: ["StringKey"] }],
      ["https://a.example/", 1, "topics", { columns: ["Comment", "StringKey"] }],
    ];
    for (const requests of [3, 1]) {
      for (const [baseUrl, inspectionKey, kind, options] of loads) {
        const wire = new Wire({ partitions: 2 });
        const client = clientOf(wire, /** @type {any} */ ({ baseUrl }));
        const live = await open().load(client, .../** @type {[any, any, any]} */ ([inspectionKey, kind, options]));
        (await live.done).free();
        expect([wire.indexes.length, `${baseUrl} ${inspectionKey} ${kind}`]).toEqual([
          requests,
          `${baseUrl} ${inspectionKey} ${kind}`,
        ]);
        await open().list();
      }
    }
    const listed = await open().list();
    expect(new Set(listed.map(({ baseUrl, inspectionKey, kind }) => `${baseUrl} ${inspectionKey} ${kind}`))).toEqual(
      new Set(loads.map(([baseUrl, inspectionKey, kind]) => `${baseUrl} ${inspectionKey} ${kind}`)),
    );
    expect([listed.length, errors]).toEqual([loads.length, []]);
  });

  test("takes a key as a number, a bigint and text for the same inspection", async () => {
    await visit(four());
    for (const key of [1n, "1"]) {
      const wire = four();
      const live = await open().load(clientOf(wire), key, "topics");
      (await live.done).free();
      expect(wire.indexes).toEqual([-1]);
    }
  });

  test("lists size and age, and removes one table", async () => {
    const before = Date.now();
    await visit(four());
    const client = clientOf(new Wire({ partitions: 1 }));
    (await (await open().load(client, 2, "sentiment")).done).free();
    const store = open();
    const listed = (await store.list()).toSorted((one, other) => one.size - other.size);
    expect(listed).toMatchObject([
      { inspectionKey: "2", kind: "sentiment" },
      { inspectionKey: "1", kind: "topics" },
    ]);
    for (const { size, savedAt, baseUrl } of listed) {
      expect(size).toBeGreaterThan(50);
      expect(Math.abs(+savedAt - before)).toBeLessThan(60_000);
      expect(baseUrl).toBe(new URL(".", document.baseURI).href);
    }
    await store.remove(listed[1]);
    expect((await store.list()).map(({ inspectionKey }) => inspectionKey)).toEqual(["2"]);
    expect(await visit(four())).toEqual(everything);
    expect(await rejectionOf(store.remove({ ...listed[0] }))).toBeInstanceOf(TypeError);
  });

  test("never writes a token", async () => {
    const headers = { Authorization: "bearer SECRET-TOKEN" };
    const live = await loaded(open(), clientOf(four(), { headers }));
    (await live.done).free();
    const storage = await bytesOfOrigin();
    expect(storage.length).toBeGreaterThan(0);
    expect(storage.filter((text) => text.includes("SECRET"))).toEqual([]);
  });

  test("keeps nothing of before after sign-out, not even of calls that go on", async () => {
    await visit(four());
    const wire = new Wire({ partitions: 5, holds: ({ index }) => index === 4 });
    const live = await loaded(open(), wire);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 4);
    await open().clear();
    expect(await open().list()).toEqual([]);
    wire.release(4);
    (await live.done).free();
    expect([await open().list(), live.getSnapshot().table.length]).toEqual([[], 10]);
    expect(await visit(four())).toEqual(everything);
    expect(await visit(four())).toEqual(kept);
  });

  test("shows nothing of before if the user signs out while it is read", async () => {
    await visit(four());
    const { fromBytes } = FindingsTable;
    vi.spyOn(FindingsTable, "fromBytes").mockImplementation(async (bytes) => {
      const table = await fromBytes(bytes);
      await open().clear();
      return /** @type {any} */ (table);
    });
    expect(await visit(four())).toEqual(everything);
    vi.mocked(FindingsTable.fromBytes).mockRestore();
    expect(await visit(four())).toEqual(everything);
  });

  test("keeps what has arrived of a load that lacks partitions or is cancelled, and requests the rest", async () => {
    const lacking = new Wire({ partitions: 4, respond: ({ index }) => (index === 2 ? refused(410) : undefined) });
    const partial = { first: 0, state: "partial", findings: findingsOfAll([0, 1, 3]), requests: [-1, 0, 1, 2, 3] };
    expect(await visit(lacking, { failurePolicy: "collect" })).toEqual(partial);
    const wire = new Wire({ partitions: 4, holds: ({ index }) => index === 2 });
    const live = await loaded(open(), wire);
    expect(live.getSnapshot().table.length).toBe(6);
    await vi.waitUntil(() => wire.open.length === 1);
    live.cancel();
    await rejectionOf(live.done);
    await open().list();
    expect(await visit(four())).toEqual({ ...kept, first: 6, requests: [-1, 2] });
    expect(await visit(four())).toEqual(kept);
  });

  test("keeps the rest that resume() has fetched", async () => {
    const wire = new Wire({ respond: ({ index, count }) => (index === 1 && count === 1 ? refused(404) : undefined) });
    const live = await loaded(open(), wire, { failurePolicy: "collect" });
    await rejectionOf(live.done);
    live.resume();
    (await live.done).free();
    await open().list();
    expect((await visit(new Wire())).requests).toEqual([-1]);
  });

  test("leaves the kept table as it is when less has arrived", async () => {
    await visit(four());
    const failing = new Wire({ partitions: 5, respond: ({ index }) => (index > 0 ? refused(404) : undefined) });
    for (const reload of [false, true]) {
      expect((await visit(failing, { concurrency: 1, reload })).state).toBe("failed");
      expect(await visit(four())).toEqual(kept);
    }
  });

  test("shows the kept table and the error where the service cannot be reached", async () => {
    await visit(four());
    const live = await loaded(open(), new Wire({ respond: () => refused(401) }));
    await rejectionOf(live.done);
    expect(live.getSnapshot()).toMatchObject({ state: "failed", error: { code: "unauthorized" } });
    expect(live.getSnapshot().table.toArray()).toEqual(allFindings(4));
    expect(await visit(four())).toEqual(kept);
  });

  test("loads plainly and says why where the bytes are damaged or of another version, and keeps good ones", async () => {
    /** @type {(bytes: Uint8Array) => void} */
    const damage = (bytes) => {
      bytes[bytes.length - 1] ^= 1;
    };
    /** @type {(bytes: Uint8Array) => void} */
    const otherVersion = (bytes) => {
      bytes[8] += 1;
    };
    for (const change of [damage, otherVersion]) {
      await open().clear();
      const write = vi.spyOn(FindingsTable.prototype, "toBytes").mockImplementation(changed(change));
      expect(await visit(four())).toEqual(everything);
      write.mockRestore();
      errors = [];
      expect(await visit(four())).toEqual(everything);
      expect(errors).toEqual([expect.any(FindingsError)]);
      expect(errors).toMatchObject([{ code: "bytes" }]);
      expect(await visit(four())).toEqual(kept);
    }
  });

  test("replaces the bytes as a whole when two stores keep the same table at once", async () => {
    const wires = [0, 100].map((first) => new Wire({ partitions: 4, findings: (index) => findingsOf(first + index) }));
    const stores = [open(), open()];
    const lives = await Promise.all(wires.map((wire, index) => loaded(stores[index], wire, { reload: true })));
    await Promise.all(lives.map(async ({ done }) => (await done).free()));
    await Promise.all(stores.map((store) => store.list()));
    const next = await visit(four());
    expect(next).toMatchObject({ first: 8, requests: [-1] });
    expect([allFindings(4), findingsOfAll([100, 101, 102, 103])]).toContainEqual(next.findings);
    expect((await open().list()).length).toBe(1);
  });

  test("writes what a freed client has loaded, and nothing after free() of the live table", async () => {
    const wire = new Wire({ partitions: 4, holds: ({ index }) => index === 3 });
    const client = clientOf(wire);
    const live = await loaded(open(), client);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
    client.free();
    await rejectionOf(live.done);
    await open().list();
    const next = new Wire({ partitions: 4, holds: ({ index }) => index === 3 });
    const freed = await loaded(open(), next);
    expect(freed.getSnapshot().table.length).toBe(6);
    await vi.waitUntil(() => next.open.length === 1);
    freed.free();
    await quiet();
    expect(await visit(four())).toEqual({ ...kept, first: 6, requests: [-1, 3] });
    const ended = clientOf(four());
    ended.free();
    const last = await loaded(open(), ended);
    await rejectionOf(last.done);
    expect(last.getSnapshot()).toMatchObject({ state: "aborted", table: { length: 8 } });
  });

  test.for(["throws", "fails later"])("keeps the bytes of before, and says why, where a write %s", async (how) => {
    await visit(four());
    const quota = new DOMException("no space is left", "QuotaExceededError");
    const { prototype, name } = writer();
    const original = prototype[name];
    vi.spyOn(prototype, name).mockImplementation(function (...parameters) {
      if (how === "throws") throw quota;
      const begun = Reflect.apply(original, this, parameters);
      if (prototype === IDBObjectStore.prototype) this.transaction.abort();
      return prototype === IDBObjectStore.prototype ? begun : Promise.reject(quota);
    });
    expect(await visit(new Wire({ partitions: 5 }))).toMatchObject({ state: "complete", findings: allFindings(5) });
    expect(errors.length).toBe(1);
    if (how === "throws") expect(errors).toEqual([quota]);
    vi.mocked(prototype[name]).mockRestore();
    expect(await visit(four())).toEqual(kept);
  });

  test("keeps the new bytes when the signal is aborted during the write", async () => {
    await visit(four());
    const controller = new AbortController();
    const { prototype, name } = writer();
    const original = prototype[name];
    let writes = 0;
    vi.spyOn(prototype, name).mockImplementation(function (...parameters) {
      writes++;
      controller.abort("enough");
      return Reflect.apply(original, this, parameters);
    });
    const live = await loaded(open(), new Wire({ partitions: 5 }), { signal: controller.signal });
    (await live.done).free();
    await open().list();
    expect([writes, controller.signal.aborted, live.getSnapshot().state]).toEqual([1, true, "complete"]);
    expect(await visit(new Wire({ partitions: 5 }))).toMatchObject({ findings: allFindings(5), requests: [-1] });
  });

  test("leaves no timer behind, and writes an empty inspection without an error", async () => {
    const timers = watchTimers();
    expect((await visit(new Wire({ counts: countsOf(0) }))).state).toBe("complete");
    await quiet();
    expect([timers.size, errors]).toEqual([0, []]);
  });
});

describe("a store", () => {
  beforeEach(() => open().clear());

  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    await open().clear();
  });

  test("fails a call with wrong arguments as the client does, and touches no storage for it", async () => {
    const storage = vi.spyOn(indexedDB, "open");
    const live = await loaded(open(), new Wire(), /** @type {any} */ ({ retry: 1 }));
    expect((await rejectionOf(live.done)).message).toMatch(/^unknown option "retry"/);
    expect([live.getSnapshot().state, storage.mock.calls, errors]).toEqual(["failed", [], []]);
  });

  test("touches nothing of the browser until it is used", () => {
    vi.stubGlobal("navigator", undefined);
    vi.stubGlobal("indexedDB", undefined);
    expect(() => openStore()).not.toThrow();
  });

  test("loads plainly, and says why, where the browser has no storage or refuses it", async () => {
    vi.stubGlobal("navigator", { storage: undefined });
    for (const indexedDB of [undefined, refusingDatabase()]) {
      errors = [];
      vi.stubGlobal("indexedDB", indexedDB);
      expect(await visit(four())).toEqual(everything);
      expect(await visit(four())).toEqual(everything);
      expect(errors.length).toBeGreaterThan(2);
      expect(await rejectionOf(open().clear())).toBeInstanceOf(Error);
      expect(await open().list()).toEqual([]);
    }
  });

  test("uses IndexedDB where files are refused", async () => {
    const refuse = async () => {
      throw new DOMException("private window", "SecurityError");
    };
    vi.stubGlobal("navigator", { storage: { getDirectory: refuse }, locks: navigator.locks });
    await open().clear();
    expect(await visit(four())).toEqual(everything);
    expect(await visit(four())).toEqual(kept);
    await open().clear();
    expect(errors).toEqual([]);
  });

  test("drops the writes of other pages that began before sign-out", async () => {
    // Another page has another copy of the module.
    const { openStore: openOther } = await (await openRealm()).load(keepAddress);
    const wire = new Wire({ partitions: 4, holds: ({ index }) => index === 3 });
    const live = await loaded(open(), wire);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
    await new Promise((resolve) => setTimeout(resolve, 5));
    await openOther().clear();
    wire.release(3);
    (await live.done).free();
    expect(await open().list()).toEqual([]);
  });

  test("takes clients of another entry", async () => {
    const realm = await openRealm();
    const [{ openStore: openOther }, slim] = await Promise.all([keepAddress, addresses.slim].map(realm.load));
    await slim.init(addresses.wasm);
    const requests = [];
    for (const first of [0, 8]) {
      const wire = four();
      const client = new slim.FindingsClient({ fetch: wire.fetch, baseUrl: new URL(".", document.baseURI) });
      const live = await openOther().load(client, 1, "topics");
      expect(live.getSnapshot().table.length).toBe(first);
      (await live.done).free();
      await openOther().list();
      requests.push(wire.indexes.length);
      client.free();
    }
    expect(requests).toEqual([5, 1]);
  });

  test("throws what onError throws", async () => {
    vi.stubGlobal("navigator", { storage: undefined });
    vi.stubGlobal("indexedDB", undefined);
    const store = openStore({
      onError: () => {
        throw new RangeError("of the page");
      },
    });
    expect(await rejectionOf(store.load(clientOf(four()), 1, "topics"))).toBeInstanceOf(RangeError);
  });
});

/** What writes bytes in the storage that this page has. @returns {{ prototype: any, name: string }} */
function writer() {
  return navigator.storage && "createWritable" in FileSystemFileHandle.prototype
    ? { prototype: FileSystemWritableFileStream.prototype, name: "write" }
    : { prototype: IDBObjectStore.prototype, name: "put" };
}

/** An `indexedDB` whose databases cannot be opened. */
function refusingDatabase() {
  return {
    open: () => {
      throw new DOMException("sandboxed", "SecurityError");
    },
  };
}

const { toBytes } = FindingsTable.prototype;

/** Bytes of a table that a test has changed. @param {(bytes: Uint8Array) => void} change */
function changed(change) {
  return /** @this {FindingsTable} */ function () {
    const bytes = Reflect.apply(toBytes, this, []);
    change(bytes);
    return bytes;
  };
}

/** The names and the texts of all that this origin keeps. */
async function bytesOfOrigin() {
  /** @type {string[]} */
  const texts = [];
  const decoder = new TextDecoder();
  if ("storage" in navigator && navigator.storage) {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("inspection-findings");
    for await (const [name, handle] of folder.entries()) {
      const bytes = await (await /** @type {FileSystemFileHandle} */ (handle).getFile()).arrayBuffer();
      texts.push(name, decoder.decode(bytes));
    }
    return texts;
  }
  const opening = indexedDB.open("inspection-findings");
  await new Promise((resolve) => opening.addEventListener("success", resolve));
  const store = opening.result.transaction("inspection-findings").objectStore("inspection-findings");
  const [keys, values] = [store.getAllKeys(), store.getAll()];
  await new Promise((resolve) => store.transaction.addEventListener("complete", resolve));
  opening.result.close();
  return [...keys.result.map((key) => JSON.stringify(key)), ...values.result.map((value) => decoder.decode(value))];
}
