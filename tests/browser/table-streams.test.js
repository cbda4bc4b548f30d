/** Partitions as tables: one of them, and streams of them, which keep the promises of their siblings with plain objects. */

import { FindingsTable } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { countsOf, findingsOf, upTo } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { likelyFinding } from "./tables.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

/** @typedef {import("inspection-findings").StreamOptions} StreamOptions */
/** @typedef {import("inspection-findings").TableStream<any>} TableStream */

const orders = /** @type {const} */ (["index", "completion"]);

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/**
 * Creates a stream of a new client.
 * @param {Wire} wire
 * @param {StreamOptions} [options]
 */
function streamOf(wire, options) {
  return clientOf(wire).streamTables(1, "topics", options);
}

/**
 * Reads what is left of a stream, and frees its tables.
 * @param {TableStream} stream
 */
async function rest(stream) {
  const partitions = [];
  for await (const { index, table } of stream) {
    partitions.push({ index, findings: table.toArray() });
    table.free();
  }
  return partitions;
}

/** @param {Wire} wire */
function requestedPartitions(wire) {
  return wire.indexes.filter((index) => index >= 0);
}

describe("loadPartition", () => {
  test("resolves with the findings of getPartition as a table, by one request", async () => {
    const wire = new Wire({ findings: (index) => upTo(5).map((number) => likelyFinding(5 * index + number)) });
    const client = clientOf(wire);
    using table = await client.loadPartition(1, "topics", 2);
    expect(table).toBeInstanceOf(FindingsTable);
    expect(wire.indexes).toEqual([2]);
    expect(table.toArray()).toEqual(await client.getPartition(1, "topics", 2));
    expect(table.countBy("Topic.Text")).toHaveLength(5);
  });

  test("gives a table that outlives its client until it is freed", async () => {
    const client = clientOf(new Wire());
    const table = await client.loadPartition(1, "topics", 0);
    client.free();
    expect(table.toArray()).toEqual(findingsOf(0));
    table.free();
    expect(() => table.length).toThrow(TypeError);
  });

  test("reports progress and partitions as getPartition does", async () => {
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

  test("rejects with an error that names the partition", async () => {
    const wire = new Wire({ respond: () => refused(404) });
    const failure = await failureOf(clientOf(wire).loadPartition(7, "topics", 2));
    expect(failure).toMatchObject({ code: "http", status: 404, kind: "topics", inspectionKey: 7, partitionIndex: 2 });
  });

  test("rejects with the findings that came with the errors of the service, as objects", async () => {
    const wire = new Wire({ respond: () => responseOf({ Findings: findingsOf(0), errors: ["no"] }) });
    const failure = await failureOf(clientOf(wire).loadPartition(1, "topics", 0));
    expect(failure).toMatchObject({ code: "service", messages: ["no"], findings: findingsOf(0) });
  });

  test("rejects with the reason of an abort, and leaves no listener", async () => {
    const wire = new Wire({ holds: () => true });
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const call = rejectionOf(clientOf(wire).loadPartition(1, "topics", 0, { signal: controller.signal }));
    await vi.waitUntil(() => wire.open.length === 1);
    controller.abort("enough");
    expect(await call).toBe("enough");
    expect([wire.open.length, listeners.left]).toEqual([0, 0]);
  });

  test.for(
    /** @type {[any[], any, RegExp][]} */ ([
      [[1.5, "topics", 0], RangeError, /inspectionKey/],
      [[1, "Topics", 0], TypeError, /kind/],
      [[1, "topics", -1], RangeError, /partitionIndex/],
      [[1, "topics"], TypeError, /partitionIndex/],
      [[1, "topics", 0, { retry: 1 }], TypeError, /"retry".*retries/],
    ]),
  )("rejects %j before any request", async ([given, type, message]) => {
    const wire = new Wire();
    const reason = await rejectionOf(/** @type {any} */ (clientOf(wire)).loadPartition(...given));
    expect(reason).toBeInstanceOf(type);
    expect(reason.message).toMatch(message);
    expect(wire.asked).toEqual([]);
  });
});

describe("streamTables", () => {
  test("sends no request before the first read", async () => {
    const wire = new Wire();
    const stream = streamOf(wire);
    stream.toReadableStream();
    await quiet();
    expect(wire.asked).toEqual([]);
    const { value } = await stream.next();
    expect(Object.keys(value ?? {})).toEqual(["index", "table"]);
    expect(value?.table).toBeInstanceOf(FindingsTable);
    await stream.return?.();
  });

  test.for(orders)("in the order of %s delivers what streamPartitions delivers", async (order) => {
    const wire = new Wire({
      partitions: 20,
      counts: { TopicPartitions: 20, TopicFindings: 60 },
      findings: (index) => upTo(3).map((number) => likelyFinding(10 * index + number)),
    });
    const client = clientOf(wire, { order });
    const byIndex = (/** @type {{ index: number }} */ one, /** @type {{ index: number }} */ other) =>
      one.index - other.index;
    const tables = await rest(client.streamTables(1, "topics"));
    const partitions = await Array.fromAsync(client.streamPartitions(1, "topics"));
    expect(tables.toSorted(byIndex)).toEqual(partitions.toSorted(byIndex));
  });

  test.for(orders)("in the order of %s delivers partitions that overtake each other", async (order) => {
    const wire = new Wire({ partitions: 3, holds: ({ index }) => index >= 0 });
    const reading = rest(streamOf(wire, { order }));
    await vi.waitUntil(() => wire.open.length === 3);
    for (const index of [2, 0, 1]) {
      wire.release(index);
      await quiet();
    }
    const read = await reading;
    expect(read.map(({ index }) => index)).toEqual(order === "index" ? [0, 1, 2] : [2, 0, 1]);
    expect(read.every(({ index, findings }) => findings[0].Partition === index)).toBe(true);
  });

  test("gives each partition its own table, which outlives the stream and the client", async () => {
    const client = clientOf(new Wire());
    const read = await Array.fromAsync(client.streamTables(1, "topics"));
    client.free();
    read[1]?.table.free();
    expect([read[0], read[2]].map((one) => one?.table.toArray())).toEqual([findingsOf(0), findingsOf(2)]);
    for (const { table } of read) table.free();
  });

  test("keeps `concurrency` partitions requested or unread", async () => {
    const wire = new Wire({ partitions: 12 });
    const stream = streamOf(wire, { concurrency: 3 });
    for (let read = 1; read <= 12; read++) {
      (await stream.next()).value?.table.free();
      await quiet();
      expect(requestedPartitions(wire)).toEqual(upTo(Math.min(12, read + 3)));
    }
    expect((await stream.next()).done).toBe(true);
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
      expect(requestedPartitions(wire)).toHaveLength(Math.min(20, read + 3));
    }
  });

  test("delivers every partition before one that fails, then rejects", async () => {
    const wire = new Wire({ partitions: 5, respond: ({ index }) => (index === 2 ? refused(404) : undefined) });
    const stream = streamOf(wire);
    for (const index of [0, 1]) {
      const { value } = await stream.next();
      expect(value?.index).toBe(index);
      value?.table.free();
    }
    expect(await failureOf(stream.next())).toMatchObject({ code: "http", status: 404, partitionIndex: 2 });
    expect(await stream.next()).toEqual({ done: true, value: undefined });
  });

  test("is incomplete at its end if the number of findings is not the total", async () => {
    const stream = streamOf(new Wire({ counts: { ...countsOf(3), TopicFindings: 7 } }));
    for (const _ of upTo(3)) (await stream.next()).value?.table.free();
    const failure = await failureOf(stream.next());
    expect(failure).toMatchObject({ code: "incomplete", expected: 7, received: 6 });
    expect((await stream.next()).done).toBe(true);
  });

  test("rejects with the reason of an abort", async () => {
    const wire = new Wire({ partitions: 9, holds: ({ index }) => index >= 1 });
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const stream = streamOf(wire, { signal: controller.signal });
    (await stream.next()).value?.table.free();
    const read = rejectionOf(stream.next());
    await quiet();
    controller.abort("enough");
    expect(await read).toBe("enough");
    expect(await stream.next()).toEqual({ done: true, value: undefined });
    expect([wire.open.length, listeners.left]).toEqual([0, 0]);
  });

  test("ends everything when a loop is left", async () => {
    const wire = new Wire({ partitions: 9, holds: ({ index }) => index >= 1 });
    for await (const { table } of streamOf(wire, { concurrency: 3 })) {
      table.free();
      break;
    }
    await vi.waitUntil(() => wire.open.length === 0);
    expect(wire.asked.length).toBeLessThan(6);
  });

  test('rejects a failurePolicy of "collect" and other wrong arguments by next()', async () => {
    const wire = new Wire();
    const client = /** @type {any} */ (clientOf(wire));
    for (const [given, type] of /** @type {[any[], any][]} */ ([
      [[1, "topics", { failurePolicy: "collect" }], TypeError],
      [[1, "Topics"], TypeError],
      [[1.5, "topics"], RangeError],
    ])) {
      const stream = client.streamTables(...given);
      expect(await rejectionOf(stream.next())).toBeInstanceOf(type);
      expect((await stream.next()).done).toBe(true);
    }
    expect(wire.asked).toEqual([]);
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
    await streamOf(new Wire({ partitions: 5 }))
      .toReadableStream()
      .pipeTo(writable);
    expect(written).toEqual(upTo(5).map((index) => [index, findingsOf(index)]));
  });

  test("frees the table of a read that it was cancelled during", async () => {
    const freed = vi.spyOn(FindingsTable.prototype, "free");
    const wire = new Wire({ partitions: 2 });
    const stream = streamOf(wire);
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
