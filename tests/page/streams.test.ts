/** Streams of partitions and of tables: reading, read-ahead and endings in JavaScript. The order of what they deliver is proved in Rust. */

import { FindingsClient, type Partition, type PartitionStream, type StreamOptions } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { clientOf, freeAfterTest } from "./clients.js";
import { testWith } from "./engine.js";
import { collectGarbage } from "./garbage.js";
import { findingsOf, upTo } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, outcomeOf, rejectionOf } from "./outcome.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";
import { collect, holding } from "./wires";

const done = { done: true, value: undefined };

/** Creates a stream of a new client. */
function streamOf(wire: Wire, options?: StreamOptions) {
  const { concurrency, ...ofCall } = options ?? {};
  return clientOf(wire, { concurrency }).streamPartitions(1, "topics", ofCall);
}

/** The indexes of what is left of a stream. */
async function restOf(stream: AsyncIterable<Partition<any>>) {
  return (await Array.fromAsync(stream)).map(({ index }) => index);
}

describe("a stream", () => {
  test("sends no request before the first read, and is its own iterator, which for await can continue", async () => {
    const wire = new Wire();
    const stream = streamOf(wire);
    stream.toReadableStream();
    expect(stream[Symbol.asyncIterator]()).toBe(stream);
    await quiet();
    expect(wire.asked).toEqual([]);
    expect(await stream.next()).toEqual({ done: false, value: { index: 0, findings: findingsOf(0) } });
    expect(await restOf(stream)).toEqual([1, 2]);
  });

  test("causes no unhandled rejection by a read that nobody awaits", async () => {
    void streamOf(new Wire({ respond: () => refused(404) })).next();
    await quiet();
  });

  test.for<[string, (stream: PartitionStream<any>) => Promise<unknown>]>([
    ["its end", restOf],
    ["return()", async (stream) => [await stream.next(), await stream.return?.()]],
    ["a failure", (stream) => rejectionOf(restOf(stream))],
  ])("refuses another reader after %s", async ([end, read]) => {
    const wire = new Wire({ respond: () => (end === "a failure" ? refused(404) : undefined) });
    const again = (stream: PartitionStream<any>) => stream.toReadableStream().getReader().read();
    for (const reader of [restOf, again]) {
      const stream = streamOf(wire);
      await read(stream);
      const { length } = wire.asked;
      const reason = await rejectionOf(reader(stream));
      expect(reason).toEqual(new TypeError("this stream has ended, and can be read only once: call the client again"));
      expect(wire.asked).toHaveLength(length);
    }
  });

  test("that was left before it was read delivers nothing to a loop that begins later", async () => {
    const stream = streamOf(new Wire());
    await stream.return?.();
    expect(await restOf(stream)).toEqual([]);
  });

  test("settles parallel reads in their order, also when one of them fails", async () => {
    const wire = new Wire({
      holds: ({ index }) => index >= 0,
      respond: ({ index }) => (index === 2 ? refused(404) : undefined),
    });
    const stream = streamOf(wire);
    const settled: number[] = [];
    const pulls = upTo(5).map((place) => outcomeOf(stream.next().finally(() => settled.push(place))));
    await vi.waitUntil(() => wire.open.length === 3);
    for (const index of [1, 0, 2]) {
      wire.release(index);
      await quiet();
    }
    const told = (await Promise.all(pulls)).map(({ value, reason }) => reason?.code ?? value.value?.index);
    expect(told).toEqual([0, 1, "http", undefined, undefined]);
    expect(settled).toEqual(upTo(5));
  });
});

test.for(["streamPartitions", "streamTables"] as const)(
  'order: "completion" lets %s deliver what arrives first',
  async (method) => {
    const client = clientOf(new Wire({ holds: ({ index }) => index === 0 }), { order: "completion" });
    const stream = client[method](1, "topics");
    const indexes = [await stream.next(), await stream.next()].map(({ value }) => value?.index);
    expect(indexes.toSorted()).toEqual([1, 2]);
    await stream.return?.();
  },
);

// A body has a little more than 100 000 bytes, and its columns about as many: so 350 000 bytes are three of them.
// P12
test.for([
  { method: "streamPartitions", ofClient: { maxBufferedBytes: 350_000 }, ofCall: { maxBufferedBytes: 35_000_000 } },
  { method: "streamTables", ofClient: { maxBufferedBytes: 35_000_000 }, ofCall: { maxBufferedBytes: 350_000 } },
  { method: "streamPartitions", ofClient: { concurrency: 3 }, ofCall: { concurrency: 9 } },
  { method: "streamTables", ofClient: { concurrency: 9 }, ofCall: { concurrency: 3 } },
] as const)(
  "$method with $ofClient for the client and $ofCall for the call reads ahead by the lower one",
  async (row) => {
    const findings = (index: number) => [{ Partition: index, Text: "x".repeat(100_000) }];
    const wire = new Wire({ counts: { TopicPartitions: 30, TopicFindings: 30 }, findings });
    const client = clientOf(wire, { concurrency: 20, ...row.ofClient });
    // Tables that are read stay until the end.
    const stream = client[row.method](1, "topics", row.ofCall);
    for (let read = 1; !(await stream.next()).done; read++) {
      await quiet();
      expect(wire.requested).toHaveLength(Math.min(30, read + 3));
    }
  },
);

