/** Tables that outlive a visit: their bytes, the calls that begin with an earlier table, and the store that keeps them. */

import { FindingsClient, FindingsTable, type LiveTable, type TableOptions } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { type FindingsStore, type KeepOptions, type KeptTable, openStore } from "inspection-findings/keep";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { reactive } from "vue";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf, findingsOf, findingsOfAll, upTo } from "./inspection.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { addresses, openRealm } from "./realm.js";
import { expectSame } from "./same.js";
import { likelyFindings, type Table, tableOf } from "./tables.js";
import { watchTimers } from "./timers.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";
import { collect, holding, refusing } from "./wires";

/** The timers of the browser, also while a test replaces them. */
const realTimeout = setTimeout;

const ascending = (one: number, other: number) => one - other;

describe("a table from bytes", () => {
  test.for([
    ["likely findings", JSON.stringify(likelyFindings(40))],
    [
      "odd ones",
      '[{"a":-0,"a.b":"\\ud800","c":[1,[]]},{"__proto__":{"a":{}},"a":1e400},{},{"a":0.1234567890123456789}]',
    ],
    ["none", "[]"],
  ])("of %s has the same columns, findings and Arrow stream, and so does a view", async ([, findings]) => {
    const table = await tableOf(findings);
    const names = table.columns.slice(0, 2);
    const views = names.map((name) => freeAfterTest(table.sortBy(name, "desc").filter({ [name]: { min: 0 } })));
    for (const one of [table, ...views]) {
      const again = await reopened(one);
      const { columns, columnsTruncated, isComplete, partitions } = one;
      expect(again).toMatchObject({ columns, columnsTruncated, isComplete, partitions });
      expectSame(again.toArray(), one.toArray());
      expect(toArrowIPC(again)).toEqual(toArrowIPC(one));
    }
  });

  test("knows when it was saved, its partitions, and whether it is complete", async () => {
    vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
    const table = await loadFrom(new Wire({ partitions: 3 }));
    const single: Table = freeAfterTest(await clientOf(new Wire()).loadPartition(1, "topics", 2));
    const expected: [Table, number[], boolean][] = [
      [table, [0, 1, 2], true],
      [freeAfterTest(table.filter({ Number: 1 })), [], false],
      [freeAfterTest(table.sortBy("Number")), [], false],
      [single, [2], false],
    ];
    for (const [one, partitions, isComplete] of expected) {
      expect(one).toMatchObject({ savedAt: undefined, partitions, isComplete });
      expect(await reopened(one)).toMatchObject({ savedAt: new Date(1_700_000_000_000), partitions, isComplete });
    }
  });

  test("can be given as any view of a buffer, and does not keep the bytes", async () => {
    const bytes = (await tableOf([{ a: 1 }, { a: "text" }])).toBytes();
    const within = new Uint8Array([1, 2, 3, ...bytes, 4]).subarray(3, -1);
    const tables = await Promise.all([bytes, bytes.buffer, new DataView(bytes.buffer), within].map(opened));
    bytes.fill(0);
    for (const again of tables) expect(again.toArray()).toEqual([{ a: 1 }, { a: "text" }]);
  });

  const refusedBodies = [
    { Findings: [{ Text: "a text that was accepted" }] },
    { Findings: [{ Text: "a text that was refused", "Refused key": [0.5] }], errors: ["Refused."] },
    { Findings: [{ Text: "a text that was refused", "Refused key": 0.5 }, 1] },
    '{"Findings":[{"Text":"a text that was refused","Refused key":0.5},{"Text":}]}',
  ];

  test.for([true, false])("has nothing of a refused partition (worker: %s)", async (worker) => {
    const respond = ({ index }: { index: number }) => (index < 0 ? undefined : responseOf(refusedBodies[index]));
    const client = clientOf(new Wire({ partitions: 4, respond }), { worker, ...collect, completeness: "off" });
    const live = freeAfterTest(client.watchTable(1, "topics"));
    const errors = await Promise.all([client.loadTable(1, "topics"), live.done].map(failureOf));
    for (const table of [...errors.map(({ table }) => table), live.getSnapshot().table]) {
      const bytes = freeAfterTest(table as Table).toBytes();
      expect(new TextDecoder("latin1").decode(bytes)).not.toMatch(/refused/i);
      expect((await opened(bytes)).toArray()).toEqual([{ Text: "a text that was accepted" }]);
    }
  });
});

