/** Only some columns of findings: the option `columns`, and `select`. Which fields of a finding remain is proved in Rust. */

import { toArrowIPC } from "inspection-findings/arrow";
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

test("a table, its queries and its Arrow stream have only the columns", async () => {
  using table = await clientWith([some]).loadTable(1, "topics", { columns: names });
  expect(table.columns).toEqual(["TopicGroup", "Topic.Text", "Sentiment"]);
  for (const name of ["Comment", "Topic", "Topic.Start", "Absent"]) {
    expect(() => table.countBy(name as any)).toThrow(RangeError);
  }
  expect(new TextDecoder().decode(toArrowIPC(table))).not.toMatch(/Comment|Start/);
  using misspelt = await clientWith([some]).loadTable(1, "topics", { columns: ["Coment"] });
  expect(() => misspelt.countBy("Comment")).toThrow(
    new RangeError('there is no column "Comment": the table has no columns; check the option columns'),
  );
});

test("an empty list counts the findings", async () => {
  const client = clientWith([some, some]);
  using table = await client.loadTable(1, "topics", { columns: [] });
  expect([table.length, table.columns, table.at(-1)]).toEqual([40, [], {}]);
  expect(table.countBy()).toEqual([{ key: [], count: 40 }]);
  expect(() => toArrowIPC(table)).not.toThrow();
  expect(await client.getFindings(1, "topics", { columns: [] })).toEqual(Array.from({ length: 40 }, () => ({})));
});

test("a client refuses columns, as it does a table to begin with", async () => {
  using client = new FindingsClient({ fetch: fetchOf([some]), ...({ columns: ["Comment"] } as object) });
  const message = /^columns does not apply to a client, only to getPartition, loadPartition, getFindings, loadTable, /;
  await expect(client.getFindings(1, "topics")).rejects.toThrow(message);
  await expect(client.loadTable(1, "topics", { columns: null })).rejects.toThrow(TypeError);
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
    for (const name of [1, "", null, "\ud83d"]) expect(() => table.select(name as any)).toThrow(TypeError);
    expect(() => table.select(...([["Topic"], "Comment"] as any))).toThrow(TypeError);
    using none = table.select() as Table;
    expect([none.length, none.columns, none.at(0)]).toEqual([20, [], {}]);
  });
});

describe("a saved table", () => {
  const columns = ["Sentiment", "Topic.Text"];
  const shuffled = ["Topic.Text", "Sentiment", "Topic.Text"];
  const others = { "other columns": ["Sentiment"], "no columns": [], "all columns": undefined };
  const keptSome = some.map((finding) => pruned(finding, [["Topic", "Text"], ["Sentiment"]]));
  const whole = [...keptSome, ...keptSome, ...keptSome];

  async function saved(columns: readonly string[] | undefined, missing: number[] = []) {
    const { wire } = wireOf(3, missing);
    const loading = clientOf(wire).loadTable(1, "topics", { columns, ...collect });
    const table = await loading.catch((error) => error.table);
    const again = freeAfterTest(await FindingsTable.fromBytes(table.toBytes()));
    expect(toArrowIPC(again)).toEqual(toArrowIPC(table));
    table.free();
    return again;
  }

  test.for([
    [[], [-1]],
    [[1], [-1, 1]],
  ])("that lacks %j continues with the same columns, in any order", async ([missing, asked]) => {
    const from = await saved(columns, missing);
    const [{ wire }, next] = [wireOf(3), wireOf(3)];
    using table = await clientOf(wire).loadTable(1, "topics", { from, columns: shuffled });
    expect(wire.indexes).toEqual(asked);
    expect(table.toArray()).toEqual(whole);
    using live = clientOf(next.wire).watchTable(1, "topics", { from, columns });
    expect(rowsOf(await live.done)).toEqual(whole);
    expect(next.wire.indexes).toEqual(asked);
  });

  test("can be the selected columns of another, which is continued as that of a call with these columns", async () => {
    const complete = await saved(undefined, [1]);
    using selected = complete.select(columns);
    const { wire } = wireOf(3);
    using table = await clientOf(wire).loadTable(1, "topics", { from: selected, columns: shuffled });
    expect(wire.indexes).toEqual([-1, 1]);
    expect(table.toArray()).toEqual(whole);
  });

  test.for(Object.entries(others))("cannot continue with %s", async ([, given]) => {
    for (const [one, other] of [
      [columns, given],
      [given, columns],
    ]) {
      const { wire } = wireOf(3);
      const call = clientOf(wire).loadTable(1, "topics", { from: await saved(one), columns: other });
      expect(await rejectionOf(call)).toMatchObject({ name: "TypeError", message: expect.stringContaining("columns") });
      expect(wire.asked).toEqual([]);
    }
  });
});
