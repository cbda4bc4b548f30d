/** Tables as bytes, and calls that begin with an earlier table. */

import { FindingsClient, FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf, findingsOfAll, upTo } from "./inspection.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { expectSame } from "./same.js";
import { likelyFinding, load, tableOf } from "./tables.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

/** @typedef {import("./tables.js").Table} Table */
/** @typedef {import("inspection-findings").TableOptions} Options */

/** A table that is freed after the test. @param {any} table @returns {Table} */
function kept(table) {
  freeAfterTest(table);
  return table;
}

/** @param {any} bytes */
const opened = async (bytes) => kept(await FindingsTable.fromBytes(bytes));

/** @param {Table} table */
const reopened = (table) => opened(table.toBytes());

/**
 * The table of a call of a new client that takes what it gets.
 * @param {Wire} wire
 * @param {Options} [options]
 */
const loadFrom = async (wire, options) => kept(await clientOf(wire).loadTable(1, "topics", options));

/** @param {number} one @param {number} other */
const ascending = (one, other) => one - other;

/** What a table has: that all queries give the same results is proved in Rust. @param {Table} table */
function allOf(table) {
  const { columns, columnsTruncated, isComplete, partitions } = table;
  const values = columns.map((name) => Array.from(table.column(name)));
  const groups = columns.map((name) => [table.countBy(name), table.summarize(columns.slice(0, 3), name)]);
  return { columns, columnsTruncated, isComplete, partitions, values, groups, rows: [...table] };
}

describe("a table from bytes", () => {
  test.for([
    ["likely findings", JSON.stringify(Array.from({ length: 40 }, (_, number) => likelyFinding(number)))],
    [
      "odd ones",
      '[{"a":-0,"a.b":"\\ud800","c":[1,[]]},{"__proto__":{"a":{}},"a":1e400},{},{"a":0.1234567890123456789}]',
    ],
    ["none", "[]"],
  ])("of %s gives the same results as the table that was saved, and so does a view", async ([, findings]) => {
    const table = await tableOf(findings);
    const names = table.columns.slice(0, 2);
    const views = names.map((name) => kept(table.sortBy(name, "desc").filter({ [name]: { min: 0 } })));
    for (const one of [table, ...views]) {
      const again = await reopened(one);
      expectSame(allOf(again), allOf(one));
      expect(toArrowIPC(again)).toEqual(toArrowIPC(one));
    }
  });

  test.for([1, 3000])(
    "has the findings of %i of an inspection, of which a view writes only its own",
    async (length) => {
      const findings = Array.from({ length }, (_, number) => likelyFinding(number));
      const table = await tableOf(findings);
      expect((await reopened(table)).toArray()).toEqual(findings);
      const bytes = table.toBytes();
      expect(bytes.length).toBeLessThan(1000 + 0.65 * JSON.stringify(findings).length);
      using one = table.filter({ RespondentId: "R-0" });
      expect(one.toBytes().length).toBeLessThan(3000);
      expect((await reopened(one)).toArray()).toEqual([findings[0]]);
    },
  );

  test("knows when it was saved, its partitions, and whether it is complete", async () => {
    vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
    const table = await loadFrom(new Wire({ partitions: 3 }));
    const single = kept(await clientOf(new Wire()).loadPartition(1, "topics", 2));
    /** @type {[Table, number[], boolean][]} */
    const expected = [
      [table, [0, 1, 2], true],
      [kept(table.filter({ Number: 1 })), [], false],
      [kept(table.filter({})), [], false],
      [kept(table.sortBy("Number")), [], false],
      [single, [2], false],
    ];
    for (const [one, partitions, isComplete] of expected) {
      expect(one).toMatchObject({ savedAt: undefined, partitions, isComplete });
      expect(await reopened(one)).toMatchObject({ savedAt: new Date(1_700_000_000_000), partitions, isComplete });
    }
  });

  test("can be given as any view of a buffer, and does not keep the bytes", async () => {
    const table = await load([[{ a: 1 }, { a: "text" }]]);
    const bytes = table.toBytes();
    const within = new Uint8Array([1, 2, 3, ...bytes, 4]).subarray(3, -1);
    const tables = await Promise.all([bytes, bytes.buffer, new DataView(bytes.buffer), within].map(opened));
    bytes.fill(0);
    for (const again of tables) expect(again.toArray()).toEqual([{ a: 1 }, { a: "text" }]);
  });

  test("saves an inspection key of each type", async () => {
    const wire = new Wire({ partitions: 1 });
    for (const inspectionKey of [7, -7n, 2n ** 62n, "4611686018427387905"]) {
      const table = await clientOf(wire).loadTable(inspectionKey, "sentiment");
      const { length } = wire.asked;
      const again = await clientOf(wire).loadTable(inspectionKey, "sentiment", { from: await reopened(table) });
      expect([again.toArray(), wire.asked.length]).toEqual([table.toArray(), length + 1]);
    }
  });
});