describe("bytes that are no table", () => {
  test("are refused with the reason, which the JSON of the error has, too", async () => {
    const bytes = (await tableOf([{ a: 1 }, { a: "text" }])).toBytes();
    const changed = (at: number) => bytes.with(at, (Number(bytes.at(at)) + 1) & 255);
    const wrong: [Uint8Array<ArrayBuffer>, string][] = [
      [new TextEncoder().encode('{"Findings":[]}'), "foreign"],
      [changed(8), "version"],
      [changed(bytes.length - 1), "damaged"],
      [bytes.subarray(0, -1), "truncated"],
    ];
    for (const [given, reason] of wrong) {
      const error = await failureOf(FindingsTable.fromBytes(given));
      expect(error).toMatchObject({ code: "bytes", reason });
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: "bytes", reason });
    }
  });

  test("are damaged if what they say about the table is wrong", async () => {
    const table = await tableOf([{ a: 1 }]);
    const right = {
      of: "call",
      inspectionKey: 1,
      kind: "topics",
      total: 1,
      counts: { partitions: 1, findings: null },
      savedAt: 0.5,
    };
    const wrong: object[] = [
      ...["of", "inspectionKey", "kind", "savedAt"].map((name) => ({ [name]: undefined })),
      ...[
        { of: "view", kind: undefined },
        { of: "several", kind: "other" },
        { of: "toString" },
        { inspectionKey: "1e3" },
        { inspectionKey: 2 ** 60 },
        { kind: "other" },
      ],
      ...[{ total: -1 }, { total: "1" }, { savedAt: "today" }, { counts: null }, { counts: { partitions: 0.5 } }],
    ];
    const saying = (about: string) => {
      const stringify = vi.spyOn(JSON, "stringify").mockReturnValue(about);
      const bytes = table.toBytes();
      stringify.mockRestore();
      return bytes;
    };
    expect((await opened(saying(JSON.stringify(right)))).toArray()).toEqual([{ a: 1 }]);
    for (const about of ["", "null", "{", ...wrong.map((one) => JSON.stringify({ ...right, ...one }))]) {
      const error = await failureOf(FindingsTable.fromBytes(saying(about)));
      expect(error, about).toMatchObject({ code: "bytes", reason: "damaged" });
    }
  });

  test("are those of a freed table, of the first snapshot of a live table, and values of a wrong type", async () => {
    const table = await tableOf([{ a: 1 }]);
    table.free();
    for (const read of [() => table.toBytes(), () => table.partitions]) expect(read).toThrow(TypeError);
    const live = clientOf(new Wire()).watchTable(1, "topics");
    expect(() => live.getSnapshot().table.toBytes()).toThrow("no partition yet");
    await live.done;
    for (const wrong of [undefined, "text", {}, [1, 2]] as any[]) {
      expect(await rejectionOf(FindingsTable.fromBytes(wrong))).toBeInstanceOf(TypeError);
    }
  });
});

describe("a call that begins with a table", () => {
  /** A table that lacks these partitions of six. */
  const lacking = async (missing: number[]): Promise<Table> => {
    const { reason, value } = await outcomeOf(clientOf(refusing(missing, 6).wire).loadTable(1, "topics", collect));
    return freeAfterTest(value ?? reason.table);
  };

  const begun: Record<string, (client: FindingsClient, options: TableOptions) => Promise<Table>> = {
    loadTable: (client, options) => client.loadTable(1, "topics", options),
    watchTable: (client, options) => client.watchTable(1, "topics", options).done,
  };

  test.for(Object.entries(begun))("%s requests only the counts and the missing partitions", async ([, begin]) => {
    for (const missing of [[], [0, 2, 5]]) {
      const earlier = await lacking(missing);
      for (const from of [earlier, await reopened(earlier)]) {
        const wire = new Wire({ partitions: 6 });
        const table = freeAfterTest(await begin(clientOf(wire), { from }));
        expect(wire.indexes).toEqual([-1, ...missing]);
        expect(table.toArray()).toEqual(allFindings(6));
        expect(table).toMatchObject({ isComplete: true, partitions: upTo(6) });
        expect(table.countBy("Number").map(({ count }) => count)).toEqual([6, 6]);
        expect(from.length).toBe(12 - 2 * missing.length);
      }
    }
  });

  test.for([
    { changed: "more partitions", counts: countsOf(7) },
    { changed: "no total", counts: { ...countsOf(6), TopicFindings: null } },
  ])("requests everything if the counts have changed to $changed", async ({ counts }) => {
    const from = await lacking([2]);
    const wire = new Wire({ counts });
    const { TopicPartitions: partitions } = counts;
    const table = await loadFrom(wire, { from, completeness: "off" });
    expect(wire.indexes.toSorted(ascending)).toEqual([-1, ...upTo(partitions)]);
    expect(table.toArray()).toEqual(allFindings(partitions));
    expect(from.toArray()).toEqual(findingsOfAll([0, 1, 3, 4, 5]));
  });

  test("leaves the table usable, and does without it once the call has begun", async () => {
    const from = await lacking([1]);
    const loading = clientOf(new Wire({ partitions: 6 })).loadTable(1, "topics", { from });
    from.free();
    expect((await loading).toArray()).toEqual(allFindings(6));
  });

  test("can fail, and resumes with what it began with", async () => {
    const from = await lacking([1, 4]);
    const { wire, refusals } = refusing([4], 6);
    const error = await rejectionOf(clientOf(wire).loadTable(1, "topics", { from, ...collect }));
    expect(error.table.partitions).toEqual([0, 1, 2, 3, 5]);
    refusals.clear();
    expect((await error.resume()).toArray()).toEqual(allFindings(6));
    expect(wire.indexes.toSorted(ascending)).toEqual([-1, -1, 1, 4, 4]);
    expect(await rejectionOf(error.resume({ from }))).toBeInstanceOf(TypeError);
  });

  test("takes snapshots of a live table, also the first one", async () => {
    const live = clientOf(holding(6, 3)).watchTable(1, "topics");
    const { table: first } = live.getSnapshot();
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
    const { table: partial } = live.getSnapshot();
    live.free();
    for (const from of [first, partial]) {
      const next = new Wire({ partitions: 6 });
      expect((await begun.watchTable(clientOf(next), { from })).toArray()).toEqual(allFindings(6));
      expect(next.requested).toEqual(from === first ? upTo(6) : [3, 4, 5]);
    }
    await rejectionOf(live.done);
  });

  test("of another service is a TypeError that names both, without a request", async () => {
    const table = await loadFrom(new Wire(), { baseUrl: "https://one.example/cxi/" } as any);
    for (const from of [table, await reopened(table)]) {
      const wire = new Wire();
      const client = clientOf(wire, { baseUrl: "https://other.example/cxi/" });
      const message = "from was loaded from https://one.example/cxi/, not from https://other.example/cxi/";
      for (const begin of Object.values(begun)) {
        expect(await rejectionOf(begin(client, { from }))).toEqual(new TypeError(message));
      }
      expect(wire.asked).toEqual([]);
      // The slash at the end makes no difference.
      expect((await loadFrom(wire, { from, baseUrl: "https://one.example/cxi" } as any)).length).toBe(6);
    }
  });

  const view = async (client: FindingsClient) => (await client.loadTable(1, "topics")).filter({});
  const wrong: [string, (client: FindingsClient) => any, RegExp?][] = [
    ["another inspection", (client) => client.loadTable(2, "topics")],
    ["another kind", (client) => client.loadTable(1, "sentiment")],
    ["a view", view, /^from must be a table of loadTable, watchTable or FindingsTable\.fromBytes; got a view$/],
    ["a view of the first snapshot", (client) => client.watchTable(1, "topics").getSnapshot().table.sortBy("Comment")],
    ["a saved view", async (client) => reopened(await view(client)), /; the bytes are of a view$/],
    ["a single partition", (client) => client.loadPartition(1, "topics", 0), /; got a single partition$/],
    [
      "a freed table",
      async (client) => {
        using table = await client.loadTable(1, "topics");
        return table;
      },
      /has been freed$/,
    ],
    [
      "a table of another copy of the package",
      async (client) => {
        const { FindingsTable: Other } = await (await openRealm()).load(addresses.entry);
        return Other.fromBytes((await client.loadTable(1, "topics")).toBytes());
      },
      /^from must be a FindingsTable of the client's copy of the package; got a FindingsTable$/,
    ],
  ];

  test.for(wrong)("with %s is a TypeError that names it, without a request", async ([, give, message = /^from /]) => {
    const from = await give(clientOf(new Wire()));
    const wire = new Wire();
    for (const begin of Object.values(begun)) {
      const error = await rejectionOf(begin(clientOf(wire), { from }));
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(message);
    }
    expect(wire.asked).toEqual([]);
  });

  test("is loadTable or watchTable: other calls and clients refuse a table", async () => {
    const from = await tableOf([{ a: 1 }]);
    const client: any = clientOf(new Wire());
    for (const calling of [
      client.getFindings(1, "topics", { from }),
      client.streamTables(1, "topics", { from }).next(),
      new FindingsClient({ from } as any).getPartitionCounts(1),
    ]) {
      await expect(calling).rejects.toThrow(/from does not apply to .*, only to loadTable and watchTable/);
    }
  });
});

