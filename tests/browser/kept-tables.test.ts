/** Tables that outlive a visit: their bytes, the calls that begin with an earlier table, and the store that keeps them. */

import { FindingsClient, FindingsError, FindingsTable, type LiveTable, type TableOptions } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { type FindingsStore, type KeepOptions, type KeptTable, openStore } from "inspection-findings/keep";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { reactive } from "vue";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf, findingsOf, findingsOfAll, upTo } from "./inspection.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { addresses, openRealm } from "./realm.js";
import { expectSame } from "./same.js";
import { likelyFindings, load, type Table, tableOf } from "./tables.js";
import { watchTimers } from "./timers.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";
import { arrive, collect, holding, refusing } from "./wires";

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

  test.for([1, 3000])(
    "has the findings of %i of an inspection, of which a view writes only its own",
    async (length) => {
      const findings = likelyFindings(length);
      const table = await tableOf(findings);
      expect((await reopened(table)).toArray()).toEqual(findings);
      expect(table.toBytes().length).toBeLessThan(1010 + 0.65 * JSON.stringify(findings).length);
      using one = table.filter({ RespondentId: "R-0" });
      expect(one.toBytes().length).toBeLessThan(3000);
      expect((await reopened(one)).toArray()).toEqual([findings[0]]);
    },
  );

  test("knows when it was saved, its partitions, and whether it is complete", async () => {
    vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
    const table = await loadFrom(new Wire({ partitions: 3 }));
    const single: Table = freeAfterTest(await clientOf(new Wire()).loadPartition(1, "topics", 2));
    const views = [table.filter({ Number: 1 }), table.filter({}), table.sortBy("Number")].map(freeAfterTest);
    const expected: [Table, number[], boolean][] = [
      [table, [0, 1, 2], true],
      ...views.map((view): [Table, number[], boolean] => [view, [], false]),
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

  test("has the inspection key of each type", async () => {
    const wire = new Wire({ partitions: 1 });
    for (const inspectionKey of [7, -7n, 2n ** 62n, "4611686018427387905"]) {
      const table = await clientOf(wire).loadTable(inspectionKey, "sentiment");
      const { length } = wire.asked;
      const again = await clientOf(wire).loadTable(inspectionKey, "sentiment", { from: await reopened(table) });
      expect([again.toArray(), wire.asked.length]).toEqual([table.toArray(), length + 1]);
    }
  });

  const bodies = [
    { Findings: [{ Text: "a text that was accepted" }] },
    { Findings: [{ Text: "a text that was refused", "Refused key": [0.5] }], errors: ["Refused."] },
    { errors: ["Refused."], Findings: [{ Text: "a text that was refused", "Refused key": [0.5] }] },
    { Findings: [{ Text: "a text that was refused", "Refused key": 0.5 }, 1] },
    '{"Findings":[{"Text":"a text that was refused","Refused key":0.5},{"Text":}]}',
  ];

  test.for([true, false])("has nothing of a refused partition (worker: %s)", async (worker) => {
    const wire = new Wire({
      partitions: 5,
      respond: ({ index }) => (index < 0 ? undefined : responseOf(bodies[index])),
    });
    const client = clientOf(wire, { worker, ...collect, completeness: "off", retries: 0 });
    const live = freeAfterTest(client.watchTable(1, "topics"));
    const errors = await Promise.all([client.loadTable(1, "topics"), live.done].map(failureOf));
    for (const table of [...errors.map(({ table }) => table), live.getSnapshot().table]) {
      const bytes = freeAfterTest(table as Table).toBytes();
      const text = new TextDecoder("latin1").decode(bytes);
      expect(text).toContain("a text that was accepted");
      expect(text).not.toMatch(/refused/i);
      expect((await opened(bytes)).toArray()).toEqual([{ Text: "a text that was accepted" }]);
    }
    // The error of a partition has the findings beside the errors.
    const [{ failures = [] }] = errors;
    const beside = [{ Text: "a text that was refused", "Refused key": [0.5] }];
    expect(failures.map(({ error }) => error.findings)).toEqual([beside, beside, undefined, undefined]);
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
      [new Uint8Array(), "truncated"],
      [new Uint8Array([...bytes, 0]), "damaged"],
    ];
    for (const [given, reason] of wrong) {
      const error = await failureOf(FindingsTable.fromBytes(given));
      expect(error).toMatchObject({ code: "bytes", reason });
      expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: "bytes", reason });
    }
  });

  test("are damaged if what they say about the table is wrong", async () => {
    const table = await tableOf([{ a: 1 }]);
    const counts = { partitions: 1, findings: null };
    const right = { inspectionKey: 1, kind: "topics", total: 1, counts, savedAt: 0.5 };
    const wrong: object[] = [
      ...["inspectionKey", "kind", "savedAt"].map((name) => ({ [name]: undefined })),
      ...[{ inspectionKey: "1e3" }, { inspectionKey: 2 ** 60 }, { inspectionKey: {} }, { kind: "other" }],
      ...[{ total: -1 }, { total: "1" }, { total: null }, { savedAt: "today" }, { savedAt: null }],
      ...[null, {}, { partitions: 1 }, { partitions: 0.5, findings: 1 }].map((counts) => ({ counts })),
    ];
    const saying = (about: string) => {
      const stringify = vi.spyOn(JSON, "stringify").mockReturnValue(about);
      const bytes = table.toBytes();
      stringify.mockRestore();
      return bytes;
    };
    expect((await opened(saying(JSON.stringify(right)))).toArray()).toEqual([{ a: 1 }]);
    const texts = ["", "null", "[]", "7", "{}", '"topics"', "{"];
    for (const about of [...texts, ...wrong.map((one) => JSON.stringify({ ...right, ...one }))]) {
      const error = await failureOf(FindingsTable.fromBytes(saying(about)));
      expect(error, about).toMatchObject({ code: "bytes", reason: "damaged" });
    }
  });

  test("are refused if they are transferred while they are read", async () => {
    const table = await tableOf(likelyFindings(20_000));
    const bytes = table.toBytes();
    const promise = FindingsTable.fromBytes(bytes);
    await Promise.resolve();
    structuredClone(bytes, { transfer: [bytes.buffer] });
    const outcome = await promise.catch((error) => error);
    if (outcome instanceof FindingsTable) outcome.free();
    else expect(["damaged", "truncated"]).toContain(outcome.reason);
    expect((await reopened(table)).length).toBe(20_000);
  });

  test.for([undefined, null, "text", 7, {}, [1, 2]])("of a wrong type, %j, are a TypeError", async (given) => {
    expect(await rejectionOf(FindingsTable.fromBytes(given as any))).toBeInstanceOf(TypeError);
  });

  test("are those of a freed table and of the first snapshot of a live table", async () => {
    const table = await tableOf([{ a: 1 }]);
    table.free();
    const reads = [() => table.toBytes(), () => table.partitions, () => table.savedAt];
    for (const read of reads) expect(read).toThrow(TypeError);
    const live = clientOf(new Wire()).watchTable(1, "topics");
    const { table: first } = live.getSnapshot();
    expect([first.partitions, first.isComplete]).toEqual([[], false]);
    expect(() => first.toBytes()).toThrow("no partition yet");
    await live.done;
  });
});

