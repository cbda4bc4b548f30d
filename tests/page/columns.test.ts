/** Only some columns of findings: the option `columns`, and `select`. Which fields of a finding remain is proved in Rust. */

import { describe, expect, test } from "vitest";
import { callsOfClient } from "./calls.js";
import { clientOf, freeAfterTest } from "./clients.js";
import { pruned } from "./model";
import { rejectionOf } from "./outcome.js";
import { FindingsClient, FindingsTable } from "./place.js";
import { fetchOf, likelyFindings, type Table } from "./tables.js";
import { refused, responseOf, Wire } from "./wire.js";
import { collect } from "./wires";

const { getPartitionCounts: _, ...calls } = callsOfClient;

function rowsOf(table: Table) {
  const rows = table.toArray();
  table.free();
  return rows;
}

function clientWith(partitions: Parameters<typeof fetchOf>[0]) {
  return freeAfterTest(new FindingsClient({ fetch: fetchOf(partitions) }));
}

const some = likelyFindings(20);
const names = ["Topic.Text", "TopicGroup", "Sentiment", "Absent", "Absent.Below"];
const prunedSome = some.map((finding) => pruned(finding, [["Topic", "Text"], ["TopicGroup"], ["Sentiment"]]));

/** The wire of an inspection whose partitions have these findings, and of which it refuses some until the test repairs them. */
function wireOf(partitions: number, indexes: number[] = []) {
  const missing = new Set(indexes);
  const respond = ({ index }: { index: number }) => (missing.has(index) ? refused(410) : undefined);
  const counts = { TopicPartitions: partitions, TopicFindings: partitions * some.length, errors: null };
  return { wire: new Wire({ counts, findings: () => some, respond }), missing };
}

test.for(Object.entries(calls))("%s gives only the columns", async ([, call]) => {
  expect(await call(clientWith([some]), 1, "topics", 0, { columns: names })).toEqual(prunedSome);
  const odd = [{ "a.b": { "\\": 1, c: 2 }, a: { b: 3 } }];
  expect(await call(clientWith([odd]), 1, "topics", 0, { columns: ["a\\.b.\\\\"] })).toEqual([{ "a.b": { "\\": 1 } }]);
});

test("a table refuses queries on the columns that it lacks", async () => {
  using table = await clientWith([some]).loadTable(1, "topics", { columns: names });
  expect(table.columns).toEqual(["TopicGroup", "Topic.Text", "Sentiment"]);
  for (const name of ["Comment", "Topic", "Topic.Start", "Absent"]) {
    expect(() => table.countBy(name as any)).toThrow(RangeError);
  }
  using misspelt = await clientWith([some]).loadTable(1, "topics", { columns: ["Coment"] });
  expect(() => misspelt.countBy("Comment")).toThrow(
    new RangeError('there is no column "Comment": the table has no columns; check the option columns'),
  );
});

test("an empty list counts the findings", async () => {
  const client = clientWith([some, some]);
  using table = await client.loadTable(1, "topics", { columns: [] });
  expect([table.length, table.columns, table.countBy()]).toEqual([40, [], [{ key: [], count: 40 }]]);
  expect(await client.getFindings(1, "topics", { columns: [] })).toEqual(Array(40).fill({}));
});

test("findings beside the errors of a service have only the columns", async () => {
  const wire = new Wire({ respond: () => responseOf({ Findings: some, errors: ["half"] }) });
  const error = await rejectionOf(clientOf(wire).getPartition(1, "topics", 0, { columns: names }));
  expect(error).toMatchObject({ code: "service", findings: prunedSome });
});

