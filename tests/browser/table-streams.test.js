/** Partitions as tables: one of them, and streams of them, which keep the promises of their siblings with plain objects. */

import { FindingsTable } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { findingsOf, upTo } from "./inspection.js";
import { failureOf } from "./outcome.js";
import { likelyFinding } from "./tables.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

/** @typedef {import("inspection-findings").TableStream<any>} TableStream */

/** Reads what is left of a stream, and frees its tables. @param {TableStream} stream */
async function rest(stream) {
  const partitions = [];
  for await (const { index, table } of stream) {
    partitions.push({ index, findings: table.toArray() });
    table.free();
  }
  return partitions;
}

describe("loadPartition", () => {
  test("gives a table that outlives its client until it is freed", async () => {
    const client = clientOf(new Wire());
    const table = await client.loadPartition(1, "topics", 0);
    client.free();
    expect(table.toArray()).toEqual(findingsOf(0));
    table.free();
    expect(() => table.length).toThrow(TypeError);
  });

  test("reports progress and partitions as getPartition does", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0);
    /** @param {"getPartition" | "loadPartition"} method */
    const reportsOf = async (method) => {
      /** @type {unknown[]} */
      const reports = [];
      const note = (/** @type {unknown} */ report) => void reports.push(report);
      const client = clientOf(new Wire({ respond: ({ count }) => (count === 1 ? refused(503) : undefined) }));
      const result = await client[method](1, "topics", 1, { onProgress: note, onPartition: note });
      if (result instanceof FindingsTable) freeAfterTest(result);
      return reports;
    };
    expect(await reportsOf("loadPartition")).toEqual(await reportsOf("getPartition"));
  });

  test("rejects with the findings that came with the errors of the service, as objects", async () => {
    const wire = new Wire({ respond: () => responseOf({ Findings: findingsOf(0), errors: ["no"] }) });
    const failure = await failureOf(clientOf(wire).loadPartition(1, "topics", 0));
    expect(failure).toMatchObject({ code: "service", messages: ["no"], findings: findingsOf(0) });
  });
});

describe("streamTables", () => {
  test.for(/** @type {const} */ (["index", "completion"]))(
    "in the order of %s delivers what streamPartitions delivers",
    async (order) => {
      const wire = new Wire({
        partitions: 20,
        counts: { TopicPartitions: 20, TopicFindings: 60 },
        findings: (index) => upTo(3).map((number) => likelyFinding(10 * index + number)),
      });
      const client = clientOf(wire, { order });
      const tables = Map.groupBy(await rest(client.streamTables(1, "topics")), ({ index }) => index);
      const partitions = await Array.fromAsync(client.streamPartitions(1, "topics"));
      expect(tables).toEqual(Map.groupBy(partitions, ({ index }) => index));
    },
  );

  test("gives each partition its own table, which outlives the stream and the client", async () => {
    const client = clientOf(new Wire());
    const read = await Array.fromAsync(client.streamTables(1, "topics"));
    client.free();
    read[1]?.table.free();
    expect([read[0], read[2]].map((one) => one?.table.toArray())).toEqual([findingsOf(0), findingsOf(2)]);
    for (const { table } of read) table.free();
  });

  test("bounds what is unread by maxBufferedBytes, but not what is read", async () => {
    const wire = new Wire({
      counts: { TopicPartitions: 20 },
      findings: (index) => [{ Partition: index, Text: "x".repeat(100_000) }],
    });
    const stream = clientOf(wire, { concurrency: 20 }).streamTables(1, "topics", { maxBufferedBytes: 350_000 });
    for (let read = 1; read <= 20; read++) {
      const { value } = await stream.next();
      freeAfterTest(/** @type {any} */ (value).table);
      await quiet();
      expect(wire.requested).toHaveLength(Math.min(20, read + 3));
    }
  });
});

describe("toReadableStream of tables", () => {
  test("can be piped to its end", async () => {
    /** @type {unknown[]} */
    const written = [];
    const writable = new WritableStream({
      write({ index, table }) {
        written.push([index, table.toArray()]);
        table.free();
      },
    });
    const stream = clientOf(new Wire({ partitions: 5 })).streamTables(1, "topics");
    await stream.toReadableStream().pipeTo(writable);
    expect(written).toEqual(upTo(5).map((index) => [index, findingsOf(index)]));
  });

  test("frees the table of a read that it was cancelled during", async () => {
    const freed = vi.spyOn(FindingsTable.prototype, "free");
    const wire = new Wire({ partitions: 2 });
    const stream = clientOf(wire).streamTables(1, "topics");
    const { next } = stream;
    const table = await clientOf(wire).loadPartition(1, "topics", 0);
    freeAfterTest(table);
    const { promise, resolve } = Promise.withResolvers();
    vi.spyOn(stream, "next").mockReturnValueOnce(/** @type {any} */ (promise));
    const reader = stream.toReadableStream().getReader();
    const read = reader.read();
    await quiet();
    await reader.cancel();
    expect(await read).toEqual({ done: true, value: undefined });
    expect(freed).not.toHaveBeenCalled();
    resolve({ done: false, value: { index: 0, table } });
    await quiet();
    expect(table.freed).toBe(true);
    expect(await next.call(stream)).toEqual({ done: true, value: undefined });
  });
});
