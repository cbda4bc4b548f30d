/** The scheduler: the limits that the calls of one client share, and that a failing call returns its share. */

import { FindingsClient } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { allFindings, findingsOf, findingsOfAll, upTo } from "./inspection.js";
import { failureOf, rejectionOf } from "./outcome.js";
import { quiet, refused, responseOf, Wire } from "./wire.js";

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

describe("the retry budget of a client", () => {
  const noneLeft = /not retried because too many requests of this client have failed/;

  /**
   * A wire that can refuse every request.
   * @param {number[]} [always] keys of inspections that are refused always
   */
  function breakable(always = []) {
    const state = { isBroken: true };
    const wire = new Wire({
      partitions: 500,
      respond: ({ inspectionKey }) =>
        state.isBroken || always.includes(Number(inspectionKey)) ? refused(503) : undefined,
    });
    return { wire, state };
  }

  /**
   * The number of retries that a client makes before its budget is exhausted.
   * @param {FindingsClient} client
   * @param {number} [key]
   */
  async function retriesLeft(client, key = 1) {
    const failure = await failureOf(client.getPartition(key, "topics", 0, { retries: 1000 }));
    expect(failure.message).toMatch(noneLeft);
    return Number(failure.attempts) - 1;
  }

  test("is 100 retries, after which a failure is final and says so", async () => {
    const { wire } = breakable();
    const client = clientOf(wire, { retries: 1 });
    for (const index of upTo(100)) {
      const failure = await failureOf(client.getPartition(1, "topics", index));
      expect(failure).toMatchObject({ code: "http", status: 503, attempts: 2, partitionIndex: index });
      expect(failure.message).not.toMatch(noneLeft);
    }
    expect(wire.asked).toHaveLength(200);
    const failure = await failureOf(client.getPartition(1, "topics", 100));
    expect(failure).toMatchObject({ code: "http", status: 503, attempts: 1, messages: ["Refused with 503."] });
    expect(failure.message).toMatch(noneLeft);
    expect(wire.asked).toHaveLength(201);
  });

  test("can be exhausted by one request", async () => {
    const { wire } = breakable();
    expect(await retriesLeft(clientOf(wire))).toBe(100);
    expect(wire.asked).toHaveLength(101);
  });

  test("is not reduced by failures that are not retried, whose messages do not mention it", async () => {
    const wire = new Wire({ respond: ({ inspectionKey }) => (inspectionKey === "1" ? refused(503) : refused(404)) });
    const client = clientOf(wire);
    for (const retries of [0, 3]) {
      for (const _ of upTo(20)) {
        expect((await failureOf(client.getPartition(2, "topics", 0, { retries }))).message).not.toMatch(noneLeft);
      }
    }
    expect((await failureOf(client.getPartition(1, "topics", 0, { retries: 0 }))).message).not.toMatch(noneLeft);
    expect(await retriesLeft(client)).toBe(100);
  });

  test("regains one retry by five successes at the first attempt", async () => {
    const { wire, state } = breakable();
    const client = clientOf(wire);
    await retriesLeft(client);
    state.isBroken = false;
    for (const index of upTo(14)) {
      await client.getPartition(1, "topics", index);
    }
    state.isBroken = true;
    expect(await retriesLeft(client)).toBe(2);
    state.isBroken = false;
    await client.getPartition(1, "topics", 1);
    state.isBroken = true;
    // Four were left of the fourteen.
    expect(await retriesLeft(client)).toBe(1);
  });

  test("regains the cost of a successful retry", async () => {
    const wire = new Wire({
      respond: ({ inspectionKey, count }) => (inspectionKey === "1" || count === 1 ? refused(503) : undefined),
    });
    const client = clientOf(wire);
    for (const index of upTo(150)) {
      expect(await client.getPartition(2, "topics", index)).toEqual(findingsOf(index));
    }
    expect(await retriesLeft(client)).toBe(100);
  });

  test("never exceeds its initial size", async () => {
    const { wire, state } = breakable();
    const client = clientOf(wire);
    state.isBroken = false;
    await client.getFindings(1, "topics");
    state.isBroken = true;
    expect(await retriesLeft(client)).toBe(100);
  });

  test("is shared by all calls of the client", async () => {
    const { wire } = breakable();
    const client = clientOf(wire, { retries: 1000 });
    const failures = await Promise.all(upTo(6).map((key) => failureOf(client.getPartition(key, "topics", 0))));
    expect(wire.asked).toHaveLength(6 + 100);
    for (const { message } of failures) {
      expect(message).toMatch(noneLeft);
    }
    expect((await failureOf(client.getPartitionCounts(9))).attempts).toBe(1);
  });

  test("is shared by getFindings, whose failure names its partition", async () => {
    const wire = new Wire({ partitions: 9, respond: ({ index }) => (index === 4 ? refused(503) : undefined) });
    const client = clientOf(wire);
    const failure = await failureOf(client.getFindings(1, "topics", { retries: 1000 }));
    expect(failure).toMatchObject({ code: "http", partitionIndex: 4 });
    expect(failure.message).toMatch(noneLeft);
  });

  test("is not shared with another client", async () => {
    const { wire, state } = breakable([1]);
    await retriesLeft(clientOf(wire));
    state.isBroken = false;
    expect(await retriesLeft(clientOf(wire))).toBe(100);
  });
});