test('a failurePolicy of "collect" rejects next(), unless the call has another one', async () => {
  const wire = new Wire();
  const client = clientOf(wire, collect);
  for (const stream of [client.streamPartitions(1, "topics"), streamOf(wire, collect as object)]) {
    expect(await rejectionOf(stream.next())).toMatchObject({
      name: "TypeError",
      message: expect.stringMatching(/failurePolicy.*stream/),
    });
  }
  expect(wire.asked).toEqual([]);
  expect(await restOf(client.streamPartitions(1, "topics", { failurePolicy: "fail-fast" }))).toEqual(upTo(3));
});

describe("toReadableStream", () => {
  test("reads no further ahead than the stream itself", async () => {
    const wire = new Wire({ partitions: 12 });
    const readable = streamOf(wire, { concurrency: 3 }).toReadableStream();
    const reader = readable.getReader();
    await quiet();
    expect(wire.asked).toEqual([]);
    for (let read = 1; read <= 4; read++) {
      await reader.read();
      await quiet();
      expect(wire.requested).toEqual(upTo(read + 3));
    }
    await reader.cancel();
  });

  test("ends everything when it is cancelled while a read waits", async () => {
    const wire = holding(9, 1);
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    const stream = streamOf(wire, { concurrency: 3, signal: controller.signal });
    const reader = stream.toReadableStream().getReader();
    await reader.read();
    const read = reader.read();
    await vi.waitUntil(() => wire.open.length === 3);
    await reader.cancel();
    expect(await read).toEqual(done);
    await vi.waitUntil(() => wire.open.length === 0);
    expect([wire.cancelled.length, await stream.next(), listeners.left]).toEqual([3, done, 0]);
  });

  test("delivers what the iterator has not read, in index order, and fails with the error of the stream", async () => {
    const wire = new Wire({ partitions: 9, respond: ({ index }) => (index === 4 ? refused(404) : undefined) });
    const stream = streamOf(wire);
    await stream.next();
    const write = vi.fn();
    const failure = await failureOf(stream.toReadableStream().pipeTo(new WritableStream({ write })));
    expect(failure).toMatchObject({ code: "http", partitionIndex: 4 });
    expect(write.mock.calls.map(([{ index }]) => index)).toEqual([1, 2, 3]);
    expect((await stream.next()).done).toBe(true);
  });
});

test("a table outlives a stream that is left at any moment", async () => {
  // The table gets its partitions, and of each stream only the first comes.
  const wire = new Wire({ holds: ({ index, count }) => index > 0 && count > 1 });
  const client = clientOf(wire);
  using table = await client.loadTable(1, "topics");
  for (const reads of [0, 1]) {
    for (let microtasks = 0; microtasks <= 20; microtasks++) {
      const stream = client.streamPartitions(1, "topics");
      if (reads > 0) await stream.next();
      const read = stream.next();
      for (let left = microtasks; left > 0; left--) await undefined;
      await stream.return?.();
      await read;
      expect(table, `after ${microtasks} microtasks`).toHaveLength(6);
      await vi.waitUntil(() => wire.open.length === 0);
    }
  }
});

testWith("garbage collection")("an unreachable stream is ended", async () => {
  const wire = holding(9, 1);
  const { signal } = new AbortController();
  const client = clientOf(wire);
  await (async () => {
    // No timeout ends the requests instead.
    await client.streamPartitions(1, "topics", { signal, concurrency: 3, timeout: 600_000 }).next();
  })();
  await vi.waitUntil(() => wire.open.length === 3);
  await vi.waitUntil(async () => {
    await collectGarbage();
    return wire.open.length === 0;
  });
  expect(wire.cancelled).toHaveLength(3);
  expect(await client.getPartition(1, "topics", 0)).toEqual(findingsOf(0));
});

testWith("garbage collection")("an unreachable client lives as long as its stream", async () => {
  const wire = new Wire({ partitions: 9 });
  const stream = (() => new FindingsClient({ fetch: wire.fetch }).streamPartitions(1, "topics"))();
  await stream.next();
  await collectGarbage();
  expect(await restOf(stream)).toEqual(upTo(9).slice(1));
});

describe("a table of a partition", () => {
  test("outlives its stream and its client, and the tables of other partitions", async () => {
    const client = clientOf(new Wire());
    const read = await Array.fromAsync(client.streamTables(1, "topics"), ({ table }) => freeAfterTest(table));
    const alone = freeAfterTest(await client.loadPartition(1, "topics", 1));
    client.free();
    read[1]?.free();
    expect([read[0], alone, read[2]].map((table) => table?.toArray())).toEqual(upTo(3).map(findingsOf));
  });

  test("does not come with the errors of the service: their findings are objects", async () => {
    const wire = new Wire({ respond: () => responseOf({ Findings: findingsOf(0), errors: ["no"] }) });
    const failure = await failureOf(clientOf(wire).loadPartition(1, "topics", 0));
    expect(failure).toMatchObject({ code: "service", messages: ["no"], findings: findingsOf(0) });
  });

  test("is freed if its stream was cancelled during the read", async () => {
    const client = clientOf(new Wire());
    const stream = client.streamTables(1, "topics");
    const table = freeAfterTest(await client.loadPartition(1, "topics", 0));
    const { promise, resolve } = Promise.withResolvers<any>();
    vi.spyOn(stream, "next").mockReturnValueOnce(promise);
    const reader = stream.toReadableStream().getReader();
    const read = reader.read();
    await quiet();
    await reader.cancel();
    expect([await read, table.freed]).toEqual([done, false]);
    resolve({ done: false, value: { index: 0, table } });
    await quiet();
    expect([table.freed, await stream.next()]).toEqual([true, done]);
  });
});
