/** Tables as bytes, and calls that begin with an earlier table. */

import { FindingsClient, FindingsError, FindingsTable } from "inspection-findings";
import { toArrowIPC } from "inspection-findings/arrow";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, countsOf, findingsOfAll } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { expectSame } from "./same.js";
import { likelyFinding, load, tableOf } from "./tables.js";
import { quiet, refused, Wire } from "./wire.js";

/** @typedef {import("./tables.js").Table} Table */

/**
 * Opens bytes as a table that is freed after the test.
 * @param {any} bytes
 * @returns {Promise<Table>}
 */
async function opened(bytes) {
  const table = await FindingsTable.fromBytes(bytes);
  freeAfterTest(table);
  return table;
}

/** @param {Table} table */
function reopened(table) {
  return opened(table.toBytes());
}

/**
 * Everything that a table can be asked.
 * @param {Table} table
 */
function allOf(table) {
  const { columns } = table;
  const by = columns.slice(0, 3);
  const sorted = by.flatMap((name) => [
    table.sortBy(name),
    table.sortBy(name, "desc"),
    table.filter({ [name]: { min: 0 } }),
  ]);
  for (const view of sorted) freeAfterTest(view);
  return {
    columns,
    rows: table.toArray(),
    iterated: [...table],
    page: table.slice(-3),
    last: table.at(-1),
    truncated: table.columnsTruncated,
    isComplete: table.isComplete,
    partitions: table.partitions,
    values: columns.map((name) => Array.from(table.column(name))),
    counts: [table.countBy(...by), ...columns.map((name) => table.countBy(name))],
    summaries: columns.map((name) => table.summarize(by, name)),
    views: sorted.map((view) => [view.length, view.columns, view.toArray()]),
  };
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
    const views = table.columns.slice(0, 2).map((name) => table.sortBy(name, "desc").filter({ [name]: { min: 0 } }));
    for (const view of views) freeAfterTest(view);
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
    const table = /** @type {Table} */ (await clientOf(new Wire({ partitions: 3 })).loadTable(1, "topics"));
    expect([table.savedAt, table.partitions, table.isComplete]).toEqual([undefined, [0, 1, 2], true]);
    const again = await reopened(table);
    expect([again.savedAt, again.partitions, again.isComplete]).toEqual([new Date(1_700_000_000_000), [0, 1, 2], true]);
    const view = table.filter({ Number: 1 });
    expect([view.partitions, view.isComplete]).toEqual([[], false]);
    const viewAgain = await reopened(view);
    expect([viewAgain.partitions, viewAgain.isComplete]).toEqual([[], false]);
    const single = await clientOf(new Wire()).loadPartition(1, "topics", 2);
    expect([single.partitions, single.isComplete, (await reopened(single)).partitions]).toEqual([[2], false, [2]]);
  });

  test("can be given as any view of a buffer, and does not keep the bytes", async () => {
    const table = await load([[{ a: 1 }, { a: "text" }]]);
    const bytes = table.toBytes();
    const shifted = new Uint8Array([1, 2, 3, ...bytes, 4]);
    const within = shifted.subarray(3, -1);
    for (const given of [bytes.buffer, new DataView(bytes.buffer), within]) {
      const again = await opened(given);
      expect(again.toArray()).toEqual([{ a: 1 }, { a: "text" }]);
    }
    const again = await opened(bytes);
    bytes.fill(0);
    expect(again.toArray()).toEqual([{ a: 1 }, { a: "text" }]);
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

describe("bytes that are no table", () => {
  /** @param {any} bytes */
  const reasonOf = async (bytes) => {
    const error = await rejectionOf(FindingsTable.fromBytes(bytes));
    expect(error).toBeInstanceOf(FindingsError);
    expect(error.code).toBe("bytes");
    return error.reason;
  };

  test("are refused with the reason", async () => {
    const bytes = (await load([[{ a: 1 }, { a: "text" }]])).toBytes();
    const changed = (/** @type {number} */ at) => bytes.with(at, (Number(bytes.at(at)) + 1) & 255);
    expect(await reasonOf(new TextEncoder().encode('{"Findings":[]}'))).toBe("foreign");
    expect(await reasonOf(changed(8))).toBe("version");
    expect(await reasonOf(changed(bytes.length - 1))).toBe("damaged");
    expect(await reasonOf(bytes.subarray(0, -1))).toBe("truncated");
    expect(await reasonOf(new Uint8Array())).toBe("truncated");
    expect(await reasonOf(new Uint8Array([...bytes, 0]))).toBe("damaged");
  });

  test("have their reason in the JSON of the error, too", async () => {
    const error = await rejectionOf(FindingsTable.fromBytes(new Uint8Array()));
    expect(JSON.parse(JSON.stringify(error))).toMatchObject({ code: "bytes", reason: "truncated" });
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
  /** A table that lacks these partitions of six. @param {number[]} missing */
  const lacking = async (missing) => {
    const wire = new Wire({
      partitions: 6,
      respond: ({ index }) => (missing.includes(index) ? refused(410) : undefined),
    });
    const error = await rejectionOf(clientOf(wire).loadTable(1, "topics", { failurePolicy: "collect" }));
    const table = /** @type {Table} */ (error.table);
    freeAfterTest(table);
    return table;
  };

  test.for(["loadTable", "watchTable"])("%s requests only the counts and the missing partitions", async (method) => {
    for (const missing of [[], [4], [0, 2, 5], [0, 1, 2, 3, 4, 5]]) {
      const earlier =
        missing.length === 0
          ? await clientOf(new Wire({ partitions: 6 })).loadTable(1, "topics")
          : await lacking(missing);
      expect(earlier.partitions).toEqual([0, 1, 2, 3, 4, 5].filter((index) => !missing.includes(index)));
      for (const from of [earlier, await reopened(earlier)]) {
        const wire = new Wire({ partitions: 6 });
        const client = clientOf(wire);
        const options = { from };
        const table = await (method === "loadTable"
          ? client.loadTable(1, "topics", options)
          : client.watchTable(1, "topics", options).done);
        expect(wire.indexes).toEqual([-1, ...missing]);
        expect(table.toArray()).toEqual(allFindings(6));
        expect([table.isComplete, table.partitions]).toEqual([true, [0, 1, 2, 3, 4, 5]]);
        expect(table.countBy(/** @type {string} */ ("Number"))).toEqual([
          { key: [0], count: 6 },
          { key: [1], count: 6 },
        ]);
        expect(from.length).toBe(12 - 2 * missing.length);
        table.free();
      }
    }
  });

  test.for([
    ["more partitions", countsOf(7)],
    ["another total", { ...countsOf(6), TopicFindings: 13 }],
    ["no total", { ...countsOf(6), TopicFindings: null }],
  ])("requests everything if the counts have changed to %s", async ([, counts]) => {
    const from = await lacking([2]);
    const wire = new Wire({ counts });
    const partitions = /** @type {any} */ (counts).TopicPartitions;
    const table = await clientOf(wire).loadTable(1, "topics", { from, completeness: "off" });
    expect(wire.indexes.toSorted((one, other) => one - other)).toEqual([-1, ...Array(partitions).keys()]);
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
    expect(wire.indexes.toSorted((one, other) => one - other)).toEqual([-1, -1, 1, 4, 4]);
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
    for (const [from, requested] of /** @type {[Table, number[]][]} */ ([
      [first, [-1, 0, 1, 2, 3, 4, 5]],
      [partial, [-1, 3, 4, 5]],
      [await reopened(partial), [-1, 3, 4, 5]],
    ])) {
      const next = new Wire({ partitions: 6 });
      const watched = clientOf(next).watchTable(1, "topics", { from });
      expect((await watched.done).toArray()).toEqual(allFindings(6));
      expect(watched.getSnapshot().table.toArray()).toEqual(allFindings(6));
      expect(next.indexes).toEqual(requested);
    }
    await rejectionOf(live.done);
  });

  test.for([
    ["another inspection", { inspectionKey: 2 }],
    ["another kind", { kind: "sentiment" }],
    ["a view", { view: true }],
    ["a saved view", { view: true, saved: true }],
    ["a single partition", { single: true }],
    ["a freed table", { freed: true }],
    ["no table", { given: {} }],
    ["null", { given: null }],
  ])("with %s is a TypeError, without a request", async ([, given]) => {
    const { inspectionKey = 1, kind = "topics", view, saved, single, freed, ...rest } = /** @type {any} */ (given);
    const client = clientOf(new Wire());
    const whole = single ? await client.loadPartition(1, "topics", 0) : await client.loadTable(1, "topics");
    const table = view ? whole.filter({}) : whole;
    const from = "given" in rest ? rest.given : saved ? await reopened(table) : table;
    if (freed) from.free();
    const wire = new Wire();
    expect(await rejectionOf(clientOf(wire).loadTable(inspectionKey, kind, { from }))).toBeInstanceOf(TypeError);
    expect(await rejectionOf(clientOf(wire).watchTable(inspectionKey, kind, { from }).done)).toBeInstanceOf(TypeError);
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
      expect((await rejectionOf(calling)).message).toMatch(
        /from does not apply to .*, only to loadTable and watchTable/,
      );
    }
    expect(wire.asked).toEqual([]);
  });

  test("of a service that gives no totals compares the numbers of partitions", async () => {
    const counts = { ...countsOf(3), TopicFindings: null };
    const from = await reopened(await clientOf(new Wire({ counts })).loadTable(1, "topics"));
    const wire = new Wire({ counts });
    expect((await clientOf(wire).loadTable(1, "topics", { from })).toArray()).toEqual(allFindings(3));
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