test("resume() keeps the columns, and takes no others", async () => {
  const { wire, missing } = wireOf(2, [1]);
  const client = clientOf(wire, collect);
  const error = await rejectionOf(client.getFindings(1, "topics", { columns: names }));
  expect(error.findings).toEqual(prunedSome);
  using live = client.watchTable(1, "topics", { columns: names });
  await rejectionOf(live.done);
  missing.clear();
  await expect(error.resume({ columns: ["Comment"] } as object)).rejects.toThrow("columns does not apply to this call");
  expect(await error.resume({ retries: 1 })).toEqual([...prunedSome, ...prunedSome]);
  live.resume();
  expect(rowsOf(await live.done)).toEqual([...prunedSome, ...prunedSome]);
});

describe("select", () => {
  test("leaves other fields out of findings without a shape, too", async () => {
    const body =
      '{"Findings":[{"a":1,"b":{"c":2},"b":{"c":4,"d":"hidden"},"e":5,"e":6},{"a":7,"b":{"c":5,"d":"hidden"}}]}';
    using table = (await clientWith([body]).loadTable(1, "topics")) as Table;
    using selected = table.select("a", "b.c");
    expect(selected.toArray()).toEqual([
      { a: 1, b: { c: 4 } },
      { a: 7, b: { c: 5 } },
    ]);
    expect(selected.columnsTruncated).toBe(true);
    const bytes = [table, selected].map((one) => new TextDecoder("latin1").decode(one.toBytes()));
    expect(bytes.map((text) => text.includes("hidden"))).toEqual([true, false]);
  });

  test("refuses a name without a column", async () => {
    using table = (await clientWith([some]).loadTable(1, "topics")) as Table;
    for (const name of ["Absent", "Top", "Comment.Text"]) {
      expect(() => table.select("Topic", name)).toThrow(RangeError);
      expect(() => table.select(name)).toThrow(`there is no column "${name}"; the columns are`);
    }
    for (const name of [1, null, "\ud83d"]) expect(() => table.select(name as any)).toThrow(TypeError);
    expect(() => table.select(...([["Topic"], "Comment"] as any))).toThrow(TypeError);
    using none = table.select() as Table;
    expect([none.length, none.columns, none.at(0)]).toEqual([20, [], {}]);
  });
});

describe("an earlier table", () => {
  const columns = ["Sentiment", "Topic.Text"];
  const shuffled = ["Topic.Text", "Sentiment", "Topic.Text"];
  const keptSome = some.map((finding) => pruned(finding, [["Topic", "Text"], ["Sentiment"]]));

  async function saved(columns: readonly string[] | undefined, missing: number[] = []): Promise<Table> {
    const loading = clientOf(wireOf(3, missing).wire).loadTable(1, "topics", { columns, ...collect });
    using table: Table = await loading.catch((error) => error.table);
    return freeAfterTest(await FindingsTable.fromBytes<any>(table.toBytes()));
  }

  test.for([
    ["from bytes", [-1, 1], () => saved(columns, [1])],
    ["from bytes that lacks nothing", [-1], () => saved(columns)],
    ["of selected columns", [-1, 1], async () => (await saved(undefined, [1])).select(...columns)],
  ] as [string, number[], () => Promise<Table>][])(
    "%s continues with the same columns, in any order",
    async ([, requests, make]) => {
      using from = await make();
      for (const same of [columns, shuffled]) {
        const { wire } = wireOf(3);
        const table = await clientOf(wire).loadTable(1, "topics", { from, columns: same });
        expect(rowsOf(table)).toEqual([...keptSome, ...keptSome, ...keptSome]);
        expect(wire.indexes).toEqual(requests);
      }
    },
  );

  test.for([
    [columns, ["Sentiment"]],
    [columns, []],
    [columns, undefined],
    [[], columns],
    [undefined, columns],
  ])("with the columns %j cannot continue with %j", async ([before, now]) => {
    const { wire } = wireOf(3);
    const call = clientOf(wire).loadTable(1, "topics", { from: await saved(before), columns: now });
    expect(await rejectionOf(call)).toMatchObject({ name: "TypeError", message: expect.stringContaining("columns") });
    expect(wire.asked).toEqual([]);
  });
});