describe("of the calls of one client", () => {
  test("one that fails does not affect the others", async () => {
    const wire = new Wire({
      partitions: 12,
      holds: ({ inspectionKey, index }) => inspectionKey === "1" && index >= 0,
      respond: ({ inspectionKey, index }) => (inspectionKey === "2" && index === 5 ? refused(404) : undefined),
    });
    const client = clientOf(wire, { concurrency: 4 });
    const first = client.getFindings(1, "topics", { concurrency: 2 });
    const second = failureOf(client.getFindings(2, "topics"));
    const stream = client.streamPartitions(3, "topics", { order: "completion" });
    const pull = stream.next();
    expect(await second).toMatchObject({ partitionIndex: 5 });
    expect((await pull).value?.findings).toHaveLength(2);
    for (const _ of upTo(12)) {
      await vi.waitUntil(() => wire.open.some(({ inspectionKey }) => inspectionKey === "1"));
      for (const { inspectionKey, release } of wire.open) {
        if (inspectionKey === "1") {
          release();
        }
      }
      await quiet();
      if (
        wire.asked.filter(({ inspectionKey, state }) => inspectionKey === "1" && state === "responded").length === 13
      ) {
        break;
      }
    }
    expect(await first).toEqual(allFindings(12));
    expect(
      (await Array.fromAsync(stream)).map(({ index }) => index).toSorted((one, other) => one - other),
    ).toHaveLength(11);
    expect(wire.most).toBeLessThanOrEqual(4);
  });

  test("one that is aborted releases its permits and its bytes", async () => {
    const wire = new Wire({
      counts: { TopicPartitions: 8 },
      findings: (index) => [{ index, text: "x".repeat(10_000) }],
      holds: ({ inspectionKey, index }) => inspectionKey === "1" && index >= 0,
    });
    const client = clientOf(wire, { concurrency: 3, maxBufferedBytes: 25_000 });
    const controller = new AbortController();
    const stuck = rejectionOf(client.getFindings(1, "topics", { signal: controller.signal }));
    await vi.waitUntil(() => wire.open.length === 3);
    const other = client.getFindings(2, "topics");
    await quiet();
    expect(wire.asked.some(({ inspectionKey }) => inspectionKey === "2")).toBe(false);
    controller.abort("enough");
    expect(await stuck).toBe("enough");
    expect(await other).toHaveLength(8);
  });

  test("those that collect continue where others fail fast", async () => {
    const wire = new Wire({ partitions: 9, respond: ({ index }) => (index === 2 ? refused(404) : undefined) });
    const client = clientOf(wire);
    const [fast, collected] = await Promise.all([
      failureOf(client.getFindings(1, "topics")),
      failureOf(client.getFindings(2, "topics", { failurePolicy: "collect" })),
    ]);
    expect(fast).toMatchObject({ code: "http", partitionIndex: 2 });
    expect(collected).toMatchObject({ code: "partial", findings: findingsOfAll([0, 1, 3, 4, 5, 6, 7, 8]) });
  });

  test("all share the limit of concurrency, streams too", async () => {
    const wire = new Wire({ partitions: 9 });
    const client = clientOf(wire, { concurrency: 2 });
    const [findings, partitions, table] = await Promise.all([
      client.getFindings(1, "topics"),
      Array.fromAsync(client.streamPartitions(2, "topics")),
      client.loadTable(3, "sentiment"),
      client.getPartition(4, "topics", 3),
    ]);
    expect(findings).toEqual(allFindings(9));
    expect(partitions.flatMap(({ findings }) => findings)).toEqual(allFindings(9));
    expect(table.toArray()).toEqual(allFindings(9));
    table.free();
    expect(wire.most).toBe(2);
  });

  test("all share one byte budget, in which none starves", async () => {
    const text = "x".repeat(100_000);
    const wire = new Wire({ counts: { TopicPartitions: 12 }, findings: (index) => [{ index, text }] });
    const client = clientOf(wire, { concurrency: 10, maxBufferedBytes: 250_000 });
    const results = await Promise.all(upTo(5).map((key) => client.getFindings(key, "topics")));
    for (const findings of /** @type {any[][]} */ (results)) {
      expect(findings.map(({ index }) => index)).toEqual(upTo(12));
    }
  });

  test("bodies in flight reserve bytes by the sizes of earlier bodies of their call", async () => {
    const text = "x".repeat(100_000);
    const wire = new Wire({
      counts: { TopicPartitions: 30 },
      findings: (index) => [{ index, text }],
      holds: ({ index }) => index >= 10,
    });
    const client = clientOf(wire, { concurrency: 10, maxBufferedBytes: 350_000 });
    const call = client.getFindings(1, "topics");
    await vi.waitUntil(() => wire.open.length === 3);
    await quiet();
    expect(wire.open).toHaveLength(3);
    while (wire.asked.length < 31 || wire.open.length > 0) {
      for (const { release } of wire.open) {
        release();
      }
      await quiet();
      expect(wire.open.length).toBeLessThanOrEqual(3);
    }
    expect(await call).toHaveLength(30);
  });

  test("all wait for a Retry-After, whichever of them received it", async () => {
    const wire = new Wire({
      partitions: 4,
      respond: ({ inspectionKey, index, count }) =>
        inspectionKey === "1" && index === 0 && count === 1
          ? responseOf("", { status: 503, headers: { "retry-after": "2" } })
          : undefined,
    });
    const client = clientOf(wire);
    const first = client.getPartition(1, "topics", 0);
    await vi.waitUntil(() => wire.asked.length === 1 && wire.open.length === 0);
    await quiet();
    const stream = client.streamPartitions(2, "topics");
    const pull = stream.next();
    await quiet();
    expect(wire.asked).toHaveLength(1);
    expect(await first).toEqual(findingsOf(0));
    expect((await pull).value?.index).toBe(0);
    expect((await Array.fromAsync(stream)).map(({ index }) => index)).toEqual([1, 2, 3]);
  });
});