/** The errors of the stores of a test. */
let errors: unknown[] = [];

beforeEach(() => {
  errors = [];
});

/** What a visit without a kept table gives, of four partitions. */
const everything = { first: 0, state: "complete", findings: allFindings(4), requests: [-1, 0, 1, 2, 3] };

/** What a visit with the complete table gives. */
const kept = { ...everything, first: 8, requests: [-1] };

const four = () => new Wire({ partitions: 4 });
const five = () => new Wire({ partitions: 5 });
const empty = () => new Wire({ counts: countsOf(0) });
/** Four partitions with other findings, and the same counts. */
const others = () => new Wire({ partitions: 4, findings: (index) => findingsOf(index + 10) });
const otherFindings = findingsOfAll([10, 11, 12, 13]);
const failing = () => new Wire({ partitions: 5, respond: ({ index }) => (index > 0 ? refused(404) : undefined) });
const lacksLast = () => new Wire({ partitions: 4, respond: ({ index }) => (index === 3 ? refused(410) : undefined) });
/** Five partitions, of which the service refuses those from the third on, or already the counts. */
const forbidden = (status: number, first = -1) =>
  new Wire({ partitions: 5, respond: ({ index }) => (index >= first ? refused(status) : undefined) });

type Visit = [wire: () => Wire, options: KeepOptions, expected: object];

/** What visits of a page show and request, one after the other, and what the store keeps of each. */
const visits: Record<string, Visit[]> = {
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
    [others, { reload: true }, { ...everything, findings: otherFindings }],
    [four, {}, { ...kept, findings: otherFindings }],
  ],
  "replaces the table of an inspection that is now empty": [
    [four, {}, everything],
    [empty, {}, { first: 8, state: "complete", findings: [], requests: [-1] }],
    [empty, {}, { first: 0, state: "complete", findings: [], requests: [-1] }],
  ],
  "replaces it with reload, too": [
    [four, {}, everything],
    [empty, { reload: true }, { first: 0, state: "complete", findings: [], requests: [-1] }],
    [empty, {}, { first: 0, state: "complete", findings: [], requests: [-1] }],
  ],
  "keeps what has arrived of a load that lacks partitions": [
    [lacksLast, collect, { first: 0, state: "partial" }],
    [four, {}, { ...kept, first: 6, requests: [-1, 3] }],
    [four, {}, kept],
  ],
  "shows what has arrived of a load that fails, and keeps the table of before": [
    [four, {}, everything],
    [failing, { concurrency: 1 }, { first: 8, state: "failed", findings: allFindings(1) }],
    [failing, { concurrency: 1, reload: true }, { first: 0, state: "failed", findings: allFindings(1) }],
    [four, {}, kept],
  ],
  "shows what is kept no longer after status 401, and keeps it": [
    [four, {}, everything],
    [() => forbidden(401), {}, { first: 8, state: "failed", findings: [] }],
    [four, {}, kept],
  ],
  "shows nothing any more of a load that is refused later with 403, and keeps the table of before": [
    [four, {}, everything],
    [() => forbidden(403, 2), { concurrency: 1 }, { first: 8, state: "failed", findings: [] }],
    [() => forbidden(403, 2), { concurrency: 1, ...collect }, { first: 8, state: "failed", findings: [] }],
    [four, {}, kept],
  ],
};