describe("a call that begins with a table", () => {
  /** A table that lacks these partitions of six. */
  const lacking = async (missing: number[]): Promise<Table> => {
    const { reason, value } = await outcomeOf(clientOf(refusing(missing, 6).wire).loadTable(1, "topics", collect));
    return freeAfterTest(value ?? reason.table);
  };

  test.for(["loadTable", "watchTable"])("%s requests only the counts and the missing partitions", async (method) => {
    for (const missing of [[], [4], [0, 2, 5], upTo(6)]) {
      const earlier = await lacking(missing);
      expect(earlier.partitions).toEqual(upTo(6).filter((index) => !missing.includes(index)));
      for (const from of [earlier, await reopened(earlier)]) {
        const wire = new Wire({ partitions: 6 });
        const client = clientOf(wire);
        const table: Table = freeAfterTest(
          await (method === "loadTable"
            ? client.loadTable(1, "topics", { from })
            : client.watchTable(1, "topics", { from }).done),
        );
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
    { changed: "another total", counts: { ...countsOf(6), TopicFindings: 13 } },
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

  test("of a service that gives no totals compares the numbers of partitions", async () => {
    const counts = { ...countsOf(3), TopicFindings: null };
    const from = await reopened(await loadFrom(new Wire({ counts })));
    const wire = new Wire({ counts });
    expect((await loadFrom(wire, { from })).toArray()).toEqual(allFindings(3));
    expect(wire.indexes).toEqual([-1]);
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

  test("shares its columns with other calls that begin with it at the same time", async () => {
    const from = await lacking([0, 3]);
    const wires = upTo(4).map(() => holding(6));
    const loading = wires.map((wire) => clientOf(wire).loadTable(1, "topics", { from }));
    await Promise.all(wires.map((wire) => vi.waitUntil(() => wire.indexes.length === 3)));
    for (const index of [3, 0]) {
      for (const wire of wires) wire.release(index);
      await quiet();
    }
    for (const table of await Promise.all(loading)) expect(table.toArray()).toEqual(allFindings(6));
  });

  test("takes snapshots of a live table, also the first one", async () => {
    const live = clientOf(holding(6, 3)).watchTable(1, "topics");
    const { table: first } = live.getSnapshot();
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
    const { table: partial } = live.getSnapshot();
    live.free();
    expect(partial.partitions).toEqual([0, 1, 2]);
    for (const from of [first, partial, await reopened(partial)]) {
      const next = new Wire({ partitions: 6 });
      const watched = clientOf(next).watchTable(1, "topics", { from });
      expect((await watched.done).toArray()).toEqual(allFindings(6));
      expect(watched.getSnapshot().table.toArray()).toEqual(allFindings(6));
      expect(next.requested).toEqual(from === first ? upTo(6) : [3, 4, 5]);
    }
    await rejectionOf(live.done);
  });

  test("keeps queries of a live table right when the missing partitions arrive", async () => {
    const findings = (index: number) => [{ Text: `only in ${index}` }, { Text: "in all", [`New ${index}`]: index }];
    const before = new Wire({ findings, respond: ({ index }) => (index === 1 ? refused(410) : undefined) });
    const { table: from } = await failureOf(clientOf(before).loadTable(1, "topics", collect));
    const wire = new Wire({ findings, holds: ({ index }) => index === 1 });
    const options = { from: await reopened(from as Table) };
    const live: LiveTable<any> = clientOf(wire).watchTable(1, "topics", options);
    const { table: partial } = live.getSnapshot();
    expect(partial.countBy("Text")[0]).toEqual({ key: ["in all"], count: 2 });
    expect(partial.countBy("New 1")).toEqual([{ key: [undefined], count: 4 }]);
    await arrive(live, wire, 1);
    const table = await live.done;
    expect(table.toArray()).toEqual([0, 1, 2].flatMap(findings));
    expect(live.getSnapshot().table.countBy("Text")).toEqual(table.countBy("Text"));
    expect(table.countBy("New 1").length).toBe(2);
  });

  describe('with growth: "append"', () => {
    const older = 6;
    /** The inspection with two more partitions, and a finding more in the last earlier one. */
    const grown = (holds?: (asked: any) => boolean) => {
      const findings = (index: number) =>
        index === 5 ? [...findingsOf(5), { Partition: 5, Number: 2 }] : findingsOf(index);
      const counts = { ...countsOf(8), TopicFindings: 17 };
      return { wire: new Wire({ partitions: 8, counts, findings, holds }), all: upTo(8).flatMap(findings) };
    };
    const checked = (wire: Wire) => wire.requested.filter((index) => index < 5);

    test.for([true, false])("requests two older partitions and what is new (worker: %s)", async (worker) => {
      const from = await reopened(await clientOf(new Wire({ partitions: older }), { worker }).loadTable(1, "topics"));
      const { wire, all } = grown();
      const reports: any[] = [];
      const onProgress = (progress: any) => reports.push(progress);
      const options = { from, growth: "append", onProgress } as const;
      const table = freeAfterTest(await clientOf(wire, { worker: !worker }).loadTable(1, "topics", options));
      expect(table.toArray()).toEqual(all);
      expect(new Set(checked(wire)).size).toBe(2);
      expect(wire.requested.length).toBe(5);
      expect(reports.at(-1)).toMatchObject({ partitionsDone: 8, findingsDone: 17, growth: "append" });
      expect(reports.slice(0, -1).every(({ growth }) => growth === undefined)).toBe(true);
    });

    test.for([true, false])("compares whole bodies, whatever the option columns keeps (%s)", async (few) => {
      const columns = few ? ["Number"] : undefined;
      const from = await reopened(await clientOf(new Wire({ partitions: older })).loadTable(1, "topics", { columns }));
      const { wire, all } = grown();
      const table = await clientOf(wire).loadTable(1, "topics", { from, columns, growth: "append" } as any);
      expect(freeAfterTest(table).toArray()).toEqual(few ? all.map((finding) => ({ Number: finding.Number })) : all);
      expect(wire.requested.length).toBe(5);
    });

    test("requests everything once if the service has divided the inspection anew, and says so", async () => {
      const from = await reopened(await clientOf(new Wire({ partitions: older })).loadTable(1, "topics"));
      const findings = (index: number) => findingsOf(index + 1);
      const wire = new Wire({ partitions: 8, findings });
      const reports: any[] = [];
      const onProgress = (progress: any) => reports.push(progress);
      const table = await clientOf(wire).loadTable(1, "topics", { from, growth: "append", onProgress });
      expect(freeAfterTest(table).toArray()).toEqual(upTo(8).flatMap(findings));
      expect(wire.requested.toSorted(ascending)).toEqual(upTo(8));
      expect(reports.at(-1)).toMatchObject({ partitionsDone: 8, growth: "reload" });
    });

    test("shows the kept findings in a live table until a partition arrives, and its store keeps what has grown", async () => {
      const store = open();
      await loaded(store, new Wire({ partitions: older })).then(({ done }) => done);
      const sizeOf = async () => (await store.list())[0]?.size ?? 0;
      await vi.waitFor(async () => expect(await sizeOf()).toBeGreaterThan(0));
      const sizeBefore = await sizeOf();
      const { wire, all } = grown((asked) => asked.index >= 0);
      const live = await loaded(store, wire, { growth: "append" });
      expect(live.getSnapshot().table.length).toBe(2 * older);
      await vi.waitFor(() => expect(wire.open.length).toBe(5));
      expect(live.getSnapshot().table.length).toBe(2 * older);
      wire.release(7);
      await vi.waitFor(() => expect(live.getSnapshot().table.partitions).toEqual([7]));
      for (const { index } of wire.open) wire.release(index);
      expect((await live.done).toArray()).toEqual(all);
      expect(live.getSnapshot().progress).toMatchObject({ partitionsDone: 8, growth: "append" });
      await vi.waitFor(async () => expect(await sizeOf()).toBeGreaterThan(sizeBefore));
      const { wire: next } = grown();
      expect((await (await loaded(store, next)).done).toArray()).toEqual(all);
      expect(next.requested).toEqual([]);
    });
  });

  test("of another service is a TypeError that names both, without a request", async () => {
    const baseUrl = "https://one.example/cxi/";
    const loaded = await loadFrom(new Wire(), { baseUrl } as any);
    const live = clientOf(new Wire(), { baseUrl }).watchTable(1, "topics");
    await live.done;
    const error = await rejectionOf(clientOf(refusing([2]).wire, { baseUrl }).loadTable(1, "topics", collect));
    for (const table of [loaded, live.getSnapshot().table, error.table]) {
      for (const from of [table, await reopened(table)]) {
        const wire = new Wire();
        const client = clientOf(wire, { baseUrl: "https://other.example/cxi/" });
        const message = "from was loaded from https://one.example/cxi/, not from https://other.example/cxi/";
        expect(await rejectionOf(client.loadTable(1, "topics", { from }))).toEqual(new TypeError(message));
        const watched = client.watchTable(1, "topics", { from });
        expect(await rejectionOf(watched.done)).toEqual(new TypeError(message));
        expect([watched.getSnapshot().table.length, wire.asked]).toEqual([0, []]);
        // The slash at the end makes no difference.
        expect((await loadFrom(wire, { from, baseUrl: "https://one.example/cxi" } as any)).length).toBe(6);
      }
    }
  });

  const view = async (client: FindingsClient) => (await client.loadTable(1, "topics")).filter({});
  const wrong: [string, (client: FindingsClient) => any, RegExp?][] = [
    ["another inspection", (client) => client.loadTable(2, "topics")],
    ["another kind", (client) => client.loadTable(1, "sentiment")],
    ["a view", view, /^from must be a table of loadTable, watchTable or FindingsTable\.fromBytes; got a view$/],
    ["a view of an empty table", async () => (await load([])).filter({})],
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
      /^from must be a FindingsTable of the client's copy of the package; got an object$/,
    ],
    ["no table", () => ({})],
  ];

  test.for(wrong)("with %s is a TypeError that names it, without a request", async ([, give, message = /^from /]) => {
    const from = await give(clientOf(new Wire()));
    const wire = new Wire();
    const client = clientOf(wire);
    for (const promise of [client.loadTable(1, "topics", { from }), client.watchTable(1, "topics", { from }).done]) {
      const error = await rejectionOf(promise);
      expect(error).toBeInstanceOf(TypeError);
      expect(error.message).toMatch(message);
    }
    expect(wire.asked).toEqual([]);
  });

  test("is loadTable or watchTable: other calls and clients refuse a table", async () => {
    const from = await tableOf([{ a: 1 }]);
    const wire = new Wire();
    const client: any = clientOf(wire);
    for (const calling of [
      client.getFindings(1, "topics", { from }),
      client.loadPartition(1, "topics", 0, { from }),
      client.streamTables(1, "topics", { from }).next(),
      new FindingsClient({ from } as any).getPartitionCounts(1),
    ]) {
      await expect(calling).rejects.toThrow(/from does not apply to .*, only to loadTable and watchTable/);
    }
    expect(wire.asked).toEqual([]);
  });
});

/** The storages, each as a browser has it: the second is that of a browser whose pages cannot write files. */
const storages = {
  "the best storage of this engine": () => {},
  IndexedDB: () => {
    // WebKitGTK has no such property, so its best storage is IndexedDB.
    if ("storage" in navigator) vi.spyOn(navigator, "storage", "get").mockReturnValue(undefined as any);
  },
};

/** The errors of the stores of a test. */
let errors: unknown[] = [];

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
    const writing = onWrite((write) => write());
    expect(await visit(four())).toEqual(kept);
    expect(await visit(four())).toEqual(kept);
    expect([writing.mock.calls, errors]).toEqual([[], []]);
  });

  test("requests everything with reload, although the counts are the same, and keeps that", async () => {
    await visit(four());
    const findings = findingsOfAll([10, 11, 12, 13]);
    const other = new Wire({ partitions: 4, findings: (index) => findingsOf(index + 10) });
    expect(await visit(other, { reload: true })).toEqual({ ...everything, findings });
    expect(await visit(four())).toEqual({ ...kept, findings });
  });

  test("keeps tables apart by service, inspection, kind and columns", async () => {
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
        const live = await open().load(clientOf(wire, { baseUrl }), inspectionKey, kind, options);
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

  test("takes a key as a number, a bigint and text for the same inspection", async () => {
    await visit(four());
    for (const key of [1n, "1"]) {
      const wire = four();
      (await (await open().load(clientOf(wire), key, "topics")).done).free();
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
    for (const wrong of [undefined, {}, { name: 1 }, { name: "2,sentiment" }]) {
      expect(await rejectionOf(store.remove(wrong as any))).toBeInstanceOf(TypeError);
    }
  });

  test.for([
    ["a reactive object of Vue", (kept: KeptTable) => reactive(kept)],
    ["a copy", (kept: KeptTable) => JSON.parse(JSON.stringify(kept))],
    ["an entry of another store", async () => (await open().list())[0]],
  ] as const)("removes a table that is given as %s", async ([, given]) => {
    await visit(four());
    const [listed] = await open().list();
    await open().remove(await given(listed as KeptTable));
    expect(await open().list()).toEqual([]);
  });

  test("shows, lists, replaces and removes only tables of its owner, and clears those of all", async () => {
    const owners = [undefined, "ann", "Ann", "a,n\ud800n/…", "_0041nn"];
    const stores = owners.map((owner) => openStore({ owner, onError: (error) => errors.push(error) }));
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
    const [, second] = stores;
    await second?.clear();
    expect(await Promise.all(stores.map((store) => store.list()))).toEqual(owners.map(() => []));
    expect(errors).toEqual([]);
  });

  test.for([401, 403])(
    "shows what is kept no longer after status %i, and keeps it until somebody may read it",
    async (status) => {
      const findings = findingsOfAll(upTo(4));
      await visit(four());
      const partlyRefused = () =>
        new Wire({ partitions: 5, respond: ({ index }) => (index > 1 ? refused(status) : undefined) });
      for (const [wire, options] of [
        [new Wire({ respond: () => refused(status) }), {}],
        [partlyRefused(), { concurrency: 1 }],
        [partlyRefused(), { concurrency: 1, ...collect }],
      ] as [Wire, KeepOptions][]) {
        const live = await loaded(open(), wire, options);
        expect(live.getSnapshot().table.length).toBe(8);
        const shown: number[] = [];
        live.subscribe(() => {
          const { state, table } = live.getSnapshot();
          if (state !== "loading") shown.push(table.length);
        });
        await rejectionOf(live.done);
        const { progress, state, table } = live.getSnapshot();
        expect([state, table.toArray(), progress.findingsDone, shown]).toEqual(["failed", [], 0, [0]]);
        expect(await visit(four())).toEqual({ ...kept, findings });
      }
    },
  );

  test("requests everything with resume() after a refusal, and shows nothing of before meanwhile", async () => {
    await visit(four());
    let isRefused = true;
    const wire = new Wire({
      partitions: 4,
      holds: ({ index }) => index === 3,
      respond: () => (isRefused ? refused(401) : undefined),
    });
    const live = await loaded(open(), wire, { concurrency: 1 });
    await rejectionOf(live.done);
    isRefused = false;
    live.resume();
    expect(live.getSnapshot()).toMatchObject({ state: "loading", table: { length: 0 } });
    await vi.waitUntil(() => wire.open.length === 1);
    expect(live.getSnapshot().table.length).toBe(6);
    wire.release(3);
    expect((await live.done).toArray()).toEqual(allFindings(4));
    expect(wire.indexes).toEqual([-1, -1, 0, 1, 2, 3]);
    await open().list();
  });

  test("loads an inspection although the bytes of another table have its name, and replaces them", async () => {
    for (const [inspectionKey, options] of [
      [2, {}],
      [1, { columns: ["Number"] }],
      [1, { from: "a view" }],
    ] as [number, any][]) {
      await open().clear();
      await visit(four());
      const { from, ...others } = options;
      const table = await clientOf(four()).loadTable(inspectionKey, "topics", others);
      const bytes = (from ? table.filter({}) : table).toBytes();
      const write = vi.spyOn(FindingsTable.prototype, "toBytes").mockReturnValue(bytes);
      await visit(four(), { reload: true });
      write.mockRestore();
      errors = [];
      expect(await visit(four())).toEqual(everything);
      expect(errors).toEqual([expect.objectContaining({ cause: expect.any(TypeError) })]);
      expect(await visit(four())).toEqual(kept);
    }
  });

  test("lists its tables although other scripts have written beside them", async () => {
    await visit(four());
    const before = await open().list();
    await writeBeside();
    expect(await open().list()).toEqual(before);
    expect(errors).toEqual([]);
  });

  test("has the numbers of the kept findings in the progress until the counts are known", async () => {
    const complete = { partitionsDone: 4, partitions: 4, findingsDone: 8, findings: 8, bytes: 0 };
    await visit(four());
    const wire = new Wire({
      partitions: 5,
      respond: ({ count, index }) => (index < 0 && count < 3 ? refused(503) : undefined),
    });
    const live = await loaded(open(), wire, { retries: 1 });
    expect(live.getSnapshot().progress).toEqual({ ...complete, retries: 0 });
    await rejectionOf(live.done);
    expect(live.getSnapshot()).toMatchObject({ state: "failed", progress: { ...complete, retries: 1 } });
    live.resume();
    await live.done;
    expect(live.getSnapshot().progress).toMatchObject({ partitionsDone: 5, partitions: 5, findingsDone: 10 });
    await open().list();
  });

  test("lists nothing while another tab changes what is kept", async () => {
    await visit(four());
    const change = Promise.withResolvers<void>();
    const changed = navigator.locks.request("inspection-findings", () => change.promise);
    const events: string[] = [];
    const listed = open().list();
    void listed.then(() => events.push("listed"));
    for (let times = 0; times < 5; times++) await readKept().catch(() => {});
    await quiet();
    events.push("changed");
    change.resolve();
    await changed;
    expect([(await listed).length, ...events]).toEqual([1, "changed", "listed"]);
  });

  test("never writes a token", async () => {
    const headers = { Authorization: "bearer SECRET-TOKEN" };
    (await (await loaded(open(), clientOf(four(), { headers }))).done).free();
    const storage = await bytesOfOrigin();
    expect(storage.length).toBeGreaterThan(0);
    expect(storage.filter((text) => text.includes("SECRET"))).toEqual([]);
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
  const endings: [string, (live: LiveTable<any>, client: FindingsClient, repair: () => void) => unknown, object][] = [
    ["lacks partitions", () => {}, { first: 6, requests: [-1, 3] }],
    ["is resumed", (live, _, repair) => rejectionOf(live.done).then(repair).then(live.resume), kept],
    ["is cancelled", (live) => live.cancel(), { first: 6, requests: [-1, 3] }],
    ["loses its client", (_, client) => client.free(), { first: 6, requests: [-1, 3] }],
    ["is freed", (live) => live.free(), everything],
  ];

  test.for(endings)("keeps what has arrived of a load that %s, for the next visit", async ([name, act, next]) => {
    const refusals = new Set(/lacks|resumed/.test(name) ? [3] : []);
    const wire = new Wire({
      partitions: 4,
      holds: ({ index }) => index === 3 && refusals.size === 0 && !name.includes("resumed"),
      respond: ({ index }) => (refusals.has(index) ? refused(410) : undefined),
    });
    const client = clientOf(wire);
    const live = await loaded(open(), client, collect);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 3);
    await act(live, client, () => refusals.clear());
    await live.done.then((table) => table.free()).catch(() => {});
    await quiet();
    await open().list();
    expect(await visit(four())).toEqual({ ...kept, ...next });
    expect(await visit(four())).toEqual(kept);
  });

  test("shows the kept table and the error, and leaves it as it is, when less has arrived", async () => {
    await visit(four());
    const ended = clientOf(four());
    ended.free();
    const failing = () => new Wire({ partitions: 5, respond: ({ index }) => (index > 0 ? refused(404) : undefined) });
    const attempts: [Wire | FindingsClient, KeepOptions, object, number][] = [
      [failing(), { concurrency: 1 }, { state: "failed", error: { code: "http" } }, 2],
      [failing(), { concurrency: 1, reload: true }, { state: "failed", error: { code: "http" } }, 2],
      [ended, {}, { state: "aborted" }, 8],
    ];
    for (const [from, options, expected, length] of attempts) {
      const live = await loaded(open(), from, options);
      await rejectionOf(live.done);
      expect(live.getSnapshot()).toMatchObject({ ...expected, table: { length } });
      expect(await visit(four())).toEqual(kept);
    }
  });

  test("leaves the complete table of another load as it is, when less has arrived", async () => {
    const wire = holding(4, 1);
    const live = await loaded(open(), wire);
    await vi.waitUntil(() => live.getSnapshot().progress.partitionsDone === 1);
    await visit(four());
    live.cancel();
    await rejectionOf(live.done);
    expect(live.getSnapshot().table.length).toBe(2);
    await open().list();
    expect(await visit(four())).toEqual(kept);
  });

  test("replaces the table of an inspection that is now empty", async () => {
    const empty = () => new Wire({ counts: countsOf(0) });
    for (const options of [{}, { reload: true }]) {
      await visit(four());
      expect(await visit(empty(), options)).toMatchObject({ state: "complete", findings: [], requests: [-1] });
      expect(await visit(empty())).toEqual({ first: 0, state: "complete", findings: [], requests: [-1] });
    }
  });

  test("loads plainly and says why where the bytes are damaged or of another version, and keeps good ones", async () => {
    const { toBytes } = FindingsTable.prototype;
    for (const at of [-1, 8]) {
      await open().clear();
      const write = vi.spyOn(FindingsTable.prototype, "toBytes").mockImplementation(function (this: Table) {
        const bytes = Reflect.apply(toBytes, this, []);
        return bytes.with(at, (Number(bytes.at(at)) + 1) & 255);
      });
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
      expect(await visit(new Wire({ partitions: 5 }))).toMatchObject({ state: "complete", findings: allFindings(5) });
      writing.mockRestore();
      expect(await open().list()).toHaveLength(next === kept ? 1 : 0);
      expect(await visit(four())).toEqual(next);
      expect(errors).toEqual([how === "throws" ? quota : expect.anything()]);
    }
  });

  test("keeps the new bytes when the signal is aborted during the write", async () => {
    await visit(four());
    const controller = new AbortController();
    const writing = onWrite((write) => {
      controller.abort("enough");
      return write();
    });
    const live = await loaded(open(), new Wire({ partitions: 5 }), { signal: controller.signal });
    (await live.done).free();
    await open().list();
    expect([writing.mock.calls.length, controller.signal.aborted, live.getSnapshot().state]).toEqual([
      1,
      true,
      "complete",
    ]);
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
    Reflect.deleteProperty(navigator, "storage");
    await open().clear();
  });

  test("fails a call with wrong arguments as the client does, and touches no storage for it", async () => {
    const storage = vi.spyOn(indexedDB, "open");
    const live = await loaded(open(), new Wire(), { retry: 1 } as any);
    expect((await rejectionOf(live.done)).message).toMatch(/^unknown option "retry"/);
    expect([live.getSnapshot().state, storage.mock.calls, errors]).toEqual(["failed", [], []]);
  });

  test.for([null, "", 7])("refuses the owner %j, which would be everybody", (owner) => {
    expect(() => openStore({ owner: owner as any })).toThrow(TypeError);
  });

  const silent = new Promise<never>(() => {});
  test.for([
    ["files", 2_000, () => replaceStorage({ getDirectory: () => silent })],
    [
      "a database",
      60_000,
      () => {
        replaceStorage(undefined);
        vi.spyOn(indexedDB, "open").mockReturnValue(new EventTarget() as any);
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
      expect(await visit(four())).toEqual(everything);
      expect(await visit(four())).toEqual(everything);
      expect(errors.length).toBeGreaterThan(2);
      expect(await rejectionOf(open().clear())).toBeInstanceOf(Error);
      expect(await open().list()).toEqual([]);
    }
  });

  test("uses IndexedDB where files are refused", async () => {
    const getDirectory = async () => {
      throw new DOMException("private window", "SecurityError");
    };
    replaceStorage({ getDirectory });
    await open().clear();
    expect(await visit(four())).toEqual(everything);
    expect(await visit(four())).toEqual(kept);
    await open().clear();
    expect(errors).toEqual([]);
    const { promise, resolve } = Promise.withResolvers<Event>();
    const deleting = indexedDB.deleteDatabase("inspection-findings");
    deleting.onsuccess = deleting.onblocked = resolve;
    expect((await promise).type).toBe("success");
  });

  /** The entry as it is shipped, of which another page has another copy. */
  const keepAddress = `${location.origin}/package/keep.js`;

  test("drops the writes of other pages that began before sign-out", async () => {
    const { openStore: openOther } = await (await openRealm()).load(keepAddress);
    const wire = holding(4, 3);
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
});

async function opened(bytes: any): Promise<Table> {
  return freeAfterTest(await FindingsTable.fromBytes(bytes));
}

function reopened(table: Table) {
  return opened(table.toBytes());
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

/** Reads the names of the kept files as a list does, which takes a while. */
async function readKept() {
  const root = await navigator.storage.getDirectory();
  const names: string[] = [];
  for await (const name of (await root.getDirectoryHandle("inspection-findings")).keys()) names.push(name);
  return names;
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

/** What a visit without a kept table gives, of four partitions. */
const everything = { first: 0, state: "complete", findings: allFindings(4), requests: [-1, 0, 1, 2, 3] };

/** What a visit with the complete table gives. */
const kept = { ...everything, first: 8, requests: [-1] };

function four() {
  return new Wire({ partitions: 4 });
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

/** The names and the texts of all that this origin keeps. */
async function bytesOfOrigin() {
  const texts: string[] = [];
  const decoder = new TextDecoder();
  if ("storage" in navigator && navigator.storage) {
    const folder = await (await navigator.storage.getDirectory()).getDirectoryHandle("inspection-findings");
    for await (const [name, handle] of folder.entries()) {
      const bytes = await (await (handle as FileSystemFileHandle).getFile()).arrayBuffer();
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
