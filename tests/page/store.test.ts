/** The store: what the visits of a page show, request and keep, whatever happens to the storage of the browser. */

import { FindingsClient, FindingsTable, type LiveTable } from "inspection-findings";
import { type KeepOptions, type KeptTable, openStore } from "inspection-findings/keep";
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf, findingsOf, findingsOfAll, upTo } from "./inspection.js";
import { never, outcomeOf, pause, rejectionOf } from "./outcome.js";
import { openRealm } from "./realm.js";
import { watchTimers } from "./timers.js";
import { type Asked, quiet, refused, Wire } from "./wire.js";
import { collect, holding } from "./wires";

/** The timers of the browser, also while a test replaces them. */
const realTimeout = setTimeout;

/** The entry as it is shipped, of which another page has another copy. */
const keepAddress = `${location.origin}/package/keep.js`;

/** The errors of the stores of a test. */
let errors: unknown[];

beforeEach(clearAll);
// Other tests begin with an empty store.
afterAll(clearAll);

/** What a visit without a kept table gives, of four partitions. */
const everything = { first: 0, state: "complete", findings: allFindings(4), requests: [-1, 0, 1, 2, 3] };
/** What a visit with the complete table gives, and one with all but the last partition. */
const kept = { ...everything, first: 8, requests: [-1] };
const lastOnly = { ...kept, first: 6, requests: [-1, 3] };

const four = () => new Wire({ partitions: 4 });
const five = () => new Wire({ partitions: 5 });
const empty = () => new Wire({ counts: countsOf(0) });
/** Four partitions with other findings, and the same counts. */
const others = (first = 10) => new Wire({ partitions: 4, findings: (index) => findingsOf(first + index) });
const otherFindings = (first = 10) => findingsOfAll(upTo(4).map((index) => first + index));
const lacksLast = () => new Wire({ partitions: 4, respond: ({ index }) => (index === 3 ? refused(410) : undefined) });
/** Five partitions, of which the service refuses those from one on, or already the counts. */
const refusing = (status: number, first = -1) =>
  new Wire({ partitions: 5, respond: ({ index }) => (index >= first ? refused(status) : undefined) });

/** A visit, and what it shows and requests; or what happens between two visits. */
type Step = [wire: () => Wire, options: KeepOptions, expected: object] | (() => unknown);

const visits: Record<string, Step[]> = {
  "shows the kept table at once, and checks it with one request": [
    [four, {}, everything],
    [four, {}, kept],
    [four, {}, kept],
  ],
  "loads what has changed, and keeps that": [
    [four, {}, everything],
    [five, {}, { first: 8, state: "complete", findings: allFindings(5), requests: [-1, 0, 1, 2, 3, 4] }],
    [five, {}, { first: 10, findings: allFindings(5), requests: [-1] }],
  ],
  "requests everything with reload, although the counts are the same, and keeps that": [
    [four, {}, everything],
    [others, { reload: true }, { ...everything, findings: otherFindings() }],
    [four, {}, { ...kept, findings: otherFindings() }],
  ],
  "replaces the table of an inspection that is now empty": [
    [four, {}, everything],
    [empty, {}, { first: 8, state: "complete", findings: [], requests: [-1] }],
    [empty, {}, { first: 0, state: "complete", findings: [], requests: [-1] }],
  ],
  "keeps what has arrived of a load that lacks partitions": [
    [lacksLast, collect, { first: 0, state: "partial" }],
    [four, {}, lastOnly],
    [four, {}, kept],
  ],
  "shows what has arrived of a load that fails, and keeps the table of before": [
    [four, {}, everything],
    [() => refusing(404, 1), { concurrency: 1 }, { first: 8, state: "failed", findings: allFindings(1) }],
    [() => refusing(404, 1), { concurrency: 1, reload: true }, { first: 0, state: "failed", findings: allFindings(1) }],
    [four, {}, kept],
  ],
  "keeps the bytes of before although other scripts have written beside them": [
    [four, {}, everything],
    writeBeside,
    async () => expect(await open().list()).toHaveLength(1),
    [four, {}, kept],
  ],
};

