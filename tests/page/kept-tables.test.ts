/** Tables that outlive a visit: their bytes, and the calls that begin with an earlier table. */

import { FindingsClient, FindingsTable, type TableOptions } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { allFindings, upTo } from "./inspection.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { addresses, openRealm } from "./realm.js";
import { type Table, tableOf } from "./tables.js";
import { responseOf, Wire } from "./wire.js";
import { collect, holding, refusing } from "./wires";

describe("a table from bytes", () => {
  test("knows when it was saved, its partitions, and whether it is complete", async () => {
    vi.spyOn(Date, "now").mockReturnValue(1_700_000_000_000);
    const client = clientOf(new Wire());
    const table: Table = freeAfterTest(await client.loadTable(1, "topics"));
    const expected: [Table, number[], boolean][] = [
      [table, [0, 1, 2], true],
      [freeAfterTest(table.filter({ Number: 1 })), [], false],
      [freeAfterTest(table.sortBy("Number")), [], false],
      [freeAfterTest(await client.loadPartition(1, "topics", 2)), [2], false],
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

  const bodies = [
    { Findings: [{ Text: "a text that was accepted" }] },
    { Findings: [{ Text: "a text that was refused", "Refused key": [0.5] }], errors: ["Refused."] },
    { Findings: [{ Text: "a text that was refused", "Refused key": 0.5 }, 1] },
    '{"Findings":[{"Text":"a text that was refused","Refused key":0.5},{"Text":}]}',
  ];

  test.for([true, false])("has nothing of a refused partition (worker: %s)", async (worker) => {
    const respond = ({ index }: { index: number }) => (index < 0 ? undefined : responseOf(bodies[index]));
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
  test.for([
    ["foreign", () => new TextEncoder().encode('{"Findings":[]}')],
    ["version", (bytes) => bytes.with(8, Number(bytes[8]) + 1)],
    ["damaged", (bytes) => bytes.with(-1, Number(bytes.at(-1)) ^ 1)],
    ["truncated", (bytes) => bytes.subarray(0, -1)],
  ] as [string, (bytes: Uint8Array) => Uint8Array][])(
    "are refused as %s, which the JSON of the error says, too",
    async ([reason, changed]) => {
      const error = await failureOf(FindingsTable.fromBytes(changed((await tableOf([{ a: 1 }])).toBytes())));
      expect([error, JSON.parse(JSON.stringify(error))]).toMatchObject(Array(2).fill({ code: "bytes", reason }));
    },
  );

  /** What bytes say about a table of a call, and what they must not say instead. */
  const right = { of: "call", inspectionKey: 1, kind: "topics", total: 1, savedAt: 0.5 };
  const wrong: object[] = [
    ...["of", "inspectionKey", "kind", "savedAt"].map((name) => ({ [name]: undefined })),
    ...[{ of: "view", kind: undefined }, { of: "several", kind: "other" }, { of: "toString" }, { kind: "other" }],
    ...[{ inspectionKey: "1e3" }, { inspectionKey: 2 ** 60 }, { total: -1 }, { total: "1" }, { savedAt: "today" }],
    ...[{ counts: null }, { counts: { partitions: 0.5 } }],
  ];
  const said = wrong.map((one) => JSON.stringify({ ...right, counts: { partitions: 1, findings: null }, ...one }));

  test.for(["", "null", "{", ...said])("are damaged if they say %s about the table", async (about) => {
    const table = await tableOf([{ a: 1 }]);
    const saying = (text: string) => {
      vi.spyOn(JSON, "stringify").mockReturnValueOnce(text);
      return table.toBytes();
    };
    expect((await opened(saying(JSON.stringify(right)))).length).toBe(1);
    const error = await failureOf(FindingsTable.fromBytes(saying(about)));
    expect(error).toMatchObject({ code: "bytes", reason: "damaged" });
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
        expect(from.length).toBe(12 - 2 * missing.length);
      }
    }
  });

  test("does without it once the call has begun", async () => {
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
    expect(wire.indexes.toSorted()).toEqual([-1, -1, 1, 4, 4]);
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

  const fromOther = /^from was loaded from https:\/\/one\.example\/, not from https:\/\/other\.example\/cxi\/$/;
  const ofOther = (_: Table, client: FindingsClient): Promise<Table> =>
    client.extend({ baseUrl: "https://one.example" }).loadTable(1, "topics");
  const added = (table: Table) => table.with("New", { by: "Number", keys: [], values: [] });
  const ofAdded = /a table with an added column: pass the table without it, and call with\(\) on the result$/;
  const wrong: [string, (table: Table, client: FindingsClient) => any, RegExp?][] = [
    ["another inspection", (_, client) => client.loadTable(2, "topics")],
    ["another kind", (_, client) => client.loadTable(1, "sentiment")],
    ["another service", ofOther, fromOther],
    ["another service, saved,", async (...both) => reopened(await ofOther(...both)), fromOther],
    [
      "a view",
      (table) => table.filter({}),
      /^from must be a table of loadTable, .+ or FindingsTable\.fromBytes; got a view$/,
    ],
    ["a saved view", (table) => reopened(table.filter({})), /; the bytes are of a view$/],
    ["a view of the first snapshot", (_, client) => client.watchTable(1, "topics").getSnapshot().table.filter({})],
    ["a table with an added column", added, ofAdded],
    ["a saved table with an added column", (table) => reopened(added(table)), ofAdded],
    ["joined tables", (table) => FindingsTable.concat([table]), /; got joined tables$/],
    ["a single partition", (_, client) => client.loadPartition(1, "topics", 0), /; got a single partition$/],
    ["a freed table", freed, /has been freed: call free\(\) after its last use, or load it again$/],
    [
      "a table of another copy of the package",
      async (table) => (await (await openRealm()).load(addresses.entry)).FindingsTable.fromBytes(table.toBytes()),
      /^from must be a FindingsTable; got a FindingsTable of another copy or entry of the package$/,
    ],
  ];

  test.for(wrong)("with %s is a TypeError that names it, without a request", async ([, give, message = /^from /]) => {
    const baseUrl = "https://other.example/cxi/";
    const earlier = clientOf(new Wire(), { baseUrl });
    const from = await give(freeAfterTest(await earlier.loadTable(1, "topics")), earlier);
    const wire = new Wire();
    for (const begin of Object.values(begun)) {
      const error = await rejectionOf(begin(clientOf(wire, { baseUrl }), { from }));
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

function freed(table: Table) {
  table.free();
  return table;
}

async function opened(bytes: any): Promise<Table> {
  return freeAfterTest(await FindingsTable.fromBytes(bytes));
}

function reopened(table: Table) {
  return opened(table.toBytes());
}