/** The storages, each as a browser has it: the second is that of a browser whose pages cannot write files. */
const storages = {
  "the best storage of this engine": () => {},
  IndexedDB: () => {
    // WebKitGTK has no such property, so its best storage is IndexedDB.
    if ("storage" in navigator) vi.spyOn(navigator, "storage", "get").mockReturnValue(undefined as any);
  },
};

describe.for(Object.entries(storages))("a store in %s", ([, prepare]) => {
  beforeEach(async () => {
    prepare();
    await open().clear();
  });

  afterEach(() => open().clear());

  test.for(Object.entries(visits))("%s", async ([, visits]) => {
    const timers = watchTimers();
    for (const [wire, options, expected] of visits) expect(await visit(wire(), options)).toMatchObject(expected);
    await quiet();
    expect([errors, timers.size]).toEqual([[], 0]);
  });

  test("lists size and age, and removes one table", async () => {
    const before = Date.now();
    await visit(four());
    (await (await open().load(clientOf(new Wire({ partitions: 1 })), 2, "sentiment")).done).free();
    const store = open();
    const listed = (await store.list()).toSorted((one, other) => one.size - other.size);
    const baseUrl = new URL(".", document.baseURI).href;
    expect(listed).toMatchObject([
      { inspectionKey: "2", kind: "sentiment", baseUrl },
      { inspectionKey: "1", kind: "topics", baseUrl },
    ]);
    for (const { size, savedAt } of listed) {
      expect(size).toBeGreaterThan(50);
      expect(Math.abs(+savedAt - before)).toBeLessThan(60_000);
    }
    await store.remove(listed[1]);
    expect((await store.list()).map(({ inspectionKey }) => inspectionKey)).toEqual(["2"]);
    expect(await visit(four())).toEqual(everything);
  });

  test("lists its tables although other scripts have written beside them", async () => {
    await visit(four());
    const before = await open().list();
    await writeBeside();
    expect(await open().list()).toEqual(before);
    expect(errors).toEqual([]);
  });

  test.for(["throws", "fails later"])("keeps the bytes of before, and says why, where a write %s", async (how) => {
    const quota = new DOMException("no space is left", "QuotaExceededError");
    for (const next of [everything, kept]) {
      errors = [];
      const writing = onWrite((write, target) => {
        if (how === "throws") throw quota;
        if (!(target instanceof IDBObjectStore)) return write().then(() => Promise.reject(quota));
        const begun = write();
        target.transaction.abort();
        return begun;
      });
      expect(await visit(five())).toMatchObject({ state: "complete", findings: allFindings(5) });
      writing.mockRestore();
      expect(await open().list()).toHaveLength(next === kept ? 1 : 0);
      expect(await visit(four())).toEqual(next);
      expect(errors).toEqual([how === "throws" ? quota : expect.anything()]);
    }
  });

  test("removes everything at sign-out although no space is left, and keeps again when there is some", async () => {
    await visit(four());
    const writing = onWrite(() => {
      throw new DOMException("no space is left", "QuotaExceededError");
    });
    await open().clear();
    writing.mockRestore();
    expect(await open().list()).toEqual([]);
    expect(await visit(four())).toEqual(everything);
    expect(await visit(four())).toEqual(kept);
  });

  test("keeps what has arrived in place of bytes that cannot be opened", async () => {
    const [right] = await Promise.all([clientOf(four()).loadTable(1, "topics")]);
    const write = vi.spyOn(FindingsTable.prototype, "toBytes").mockReturnValue(changedAt(right.toBytes(), 8));
    await visit(four());
    write.mockRestore();
    expect(await visit(lacksLast(), collect)).toMatchObject({ first: 0, state: "partial" });
    expect(await visit(four())).toEqual({ ...kept, first: 6, requests: [-1, 3] });
    expect(errors).toEqual([expect.objectContaining({ code: "bytes" })]);
  });

  test("writes nothing while nothing is new, and never a token", async () => {
    const writing = onWrite((write) => write());
    const headers = { Authorization: "bearer SECRET-TOKEN" };
    for (const _ of [1, 2]) {
      (await (await loaded(open(), clientOf(four(), { headers }))).done).free();
      await open().list();
    }
    const listed = await open().list();
    const tables = writing.mock.calls.filter(([bytes]: any[]) => bytes.byteLength > 0);
    expect([tables.length, listed.length]).toEqual([1, 1]);
    const texts = writing.mock.calls
      .flat()
      .map((given: any) => (given.byteLength ? new TextDecoder("latin1").decode(given) : `${given}`));
    expect([...texts, JSON.stringify(listed)].join()).not.toContain("SECRET");
  });

  test("replaces the bytes as a whole when two stores keep the same table at once", async () => {
    const wires = [0, 100].map((first) => new Wire({ partitions: 4, findings: (index) => findingsOf(first + index) }));
    const lives = await Promise.all(wires.map((wire) => loaded(open(), wire, { reload: true })));
    await Promise.all(lives.map(async ({ done }) => (await done).free()));
    await open().list();
    const next = await visit(four());
    expect(next).toMatchObject({ first: 8, requests: [-1] });
    expect([allFindings(4), findingsOfAll([100, 101, 102, 103])]).toContainEqual(next.findings);
    expect((await open().list()).length).toBe(1);
  });
});

test("a store says which client it takes", async () => {
  const { FindingsClient: ObjectsClient } = await import(/* @vite-ignore */ `${location.origin}/package/objects.js`);
  for (const client of [new ObjectsClient(), undefined, {}]) {
    const error = await rejectionOf(openStore().load(client, 1, "topics"));
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toBe(
      "load() takes a FindingsClient of inspection-findings as its first argument; that of inspection-findings/objects has no tables",
    );
  }
});