/** The storages: the second is that of a browser whose pages cannot write files, and the best one of WebKitGTK. */
const storages = { "the best storage of this engine": () => {}, IndexedDB: () => replaceStorage(undefined) };

describe.for(Object.entries(storages))("a store in %s", ([, prepare]) => {
  beforeEach(prepare);

  test.for(Object.entries(visits))("%s", async ([, steps]) => {
    const timers = watchTimers();
    for (const step of steps) {
      if (typeof step === "function") await step();
      else expect(await visit(step[0](), step[1])).toMatchObject(step[2]);
    }
    await quiet();
    expect([errors, timers.size]).toEqual([[], 0]);
  });

  test("lists size and age, and removes a table of the list, or a copy of it, and nothing else", async () => {
    const before = Date.now();
    await visit(four());
    (await (await open().load(clientOf(new Wire({ partitions: 1 })), 2, "sentiment")).done).free();
    const listed = (await open().list()).toSorted((one, other) => one.size - other.size);
    const baseUrl = new URL(".", document.baseURI).href;
    expect(listed).toMatchObject([
      { inspectionKey: "2", kind: "sentiment", baseUrl, size: expect.any(Number), savedAt: expect.any(Date) },
      { inspectionKey: "1", kind: "topics", baseUrl },
    ]);
    for (const { savedAt } of listed) expect(Math.abs(+savedAt - before)).toBeLessThan(60_000);
    for (const wrong of [undefined, {}, { name: 1 }, { name: "2,sentiment" }] as any[]) {
      expect(await rejectionOf(open().remove(wrong))).toBeInstanceOf(TypeError);
    }
    await open().remove(structuredClone(listed[1]) as KeptTable);
    expect((await open().list()).map(({ inspectionKey }) => inspectionKey)).toEqual(["2"]);
    expect(await visit(four())).toEqual(everything);
  });

  test.for(["throws", "fails later"])("keeps the bytes of before, and says why, where a write %s", async (how) => {
    const quota = new DOMException("no space is left", "QuotaExceededError");
    const hasFiles = navigator.storage && "createWritable" in FileSystemFileHandle.prototype;
    const prototype: any = hasFiles ? FileSystemWritableFileStream.prototype : IDBObjectStore.prototype;
    const name = hasFiles ? "write" : "put";
    const original = prototype[name];
    for (const next of [everything, kept]) {
      errors = [];
      const writing = vi.spyOn(prototype, name).mockImplementation(function (this: any, ...given: unknown[]) {
        if (how === "throws") throw quota;
        const begun: any = Reflect.apply(original, this, given);
        if (hasFiles) return begun.then(() => Promise.reject(quota));
        this.transaction.abort();
        return begun;
      });
      expect(await visit(five())).toMatchObject({ state: "complete", findings: allFindings(5) });
      writing.mockRestore();
      expect(await open().list()).toHaveLength(next === kept ? 1 : 0);
      expect(await visit(four())).toEqual(next);
      expect(errors).toEqual([how === "throws" ? quota : expect.anything()]);
    }
  });

  test("writes nothing while nothing is new, and never a token", async () => {
    const written = vi.spyOn(FindingsTable.prototype, "toBytes");
    const headers = { Authorization: "bearer SECRET-TOKEN" };
    for (const _ of [1, 2]) await visit(clientOf(four(), { headers }));
    expect(written).toHaveBeenCalledTimes(1);
    const bytes = written.mock.results[0]?.value as Uint8Array;
    expect([new TextDecoder("latin1").decode(bytes), JSON.stringify(await open().list())].join()).not.toMatch(/SECRET/);
  });

  test("keeps and lists while all tables take longer to list than one may take to read", async () => {
    for (const key of [2, 3, 4, 5]) await (await loaded(four(), {}, open(), key)).done;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    onTestFinished(() => void vi.useRealTimers());
    if (navigator.storage) {
      const { getFile } = FileSystemFileHandle.prototype;
      vi.spyOn(FileSystemFileHandle.prototype, "getFile").mockImplementation(function (this: any) {
        vi.advanceTimersByTime(1_500);
        return getFile.call(this);
      });
    }
    expect(await visit(four())).toEqual(everything);
    expect(await open().list()).toHaveLength(5);
    expect(errors).toEqual([]);
  });

  test("replaces the bytes as a whole when two stores keep the same table at once", async () => {
    const wires = [0, 100].map(others);
    const lives = await Promise.all(wires.map((wire) => loaded(wire, { reload: true })));
    await Promise.all(lives.map(({ done }) => done));
    await open().list();
    const next = await visit(four());
    expect(next).toMatchObject({ first: 8, requests: [-1] });
    expect([allFindings(4), otherFindings(100)]).toContainEqual(next.findings);
    expect(await open().list()).toHaveLength(1);
  });
});