describe("the bytes of a table without a refused partition", () => {
  const bodies = [
    { Findings: [{ Text: "a text that was accepted" }] },
    { Findings: [{ Text: "a text that was refused", "Refused key": [0.5] }], errors: ["Refused."] },
    { errors: ["Refused."], Findings: [{ Text: "a text that was refused", "Refused key": [0.5] }] },
    { Findings: [{ Text: "a text that was refused", "Refused key": 0.5 }, 1] },
    '{"Findings":[{"Text":"a text that was refused","Refused key":0.5},{"Text":}]}',
  ];

  test.for([true, false])("contain nothing of it (worker: %s)", async (worker) => {
    const wire = new Wire({
      partitions: 5,
      respond: ({ index }) => (index < 0 ? undefined : responseOf(bodies[index])),
    });
    const client = clientOf(wire, { worker, failurePolicy: "collect", completeness: "off", retries: 0 });
    const live = client.watchTable(1, "topics");
    freeAfterTest(live);
    const errors = await Promise.all([client.loadTable(1, "topics"), live.done].map(failureOf));
    for (const table of [...errors.map(({ table }) => table), live.getSnapshot().table]) {
      const bytes = kept(/** @type {any} */ (table)).toBytes();
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
    const bytes = (await load([[{ a: 1 }, { a: "text" }]])).toBytes();
    const changed = (/** @type {number} */ at) => bytes.with(at, (Number(bytes.at(at)) + 1) & 255);
    /** @type {[Uint8Array, string][]} */
    const wrong = [
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
    const table = await load([[{ a: 1 }]]);
    const right = {
      inspectionKey: 1,
      kind: "topics",
      total: 1,
      counts: { partitions: 1, findings: null },
      savedAt: 0.5,
    };
    const wrong = [
      ...["", "null", "[]", "7", "{}", '"topics"', "{"],
      ...["inspectionKey", "kind", "savedAt"].map((name) => ({ ...right, [name]: undefined })),
      ...[{ inspectionKey: "1e3" }, { inspectionKey: 2 ** 60 }, { inspectionKey: {} }, { kind: "other" }],
      ...[{ total: -1 }, { total: "1" }, { total: null }, { savedAt: "today" }, { savedAt: null }],
      ...[
        { counts: null },
        { counts: {} },
        { counts: { partitions: 1 } },
        { counts: { partitions: 0.5, findings: 1 } },
      ],
    ].map((one) =>
      typeof one === "string" ? one : JSON.stringify("kind" in one && "savedAt" in one ? one : { ...right, ...one }),
    );
    for (const about of [JSON.stringify(right), ...wrong]) {
      const stringify = vi.spyOn(JSON, "stringify").mockReturnValue(about);
      const bytes = table.toBytes();
      stringify.mockRestore();
      if (about === JSON.stringify(right)) expect((await opened(bytes)).toArray()).toEqual([{ a: 1 }]);
      else
        expect(await failureOf(FindingsTable.fromBytes(bytes)), about).toMatchObject({
          code: "bytes",
          reason: "damaged",
        });
    }
  });

  test("are refused if they are transferred while they are read", async () => {
    const table = await tableOf(Array.from({ length: 20_000 }, (_, number) => likelyFinding(number)));
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
    expect(await rejectionOf(FindingsTable.fromBytes(/** @type {any} */ (given)))).toBeInstanceOf(TypeError);
  });
});

test("a freed table and the first snapshot of a live table have no bytes", async () => {
  const table = await load([[{ a: 1 }]]);
  table.free();
  expect(() => table.toBytes()).toThrow(TypeError);
  expect(() => table.partitions).toThrow(TypeError);
  expect(() => table.savedAt).toThrow(TypeError);
  const live = clientOf(new Wire()).watchTable(1, "topics");
  const { table: first } = live.getSnapshot();
  expect([first.partitions, first.isComplete]).toEqual([[], false]);
  expect(() => first.toBytes()).toThrow("no partition yet");
  await live.done;
});

describe("a call that begins with a table", () => {
  /** A wire that refuses the last partition. */
  const refusingOne = () => new Wire({ respond: ({ index }) => (index === 2 ? refused(410) : undefined) });

  /** A table that lacks these partitions of six. @param {number[]} missing */
  const lacking = async (missing) => {
    const wire = new Wire({
      partitions: 6,
      respond: ({ index }) => (missing.includes(index) ? refused(410) : undefined),
    });
    const { reason, value } = await outcomeOf(clientOf(wire).loadTable(1, "topics", { failurePolicy: "collect" }));
    return kept(value ?? reason.table);
  };

  test.for(["loadTable", "watchTable"])("%s requests only the counts and the missing partitions", async (method) => {
    for (const missing of [[], [4], [0, 2, 5], [0, 1, 2, 3, 4, 5]]) {
      const earlier = await lacking(missing);
      expect(earlier.partitions).toEqual([0, 1, 2, 3, 4, 5].filter((index) => !missing.includes(index)));
      for (const from of [earlier, await reopened(earlier)]) {
        const wire = new Wire({ partitions: 6 });
        const client = clientOf(wire);
        const table = kept(
          await (method === "loadTable"
            ? client.loadTable(1, "topics", { from })
            : client.watchTable(1, "topics", { from }).done),
        );
        expect(wire.indexes).toEqual([-1, ...missing]);
        expect(table.toArray()).toEqual(allFindings(6));
        expect(table).toMatchObject({ isComplete: true, partitions: [0, 1, 2, 3, 4, 5] });
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

  test("leaves the table usable, and does without it once the call has begun", async () => {
    const from = await lacking([1]);
    const loading = clientOf(new Wire({ partitions: 6 })).loadTable(1, "topics", { from });
    from.free();
    expect((await loading).toArray()).toEqual(allFindings(6));
  });

  test("can fail, and resumes with what it began with", async () => {
    const from = await lacking([1, 4]);
    const wire = new Wire({
      partitions: 6,
      respond: ({ index, count }) => (index === 4 && count === 1 ? refused(410) : undefined),
    });
    const error = await rejectionOf(clientOf(wire).loadTable(1, "topics", { from, failurePolicy: "collect" }));
    expect(error.table.partitions).toEqual([0, 1, 2, 3, 5]);
    expect((await error.resume()).toArray()).toEqual(allFindings(6));
    expect(wire.indexes.toSorted(ascending)).toEqual([-1, -1, 1, 4, 4]);
    expect(await rejectionOf(error.resume({ from }))).toBeInstanceOf(TypeError);
  });

  test("shares its columns with other calls that begin with it at the same time", async () => {
    const from = await lacking([0, 3]);
    const wires = Array.from({ length: 4 }, () => new Wire({ partitions: 6, holds: ({ index }) => index >= 0 }));
    const loading = wires.map((wire) => clientOf(wire).loadTable(1, "topics", { from }));
    await Promise.all(wires.map((wire) => vi.waitUntil(() => wire.indexes.length === 3)));
    for (const index of [3, 0]) {
      for (const wire of wires) wire.release(index);
      await quiet();
    }
    for (const table of await Promise.all(loading)) expect(table.toArray()).toEqual(allFindings(6));
  });

  test("takes snapshots of a live table, also the first one", async () => {
    const wire = new Wire({ partitions: 6, holds: ({ index }) => index > 2 });
    const live = clientOf(wire).watchTable(1, "topics");
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

  test("of another service is a TypeError that names both, without a request", async () => {
    const baseUrl = "https://one.example/cxi/";
    const loaded = await loadFrom(new Wire(), /** @type {any} */ ({ baseUrl }));
    const live = clientOf(new Wire(), { baseUrl }).watchTable(1, "topics");
    await live.done;
    const error = await rejectionOf(
      clientOf(refusingOne(), { baseUrl }).loadTable(1, "topics", { failurePolicy: "collect" }),
    );
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
        expect((await loadFrom(wire, { from, baseUrl: "https://one.example/cxi" })).length).toBe(6);
      }
    }
  });

  test("names the view, or the single partition, that it cannot begin with", async () => {
    const client = clientOf(new Wire());
    const view = kept((await client.loadTable(1, "topics")).filter({}));
    const single = kept(await client.loadPartition(1, "topics", 0));
    for (const [from, got] of /** @type {[any, string][]} */ ([
      [view, "got a view"],
      [await reopened(view), "the bytes are of a view"],
      [single, "got a single partition"],
    ])) {
      const message = `from must be a table of loadTable, watchTable or FindingsTable.fromBytes; ${got}`;
      expect(await rejectionOf(client.loadTable(1, "topics", { from }))).toEqual(new TypeError(message));
    }
  });

  /** @type {[string, (client: FindingsClient) => any][]} */
  const wrong = [
    ["another inspection", (client) => client.loadTable(2, "topics")],
    ["another kind", (client) => client.loadTable(1, "sentiment")],
    ["a view", async (client) => (await client.loadTable(1, "topics")).filter({})],
    ["a view of an empty table", async () => (await load([])).filter({})],
    ["a view of the first snapshot", (client) => client.watchTable(1, "topics").getSnapshot().table.sortBy("Comment")],
    ["a saved view", async (client) => reopened((await client.loadTable(1, "topics")).filter({}))],
    ["a single partition", (client) => client.loadPartition(1, "topics", 0)],
    [
      "a freed table",
      async (client) => {
        using table = await client.loadTable(1, "topics");
        return table;
      },
    ],
    ["no table", () => ({})],
    ["null", () => null],
  ];

  test.for(wrong)("with %s is a TypeError, without a request", async ([, give]) => {
    const from = await give(clientOf(new Wire()));
    const wire = new Wire();
    expect(await rejectionOf(clientOf(wire).loadTable(1, "topics", { from }))).toBeInstanceOf(TypeError);
    expect(await rejectionOf(clientOf(wire).watchTable(1, "topics", { from }).done)).toBeInstanceOf(TypeError);
    expect(wire.asked).toEqual([]);
  });

  test("is loadTable or watchTable: other calls and clients refuse a table", async () => {
    const from = await load([[{ a: 1 }]]);
    const wire = new Wire();
    const client = /** @type {any} */ (clientOf(wire));
    for (const calling of [
      client.getFindings(1, "topics", { from }),
      client.loadPartition(1, "topics", 0, { from }),
      client.streamTables(1, "topics", { from }).next(),
      new FindingsClient(/** @type {any} */ ({ from })).getPartitionCounts(1),
    ]) {
      await expect(calling).rejects.toThrow(/from does not apply to .*, only to loadTable and watchTable/);
    }
    expect(wire.asked).toEqual([]);
  });

  test("of a service that gives no totals compares the numbers of partitions", async () => {
    const counts = { ...countsOf(3), TopicFindings: null };
    const from = await reopened(await loadFrom(new Wire({ counts })));
    const wire = new Wire({ counts });
    expect((await loadFrom(wire, { from })).toArray()).toEqual(allFindings(3));
    expect(wire.indexes).toEqual([-1]);
  });

  test("keeps queries of a live table right when the missing partitions arrive", async () => {
    const texts = (/** @type {number} */ index) => [
      { Text: `only in ${index}` },
      { Text: "in all", [`New ${index}`]: index },
    ];
    const before = new Wire({
      partitions: 3,
      findings: texts,
      respond: ({ index }) => (index === 1 ? refused(410) : undefined),
    });
    const error = await rejectionOf(clientOf(before).loadTable(1, "topics", { failurePolicy: "collect" }));
    const wire = new Wire({ partitions: 3, findings: texts, holds: ({ index }) => index === 1 });
    /** @type {import("inspection-findings").LiveTable<any>} */
    const live = clientOf(wire).watchTable(1, "topics", { from: await reopened(error.table) });
    await vi.waitUntil(() => wire.indexes.includes(1));
    const { table: partial } = live.getSnapshot();
    expect(partial.countBy("Text")[0]).toEqual({ key: ["in all"], count: 2 });
    expect(partial.countBy("New 1")).toEqual([{ key: [undefined], count: 4 }]);
    wire.release(1);
    const table = await live.done;
    expect(table.toArray()).toEqual([0, 1, 2].flatMap(texts));
    expect(live.getSnapshot().table.countBy("Text")).toEqual(table.countBy("Text"));
    expect(table.countBy("New 1").length).toBe(2);
  });
});