describe("a store", () => {
  beforeEach(() => open().clear());

  afterEach(async () => {
    vi.restoreAllMocks();
    vi.unstubAllGlobals();
    Reflect.deleteProperty(navigator, "storage");
    await open().clear();
  });

  test("keeps tables apart by service, inspection, kind and columns, and takes a key in each type", async () => {
    const loads: [string, number | bigint, any, object][] = [
      ["https://a.example/", 1, "topics", {}],
      ["https://b.example/", 1, "topics", {}],
      ["https://a.example/cxi/", 1, "topics", {}],
      ["https://a.example/", 2n ** 62n, "topics", {}],
      ["https://a.example/", 1, "sentiment", {}],
      ["https://a.example/", 1, "topics", { columns: ["StringKey"] }],
      ["https://a.example/", 1, "topics", { columns: ["Comment", "StringKey"] }],
      ["https://a.example/", 1, "topics", { columns: ["Aa"] }],
      ["https://a.example/", 1, "topics", { columns: ["BB"] }],
    ];
    for (const requests of [3, 1]) {
      for (const [baseUrl, inspectionKey, kind, options] of loads) {
        const wire = new Wire({ partitions: 2 });
        const key = requests === 3 ? inspectionKey : `${inspectionKey}`;
        const live = await open().load(clientOf(wire, { baseUrl }), key, kind, options);
        (await live.done).free();
        expect(wire.indexes.length, `${baseUrl} ${inspectionKey} ${kind}`).toBe(requests);
        await open().list();
      }
    }
    const listed = await open().list();
    expect(new Set(listed.map(({ baseUrl, inspectionKey, kind }) => `${baseUrl} ${inspectionKey} ${kind}`))).toEqual(
      new Set(loads.map(([baseUrl, inspectionKey, kind]) => `${baseUrl} ${inspectionKey} ${kind}`)),
    );
    expect([listed.length, errors]).toEqual([loads.length, []]);
  });

  test("removes a table that is given as a copy or as a reactive object, and nothing else", async () => {
    for (const given of [(kept: KeptTable) => reactive(kept), (kept: KeptTable) => JSON.parse(JSON.stringify(kept))]) {
      await visit(four());
      for (const wrong of [undefined, {}, { name: 1 }, { name: "2,sentiment" }] as any[]) {
        expect(await rejectionOf(open().remove(wrong))).toBeInstanceOf(TypeError);
      }
      const [listed] = await open().list();
      await open().remove(given(listed as KeptTable));
      expect(await open().list()).toEqual([]);
    }
  });

  test("shows, lists, replaces and removes only tables of its owner, and clears those of all", async () => {
    const owners = [undefined, "ann", "Ann", "a,n\ud800n/…", "_0041nn"];
    const stores = owners.map((owner) =>
      openStore({ ...(owner && { owner }), onError: (error) => errors.push(error) }),
    );
    for (const [number, store] of stores.entries()) {
      const wire = new Wire({ partitions: 4, findings: (index) => findingsOf(10 * number + index) });
      expect(await visit(wire, {}, store)).toMatchObject({ first: 0, requests: everything.requests });
    }
    for (const [number, store] of stores.entries()) {
      const findings = findingsOfAll(upTo(4).map((index) => 10 * number + index));
      expect(await visit(four(), {}, store)).toEqual({ ...kept, findings });
      const listed = await store.list();
      expect(listed).toHaveLength(1);
      for (const other of stores) {
        if (other !== store) expect(await rejectionOf(other.remove(listed[0] as KeptTable))).toBeInstanceOf(TypeError);
      }
    }
    await stores[1]?.clear();
    expect(await Promise.all(stores.map((store) => store.list()))).toEqual(owners.map(() => []));
    expect(errors).toEqual([]);
  });

  const notKnown = "is undefined: the owner is not known yet; open the store when it is,";
  test.for([
    ["a text", "ann", "options must be an object; got a string: pass { owner }"],
    ["undefined", undefined, "options must be an object; got undefined: the owner is not known yet;"],
    ["null", null, "options must be an object; got null"],

    ["another name", { user: "ann" }, 'unknown option "user"; the options are owner, onError'],

    ["an owner that is undefined", { owner: undefined }, `owner ${notKnown}`],
    ["an inherited one", Object.create({ owner: undefined }), `owner ${notKnown}`],
    ["no owner", { owner: null }, "owner must be a string that is not empty; got null"],
    ["an empty owner", { owner: "" }, 'owner must be a string that is not empty; got ""'],
    ["a number as the owner", { owner: 7 }, "owner must be a string that is not empty; got 7"],
    ["no function", { onError: "log" }, 'onError must be a function; got "log"'],
  ] as [string, any, string][])("is opened with %s only to say what is wrong", ([, options, message]) => {
    expect(() => openStore(options)).toThrow(TypeError);
    expect(() => openStore(options)).toThrow(message);
  });

  const refusedAt: [string, KeepOptions, number, number][] = [
    ["the counts", {}, 401, -1],
    ["the counts of a collecting call", collect, 403, -1],
    ["a partition", {}, 403, 2],
    ["a partition of a collecting call", collect, 403, 2],
  ];

  test.for(refusedAt)("hands out no finding any more after %s has been refused", async ([, options, status, first]) => {
    await visit(four());
    const live = await loaded(open(), forbidden(status, first), { concurrency: 1, ...options });
    const told: unknown[] = [];
    live.subscribe(() => told.push(live.getSnapshot()));
    const error = await rejectionOf(live.done);
    const snapshot = live.getSnapshot();
    expect(snapshot).toMatchObject({ state: "failed", table: { length: 0, partitions: [] } });
    expect([snapshot.error, error.code, error.status, told.at(-1)]).toEqual([error, "unauthorized", status, snapshot]);
    for (const name of ["table", "findings", "failures", "resume"]) expect(error[name]).toBeUndefined();
    for await (const { table } of live) expect(table.toArray()).toEqual([]);
  });

  test("requests everything with resume() of an error from before a refusal, or nothing once it is freed", async () => {
    await visit(lacksLast(), collect);
    let refuses = (index: number): boolean => index === 3;
    let status = 410;
    const wire = new Wire({ partitions: 4, respond: ({ index }) => (refuses(index) ? refused(status) : undefined) });
    const live = await loaded(open(), wire, collect);
    const before = await rejectionOf(live.done);
    expect(before.table.toArray()).toEqual(allFindings(3));
    status = 403;
    live.resume();
    expect(await rejectionOf(live.done)).toMatchObject({ code: "unauthorized", status: 403 });
    const asked = wire.indexes.length;
    refuses = () => false;
    expect((await before.resume()).toArray()).toEqual(allFindings(4));
    expect(wire.indexes.slice(asked).toSorted(ascending)).toEqual(everything.requests);
    live.free();
    const { length } = wire.indexes;
    expect(await rejectionOf(before.resume())).toMatchObject({ code: "unauthorized", status: 403 });
    expect(wire.indexes.length).toBe(length);
  });

  test("ends all its calls when one of them is refused", async () => {
    await visit(lacksLast(), collect);
    const wire = new Wire({
      partitions: 4,
      holds: ({ index, count }) => index < 0 && count > 1,
      respond: ({ index, count }) => (index === 3 || count === 2 ? refused(count === 2 ? 403 : 410) : undefined),
    });
    const live = await loaded(open(), wire, collect);
    const { resume } = await rejectionOf(live.done);
    const calls = [resume(), resume()].map(rejectionOf);
    await vi.waitUntil(() => wire.open.length === 1);
    wire.open[0]?.release();
    for (const error of await Promise.all(calls)) expect(error).toMatchObject({ code: "unauthorized" });
    expect(live.getSnapshot()).toMatchObject({ state: "failed", table: { length: 0 } });
    await quiet();
    expect(wire.open).toEqual([]);
  });

  test("requests everything with resume() after a refusal, and shows nothing of before meanwhile", async () => {
    await visit(four());
    let isRefused = true;
    const wire = new Wire({
      partitions: 4,
      holds: ({ index }) => index === 3,
      respond: () => (isRefused ? refused(401) : undefined),
    });
    const live = await loaded(open(), wire, { concurrency: 1 });
    const shown: number[] = [];
    live.subscribe(() => shown.push(live.getSnapshot().table.length));
    await rejectionOf(live.done);
    expect([shown, live.getSnapshot().progress.findingsDone]).toEqual([[0], 0]);
    isRefused = false;
    live.resume();
    expect(live.getSnapshot()).toMatchObject({ state: "loading", table: { length: 0 } });
    await vi.waitUntil(() => wire.open.length === 1);
    expect(live.getSnapshot().table.length).toBe(6);
    wire.release(3);
    expect((await live.done).toArray()).toEqual(allFindings(4));
    expect(wire.indexes).toEqual([-1, -1, 0, 1, 2, 3]);
  });

  const ofOther = { cause: expect.any(TypeError) };
  /** Bytes that are no table of the name that they get, by what makes them of another table or of the right ones, and what is said. */
  const wrongBytes: [string, object, (client: FindingsClient, right: Uint8Array) => unknown][] = [
    ["are of another version", { code: "bytes" }, (_, right) => changedAt(right, 8)],
    ["are of another inspection", ofOther, (client) => client.loadTable(2, "topics")],
    ["have other columns", ofOther, (client) => client.loadTable(1, "topics", { columns: ["Number" as never] })],
    ["are of a view", ofOther, async (client) => (await client.loadTable(1, "topics")).filter({})],
  ];

  test.for(wrongBytes)("loads plainly, says why, and replaces bytes that %s", async ([, said, make]) => {
    const client = clientOf(four());
    const made: any = await make(client, (await client.loadTable(1, "topics")).toBytes());
    const bytes = made instanceof FindingsTable ? made.toBytes() : made;
    const write = vi.spyOn(FindingsTable.prototype, "toBytes").mockReturnValue(bytes);
    expect(await visit(four())).toEqual(everything);
    write.mockRestore();
    expect(await visit(four())).toEqual(everything);
    expect(errors).toEqual([expect.objectContaining(said)]);
    expect(await visit(four())).toEqual(kept);
  });

  test('shows what is kept with growth: "append" until it has more, and keeps that', async () => {
    await visit(four());
    const shown: number[] = [];
    const live = await loaded(open(), five(), { growth: "append" });
    live.subscribe(() => shown.push(live.getSnapshot().table.length));
    expect((await live.done).toArray()).toEqual(allFindings(5));
    expect([live.getSnapshot().progress.growth, Math.min(8, ...shown), shown.at(-1)]).toEqual(["append", 8, 10]);
    await open().list();
    expect(await visit(five())).toMatchObject({ first: 10, requests: [-1] });
  });

  test("has the numbers of the kept findings in the progress until the counts are known", async () => {
    const complete = { partitionsDone: 4, partitions: 4, findingsDone: 8, findings: 8, bytes: 0 };
    await visit(four());
    const respond = ({ count, index }: any) => (index < 0 && count < 3 ? refused(503) : undefined);
    const live = await loaded(open(), new Wire({ partitions: 5, respond }), { retries: 1 });
    expect(live.getSnapshot().progress).toEqual({ ...complete, retries: 0 });
    await rejectionOf(live.done);
    expect(live.getSnapshot()).toMatchObject({ state: "failed", progress: { ...complete, retries: 1 } });
    live.resume();
    await live.done;
    expect(live.getSnapshot().progress).toMatchObject({ partitionsDone: 5, partitions: 5, findingsDone: 10 });
  });

  test("lists nothing while another tab changes what is kept", async () => {
    await visit(four());
    const change = Promise.withResolvers<void>();
    const changed = navigator.locks.request("inspection-findings", () => change.promise);
    const events: string[] = [];
    const listed = open().list();
    void listed.then(() => events.push("listed"));
    await new Promise((resolve) => setTimeout(resolve, 50));
    events.push("changed");
    change.resolve();
    await changed;
    expect([(await listed).length, ...events]).toEqual([1, "changed", "listed"]);
  });

  test("keeps nothing of before after sign-out, not even of calls that go on", async () => {
    await visit(four());
    const wire = holding(5, 4);
    // The clock is set back before the sign-out.
    vi.spyOn(Date, "now").mockReturnValueOnce(Date.now() + 60_000);
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
    let read: any;
    const reading = vi.spyOn(FindingsTable, "fromBytes").mockImplementation(async (bytes) => {
      read = await fromBytes(bytes);
      await open().clear();
      return read;
    });
    expect(await visit(four())).toEqual(everything);
    expect(() => read.length).toThrow("has been freed");
    reading.mockRestore();
    expect(await visit(four())).toEqual(everything);
  });

  /** How a load of four partitions ends before the last has arrived, and what the next visit shows at first and requests. */
  const endings: [string, (live: LiveTable<any>, client: FindingsClient) => unknown, object][] = [
    ["is cancelled", (live) => live.cancel(), { first: 6, requests: [-1, 3] }],
    ["loses its client", (_, client) => client.free(), { first: 6, requests: [-1, 3] }],
    ["is freed", (live) => live.free(), everything],
    ["another load overtakes", (live) => visit(four()).then(live.cancel), kept],
  ];

  test.for(endings)("keeps what has arrived of a load that %s, for the next visit", async ([, act, next]) => {
    const client = clientOf(holding(4, 3));
    const live = await loaded(open(), client);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
    await act(live, client);
    await rejectionOf(live.done);
    await quiet();
    await open().list();
    expect(await visit(four())).toEqual({ ...kept, ...next });
    expect(await visit(four())).toEqual(kept);
  });

  test.for([
    ["an unknown option", { retry: 1 }, /^unknown option "retry".*columns, growth, reload$/],
    ["an earlier table", { from: null }, /^from does not apply to this call, only to loadTable and watchTable$/],
    ["reload as a text", { reload: "no" }, /^reload must be true or false; got "no"$/],
  ] as [string, any, RegExp][])("fails a call with %s, and touches no storage for it", async ([, options, message]) => {
    const storage = vi.spyOn(indexedDB, "open");
    const wire = new Wire();
    const live = await loaded(open(), wire, options);
    const error = await rejectionOf(live.done);
    expect(error).toBeInstanceOf(TypeError);
    expect(error.message).toMatch(message);
    expect([live.getSnapshot().state, wire.asked, storage.mock.calls, errors]).toEqual(["failed", [], [], []]);
  });

  const silent = new Promise<never>(() => {});
  test.for([
    ["files", 2_000, () => replaceStorage({ getDirectory: () => silent })],
    [
      "a database",
      60_000,
      () => {
        replaceStorage(undefined);
        for (const name of ["open", "deleteDatabase"] as const) {
          vi.spyOn(indexedDB, name).mockReturnValue(new EventTarget() as any);
        }
      },
    ],
  ] as [string, number, () => void][])(
    "waits two seconds to read from %s that never answers, %i ms to remove, and says so",
    async ([, change, prepare]) => {
      prepare();
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
      const late = { name: "TimeoutError" };
      try {
        const store = open();
        expect(await waitedFor(2_000, store.list())).toEqual([]);
        expect(await waitedFor(change, rejectionOf(store.clear()))).toMatchObject(late);
        const live = await waitedFor(2_000, store.load(clientOf(four()), 1, "topics"));
        expect(freeAfterTest(await live.done).toArray()).toEqual(allFindings(4));
        // Of the list, of reading, and of writing, which begins once the table is complete.
        while (errors.length < 3) await vi.advanceTimersByTimeAsync(1_000);
        expect(errors).toMatchObject([late, late, late]);
      } finally {
        vi.useRealTimers();
      }
    },
  );

  /** Replaces the property alone: code that WebKit has compiled goes on reading the `navigator` that a global was. */
  function replaceStorage(value: unknown) {
    Object.defineProperty(navigator, "storage", { configurable: true, value });
  }

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

  test("loads plainly, and says why, where the browser has no storage or refuses it", async () => {
    replaceStorage(undefined);
    const refusing = {
      open: () => {
        throw new DOMException("sandboxed", "SecurityError");
      },
    };
    for (const indexedDB of [undefined, refusing]) {
      errors = [];
      vi.stubGlobal("indexedDB", indexedDB);
      for (const _ of [1, 2]) expect(await visit(four())).toEqual(everything);
      expect(errors.length).toBeGreaterThan(2);
      expect(await rejectionOf(open().clear())).toBeInstanceOf(Error);
      expect(await open().list()).toEqual([]);
    }
  });

  test("uses IndexedDB where files are refused, and leaves no connection to it", async () => {
    const getDirectory = async () => {
      throw new DOMException("private window", "SecurityError");
    };
    replaceStorage({ getDirectory });
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
    const ways: Record<string, <Result>(act: () => Promise<Result>) => Promise<Result>> = {
      files: (act) => act(),
      "a database": async (act) => {
        const { prototype } = FileSystemFileHandle as any;
        const { createWritable } = prototype;
        delete prototype.createWritable;
        return act().finally(() => {
          prototype.createWritable = createWritable;
        });
      },
    };
    const pairs = Object.keys(ways).map((way) => [way, Object.keys(ways).find((other) => other !== way)]);

    test.for(pairs as [string, string][])(
      "removes at sign-out what is kept in %s, also by a page with %s",
      async ([way, other]) => {
        const { [way]: first, [other]: second } = ways as any;
        await first(() => visit(four()));
        await second(() => open().clear());
        expect(await first(() => open().list())).toEqual([]);
        expect(await first(() => visit(four()))).toEqual(everything);
      },
    );

    test("rejects at sign-out if one of them refuses, and removes what the other has", async () => {
      await ways["a database"]?.(() => visit(four()));
      const refusal = new DOMException("locked", "NoModificationAllowedError");
      vi.spyOn(FileSystemDirectoryHandle.prototype, "removeEntry").mockRejectedValueOnce(refusal);
      expect(await rejectionOf(open().clear())).toBe(refusal);
      expect(await ways["a database"]?.(() => visit(four()))).toEqual(everything);
    });

    test("leaves nothing in the database that a page with files would never list", async () => {
      await ways["a database"]?.(() => visit(four()));
      expect((await indexedDB.databases()).map(({ name }) => name)).toContain("inspection-findings");
      expect(await open().list()).toEqual([]);
      await vi.waitUntil(async () => (await indexedDB.databases()).length === 0);
    });
  });

  /** The entry as it is shipped, of which another page has another copy. */
  const keepAddress = `${location.origin}/package/keep.js`;

  test("drops the writes of other pages that began before sign-out", async () => {
    const { openStore: openOther } = await (await openRealm()).load(keepAddress);
    const wire = holding(4, 3);
    const live = await loaded(open(), wire);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
    await openOther().clear();
    wire.release(3);
    (await live.done).free();
    expect(await open().list()).toEqual([]);
  });

  test("takes clients of another entry", async () => {
    const realm = await openRealm();
    const [{ openStore: openOther }, manual] = await Promise.all([keepAddress, addresses.manual].map(realm.load));
    await manual.init({ module: addresses.wasm });
    for (const [first, requests] of [
      [0, 5],
      [8, 1],
    ]) {
      const wire = four();
      const client = new manual.FindingsClient({ fetch: wire.fetch, baseUrl: new URL(".", document.baseURI) });
      const live = await openOther().load(client, 1, "topics");
      expect(live.getSnapshot().table.length).toBe(first);
      (await live.done).free();
      await openOther().list();
      expect(wire.indexes.length).toBe(requests);
      client.free();
    }
  });
});