describe("a store", () => {
  const notKnown = "is undefined: the owner is not known yet; open the store when it is,";
  test.for([
    ["a text", "ann", "options must be an object; got a string: pass { owner }"],
    ["undefined", undefined, "options must be an object; got undefined: the owner is not known yet;"],
    ["an owner that is undefined", { owner: undefined }, `owner ${notKnown}`],
    ["an inherited one", Object.create({ owner: undefined }), `owner ${notKnown}`],
    ["an empty owner", { owner: "" }, 'owner must be a string that is not empty; got ""'],
    ["no function", { onError: "log" }, 'onError must be a function; got "log"'],
  ] as [string, any, string][])("is opened with %s only to say what is wrong", ([, options, message]) => {
    expect(() => openStore(options)).toThrow(TypeError);
    expect(() => openStore(options)).toThrow(message);
  });

  test.for([
    ["an unknown option", { retry: 1 }, /^unknown option "retry".*columns, reload$/],
    ["an earlier table", { from: null }, /^from does not apply to this call, only to loadTable and watchTable$/],
    ["reload as a text", { reload: "no" }, /^reload must be true or false; got "no"$/],
  ] as [string, any, RegExp][])("fails a call with %s, and touches no storage for it", async ([, options, message]) => {
    const storage = vi.spyOn(indexedDB, "open");
    const wire = new Wire();
    const live = await loaded(wire, options);
    const error = await rejectionOf(live.done);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message);
    expect([live.getSnapshot().state, wire.asked, storage.mock.calls, errors]).toEqual(["failed", [], [], []]);
  });

  test("says which client it takes", async () => {
    const { FindingsClient: Other } = await import(/* @vite-ignore */ `${location.origin}/package/objects.js`);
    for (const client of [new Other(), undefined, {}]) {
      const message =
        "load() takes a FindingsClient of inspection-findings as its first argument; that of inspection-findings/objects has no tables";
      expect(await rejectionOf(open().load(client, 1, "topics"))).toEqual(new TypeError(message));
    }
  });

  test("keeps tables apart by service, inspection, kind and columns, and takes a key in each type", async () => {
    const load = async (baseUrl: string, key: number | bigint | string, kind: any, columns?: string[]) => {
      const wire = new Wire({ partitions: 2 });
      const live = await open().load(clientOf(wire, { baseUrl }), key, kind, { columns });
      (await live.done).free();
      await open().list();
      return wire.indexes.length;
    };
    const names = [["StringKey"], ["Comment", "StringKey"], ["Aa"], ["BB"]];
    for (const [key, large, requests] of [
      [1, 2n ** 62n, 3],
      ["1", `${2n ** 62n}`, 1],
    ] as const) {
      expect(await load("https://a.example/", key, "topics")).toBe(requests);
      expect(await load("https://b.example/", key, "topics")).toBe(requests);
      expect(await load("https://a.example/cxi/", key, "topics")).toBe(requests);
      expect(await load("https://a.example/", large, "topics")).toBe(requests);
      expect(await load("https://a.example/", key, "sentiment")).toBe(requests);
      // Shorter hashes of the last two are equal.
      for (const columns of names) expect(await load("https://a.example/", key, "topics", columns)).toBe(requests);
    }
    expect(await open().list()).toHaveLength(5 + names.length);
  });

  test("shows, lists, replaces and removes only tables of its owner, and clears those of all", async () => {
    const owners = [{}, ...["ann", "Ann", "a,n\ud800n/…", "_0041nn"].map((owner) => ({ owner }))];
    const stores = owners.map((owner) => open(owner));
    for (const [number, store] of stores.entries()) {
      expect(await visit(others(10 * number), {}, store)).toMatchObject({ first: 0, requests: everything.requests });
    }
    for (const [number, store] of stores.entries()) {
      expect(await visit(four(), {}, store)).toEqual({ ...kept, findings: otherFindings(10 * number) });
      const listed = await store.list();
      expect(listed).toHaveLength(1);
      for (const other of stores) {
        if (other !== store) expect(await rejectionOf(other.remove(listed[0] as KeptTable))).toBeInstanceOf(TypeError);
      }
    }
    await stores[1]?.clear();
    expect(await Promise.all(stores.map((store) => store.list()))).toEqual(owners.map(() => []));
  });

  const refusals: [string, KeepOptions, number, number][] = [
    ["the counts", {}, 401, -1],
    ["the counts of a collecting call", collect, 403, -1],
    ["a partition", {}, 403, 2],
    ["a partition of a collecting call", collect, 403, 2],
  ];

  // P25
  test.for(refusals)(
    "hands out no finding any more after %s has been refused, and keeps them",
    async ([, options, status, first]) => {
      await visit(four());
      const live = await loaded(refusing(status, first), { concurrency: 1, ...options });
      const told: unknown[] = [];
      live.subscribe(() => told.push(live.getSnapshot()));
      const error = await rejectionOf(live.done);
      const snapshot = live.getSnapshot();
      expect(snapshot).toMatchObject({
        ...{ state: "failed", table: { length: 0, partitions: [] } },
        progress: { findingsDone: 0 },
      });
      expect([snapshot.error, error.code, error.status, told.at(-1)]).toEqual([
        error,
        "unauthorized",
        status,
        snapshot,
      ]);
      for (const name of ["table", "findings", "failures", "resume"]) expect(error[name]).toBeUndefined();
      for await (const { table } of live) expect(table.toArray()).toEqual([]);
      expect(await visit(four())).toEqual(kept);
    },
  );

  test.for([
    ["the live table", (live) => live.resume()],
    ["an error of before", (_, resume) => resume()],
  ] as [string, (live: LiveTable<any>, resume: () => unknown) => unknown][])(
    "requests everything with resume() of %s after a refusal, and shows nothing of before",
    async ([, resume]) => {
      await visit(lacksLast(), collect);
      let status = 410;
      const respond = ({ index }: Asked) => (index === 3 && status !== 200 ? refused(status) : undefined);
      const wire = new Wire({ partitions: 4, respond, holds: ({ index }) => index === 3 && status === 200 });
      const live = await loaded(wire, collect);
      const before = await rejectionOf(live.done);
      expect(before.table.length).toBe(6);
      status = 403;
      live.resume();
      expect(await rejectionOf(live.done)).toMatchObject({ code: "unauthorized", status });
      const { length } = wire.indexes;
      status = 200;
      resume(live, before.resume);
      expect(live.getSnapshot()).toMatchObject({ state: "loading", table: { length: 0 } });
      await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
      expect(live.getSnapshot().table.toArray()).toEqual(allFindings(3));
      wire.release(3);
      expect((await live.done).toArray()).toEqual(allFindings(4));
      expect(wire.indexes.slice(length).toSorted()).toEqual(everything.requests);
      live.free();
      expect(await rejectionOf(before.resume())).toMatchObject({ code: "unauthorized", status: 403 });
      expect(wire.indexes).toHaveLength(length + 5);
    },
  );

  test("ends all its calls when one of them is refused", async () => {
    await visit(lacksLast(), collect);
    const respond = ({ index, count }: Asked) =>
      index === 3 || count === 2 ? refused(count === 2 ? 403 : 410) : undefined;
    const wire = new Wire({ partitions: 4, holds: ({ index, count }) => index < 0 && count > 1, respond });
    const live = await loaded(wire, collect);
    const { resume } = await rejectionOf(live.done);
    const calls = [resume(), resume()].map(rejectionOf);
    await vi.waitUntil(() => wire.open.length === 1);
    wire.open[0]?.release();
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "unauthorized" });
    expect(live.getSnapshot()).toMatchObject({ state: "failed", table: { length: 0 } });
    await quiet();
    expect(wire.open).toEqual([]);
  });

  const ofOther = { cause: expect.any(TypeError) };
  const ofVersion = { code: "bytes", reason: "version" };
  /** Bytes that are no table of the name that they get, and what is said. */
  const wrongBytes: [string, object, (client: FindingsClient, right: FindingsTable<any>) => any][] = [
    ["of another version", ofVersion, (_, right) => right.toBytes().with(8, 255)],
    ["of another inspection", ofOther, (client) => client.loadTable(2, "topics")],
    ["with other columns", ofOther, (client) => client.loadTable(1, "topics", { columns: ["Number" as never] })],
    ["of a view", ofOther, (_, right) => right.filter({})],
  ];

  test.for(wrongBytes)("loads plainly, says why, and replaces bytes %s, even by fewer", async ([, said, make]) => {
    const client = clientOf(four());
    const made = await make(client, await client.loadTable(1, "topics"));
    const bytes = made instanceof FindingsTable ? made.toBytes() : made;
    const write = vi.spyOn(FindingsTable.prototype, "toBytes").mockReturnValue(bytes);
    await visit(four());
    write.mockRestore();
    expect(await visit(lacksLast(), collect)).toMatchObject({ first: 0, state: "partial" });
    expect(await visit(four())).toEqual(lastOnly);
    expect(errors).toEqual([expect.objectContaining(said)]);
  });

  test("has the numbers of the kept findings in its progress until the counts are known", async () => {
    await visit(four());
    const live = await loaded(refusing(404));
    await rejectionOf(live.done);
    const numbers = { partitionsDone: 4, partitions: 4, findingsDone: 8, findings: 8, bytes: 0, retries: 0 };
    expect(live.getSnapshot().progress).toEqual(numbers);
  });

  test("lists nothing while another tab changes what is kept", async () => {
    await visit(four());
    const change = Promise.withResolvers<void>();
    const changed = navigator.locks.request("inspection-findings", () => change.promise);
    const listed = open().list();
    expect(await Promise.race([listed, pause(50)])).toBe(undefined);
    change.resolve();
    await changed;
    expect(await listed).toHaveLength(1);
  });

  test("shows nothing of before if the user signs out while it is read", async () => {
    await visit(four());
    const { fromBytes } = FindingsTable;
    let read: any;
    vi.spyOn(FindingsTable, "fromBytes").mockImplementationOnce(async (bytes) => {
      read = await fromBytes(bytes);
      await open().clear();
      return read;
    });
    expect(await visit(four())).toEqual(everything);
    expect(() => read.length).toThrow("has been freed");
    expect(await visit(four())).toEqual(everything);
  });

  test("keeps nothing of a load whose options sign the user out while they are read", async () => {
    const retries = { get: () => void open().clear(), enumerable: true };
    expect(await visit(four(), Object.defineProperty({}, "retries", retries))).toEqual(everything);
    expect(await visit(four())).toEqual(everything);
  });

  /** What happens before the last of four partitions arrives, and what the next visit shows at first and requests. */
  const endings: [string, (live: LiveTable<any>, client: FindingsClient) => unknown, object][] = [
    ["is cancelled", (live) => live.cancel(), lastOnly],
    ["loses its client", (_, client) => client.free(), lastOnly],
    ["is freed", (live) => live.free(), everything],
    ["another load overtakes", (live) => visit(four()).then(live.cancel), kept],
    ["this page signs out of", () => open().clear(), everything],
    [
      "another page signs out of",
      async () => (await (await openRealm()).load(keepAddress)).openStore().clear(),
      everything,
    ],
  ];

  test.for(endings)("keeps for the next visit what may be kept of a load that %s", async ([, act, next]) => {
    const wire = holding(4, 3);
    const client = clientOf(wire);
    const live = await loaded(client);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
    await act(live, client);
    wire.release(3);
    await outcomeOf(live.done);
    await quiet();
    await open().list();
    expect(await visit(four())).toEqual(next);
    expect(await visit(four())).toEqual(kept);
  });

  const silentDatabase = () => {
    replaceStorage(undefined);
    for (const name of ["open", "deleteDatabase"] as const) {
      vi.spyOn(indexedDB, name).mockReturnValue(new EventTarget() as any);
    }
  };

  test.for([
    ["files", 2, () => replaceStorage({ getDirectory: never })],
    ["a database", 60, silentDatabase],
  ] as const)(
    "waits two seconds to read from %s that never answers, %i to remove, and says so",
    async ([, change, prepare]) => {
      prepare();
      // Time passes at once for a storage alone.
      vi.spyOn(globalThis, "setTimeout").mockImplementation(((act: () => void, time: number) =>
        realTimeout(act, time === 2_000 || time === 60_000 ? 0 : time)) as any);
      const late = (seconds: number) => ({
        name: "TimeoutError",
        message: `The browser's storage has not answered within ${seconds} seconds.`,
      });
      const store = open();
      expect(await store.list()).toEqual([]);
      expect(await rejectionOf(store.clear())).toMatchObject(late(change));
      const live = await loaded(four(), {}, store);
      expect((await live.done).toArray()).toEqual(allFindings(4));
      // Of the list, of reading, and of writing, which begins once the table is complete.
      await vi.waitUntil(() => errors.length === 3);
      expect(errors).toMatchObject([late(2), late(2), late(2)]);
    },
  );

  test("touches nothing of the browser until it is used, and then throws what onError throws", async () => {
    vi.stubGlobal("navigator", undefined);
    vi.stubGlobal("indexedDB", undefined);
    const onError = () => {
      throw new RangeError("of the page");
    };
    const store = openStore({ onError });
    vi.stubGlobal("navigator", { storage: undefined });
    expect(await rejectionOf(store.load(clientOf(four()), 1, "topics"))).toBeInstanceOf(RangeError);
  });

  test.for([
    ["has no storage", undefined],
    ["refuses it", { open: () => raise(new DOMException("sandboxed", "SecurityError")) }],
  ] as const)("loads plainly, and says why, where the browser %s", async ([, database]) => {
    replaceStorage(undefined);
    vi.stubGlobal("indexedDB", database);
    for (const _ of [1, 2]) expect(await visit(four())).toEqual(everything);
    expect(errors.length).toBeGreaterThan(2);
    expect(await rejectionOf(open().clear())).toBeInstanceOf(Error);
    expect(await open().list()).toEqual([]);
  });

  test("uses IndexedDB where files are refused, and leaves no connection to it", async () => {
    replaceStorage({ getDirectory: async () => raise(new DOMException("private window", "SecurityError")) });
    await open().clear();
    expect(await visit(four())).toEqual(everything);
    expect(await visit(four())).toEqual(kept);
    expect(errors).toEqual([]);
    const { promise, resolve } = Promise.withResolvers<Event>();
    const deleting = indexedDB.deleteDatabase("inspection-findings");
    deleting.onsuccess = deleting.onblocked = resolve;
    expect((await promise).type).toBe("success");
  });

  describe.runIf("storage" in navigator)("of a browser that has files and a database", () => {
    /** How a page of the browser stores bytes, as an earlier visit may have done it. */
    const ways = {
      files: <Result>(act: () => Promise<Result>) => act(),
      "a database": async <Result>(act: () => Promise<Result>) => {
        const { prototype } = FileSystemFileHandle as any;
        const { createWritable } = prototype;
        delete prototype.createWritable;
        return act().finally(() => Object.assign(prototype, { createWritable }));
      },
    };
    const inDatabase = ways["a database"];

    test.for([
      ["files", "a database"],
      ["a database", "files"],
    ] as const)("removes at sign-out what is kept in %s, also by a page with %s", async ([way, other]) => {
      await ways[way](() => visit(four()));
      await ways[other](() => open().clear());
      expect(await ways[way](() => open().list())).toEqual([]);
      expect(await ways[way](() => visit(four()))).toEqual(everything);
    });

    test("rejects at sign-out if one of them refuses, and removes what the other has", async () => {
      await inDatabase(() => visit(four()));
      const refusal = new DOMException("locked", "NoModificationAllowedError");
      vi.spyOn(FileSystemDirectoryHandle.prototype, "removeEntry").mockRejectedValueOnce(refusal);
      expect(await rejectionOf(open().clear())).toBe(refusal);
      expect(await inDatabase(() => visit(four()))).toEqual(everything);
    });

    test("leaves nothing in the database that a page with files would never list", async () => {
      await inDatabase(() => visit(four()));
      expect((await indexedDB.databases()).map(({ name }) => name)).toContain("inspection-findings");
      expect(await open().list()).toEqual([]);
      await vi.waitUntil(async () => (await indexedDB.databases()).length === 0);
    });
  });
});

/** Empties the browser's own storages, and forgets the errors. */
async function clearAll() {
  Reflect.deleteProperty(navigator, "storage");
  errors = [];
  await open().clear();
}

/** Replaces the property alone: code that WebKit has compiled goes on reading the `navigator` that a global was. */
function replaceStorage(value: unknown) {
  Object.defineProperty(navigator, "storage", { configurable: true, value });
}

/** A store, as a page opens one. */
function open(options?: { owner?: string }) {
  return openStore({ ...options, onError: (error) => errors.push(error) });
}

/** Loads a table through a store. It is freed after the test. */
async function loaded(
  from: Wire | FindingsClient,
  options?: KeepOptions,
  store = open(),
  key = 1,
): Promise<LiveTable<any>> {
  const client = from instanceof FindingsClient ? from : clientOf(from);
  return freeAfterTest((await store.load(client, key, "topics", options)) as LiveTable<any>);
}

/** One visit of the page, until its table is kept: what it shows at first and at last, and what it requests. */
async function visit(wire: Wire | FindingsClient, options?: KeepOptions, store = open()) {
  const live = await loaded(wire, options, store);
  const first = live.getSnapshot().table.length;
  await live.done.then((table) => table.free()).catch(() => {});
  const { state, table } = live.getSnapshot();
  await store.list();
  const requests = wire instanceof Wire ? wire.indexes.toSorted() : undefined;
  return { first, state, findings: table.toArray(), requests };
}

function raise(error: unknown): never {
  throw error;
}

/** Writes files and a folder, or records of a database, beside those of the store. */
async function writeBeside() {
  if (navigator.storage) {
    const root = await navigator.storage.getDirectory();
    const folder = await root.getDirectoryHandle("inspection-findings", { create: true });
    await folder.getDirectoryHandle("a folder", { create: true });
    for (const name of ["%E0%A4%A", "a file", "1,topics", ",,,,,,"]) {
      const writable = await (await folder.getFileHandle(name, { create: true })).createWritable();
      await writable.write("text");
      await writable.close();
    }
    return;
  }
  const opening = indexedDB.open("inspection-findings");
  await new Promise((resolve) => opening.addEventListener("success", resolve));
  const transaction = opening.result.transaction("inspection-findings", "readwrite");
  const keys = [7, "text", new Date(0), [], [7], ["%E0%A4%A", 0, 7], [["a", "b"], 0, 7], ["name", 0, 7, 7]];
  for (const key of keys) transaction.objectStore("inspection-findings").put(new Uint8Array(7).buffer, key);
  await new Promise((resolve) => transaction.addEventListener("complete", resolve));
  opening.result.close();
}