async function opened(bytes: any): Promise<Table> {
  return freeAfterTest(await FindingsTable.fromBytes(bytes));
}

function reopened(table: Table) {
  return opened(table.toBytes());
}

function changedAt(bytes: Uint8Array, at: number) {
  return bytes.with(at, (Number(bytes.at(at)) + 1) & 255);
}

/** The table of a call of a new client. */
async function loadFrom(wire: Wire, options?: TableOptions): Promise<Table> {
  return freeAfterTest(await clientOf(wire).loadTable(1, "topics", options));
}

/** A store, as a page opens one. */
function open() {
  return openStore({ onError: (error) => errors.push(error) });
}

/** Loads a table through a store. It is freed after the test. */
async function loaded(store: FindingsStore, from: Wire | FindingsClient, options?: KeepOptions) {
  const client = from instanceof FindingsClient ? from : clientOf(from);
  return freeAfterTest((await store.load(client, 1, "topics", options)) as LiveTable<any>);
}

/** Writes files and a folder, or records of a database, beside those of the store. */
async function writeBeside() {
  if ("storage" in navigator && navigator.storage) {
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

/** One visit of the page, until its table is kept: what it shows at first and at last, and what it requests. */
async function visit(wire: Wire, options?: KeepOptions, store = open()) {
  const live = await loaded(store, wire, options);
  const first = live.getSnapshot().table.length;
  await live.done.then((table) => table.free()).catch(() => {});
  const { state, table } = live.getSnapshot();
  await store.list();
  return { first, state, findings: table.toArray(), requests: wire.indexes.toSorted(ascending) };
}

/** Acts when bytes are written in the storage that this page has. */
function onWrite(act: (write: () => any, target: unknown) => unknown) {
  const hasFiles = navigator.storage && "createWritable" in FileSystemFileHandle.prototype;
  const prototype: any = hasFiles ? FileSystemWritableFileStream.prototype : IDBObjectStore.prototype;
  const name = hasFiles ? "write" : "put";
  const original = prototype[name];
  return vi.spyOn(prototype, name).mockImplementation(function (this: unknown, ...parameters: unknown[]) {
    return act(() => Reflect.apply(original, this, parameters), this);
  });
}

/** Waits for a promise, which must settle exactly after these milliseconds of the fake timers. */
async function waitedFor<Result>(milliseconds: number, promise: Promise<Result>): Promise<Result> {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  // The browser gives its lock in a later turn.
  while (vi.getTimerCount() === 0) await new Promise((resolve) => realTimeout(resolve));
  await vi.advanceTimersByTimeAsync(milliseconds - 1);
  expect(isSettled).toBe(false);
  await vi.advanceTimersByTimeAsync(1);
  return settled;
}
