/** Timeouts: of an attempt with all its parts, and of the whole call. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Clock, until } from "./clock.js";
import { testWith } from "./engine.js";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, never, pause } from "./outcome.js";
import { asked, noResponse, serve, started } from "./service.js";
import { Traffic } from "./traffic.js";

/** @type {Clock} */
let clock;

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
  clock = new Clock();
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** @type {[string, arrived: number, stalls: () => Promise<Response> | Response][]} how much of the response comes: headers, then pieces */
const stalling = [
  ["a service that does not respond", 0, noResponse],
  ["a body that stalls after its headers", 1, () => new Response(new ReadableStream())],
  ["a body that stalls in the middle", 2, () => new Response(started('{"Findings":[{"Number":'))],
  ["a body that stalls before its end", 2, () => new Response(started('{"Findings":[]}'))],
];

describe.for(stalling)("%s", ([, arrived, stalls]) => {
  const testOf = [
    test,
    testWith("headers before a body from the service worker"),
    testWith("streams to the service worker"),
  ][arrived];

  testOf("is a timeout, and its request is cancelled", async () => {
    const traffic = new Traffic();
    serve({ respond: stalls });
    const call = getPartition(1, "topics", 7, { timeout: 150, retries: 0, fetch: traffic.fetch });
    const outcome = failureOf(call);
    await hasStalled(traffic, 1, arrived);
    clock.pass(149);
    await pause(0);
    expect(traffic.trips.map(({ state }) => state)).toEqual(["open"]);
    clock.pass(1);
    const failure = await outcome;
    expect(failure).toMatchObject({
      code: "timeout",
      kind: "topics",
      inspectionKey: 1,
      partitionIndex: 7,
      attempts: 1,
    });
    expect(failure.message).toContain("150 ms");
    expect(traffic.trips.map(({ state }) => state)).toEqual(["cancelled"]);
    expect(traffic.trips[0].init.signal.aborted).toBe(true);
  });

  testOf("is retried, each time with the whole timeout", async () => {
    const traffic = new Traffic();
    serve({ respond: ({ count }) => (count <= 2 ? stalls() : undefined) });
    const call = getPartition(1, "topics", 0, { timeout: 150, fetch: traffic.fetch });
    for (const attempt of [1, 2]) {
      await hasStalled(traffic, attempt, arrived);
      clock.pass(149);
      await pause(0);
      expect(traffic.trips[attempt - 1].state).toBe("open");
      clock.pass(1);
    }
    expect(await call).toEqual(findingsOf(0));
    expect(traffic.trips.map(({ state }) => state)).toEqual(["cancelled", "cancelled", "read"]);
  });
});

testWith("streams to the service worker")("the service sees that a body is cancelled", async () => {
  const cancelled = vi.fn();
  serve({ respond: () => new Response(started(" ", cancelled)) });
  const traffic = new Traffic();
  const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 100, retries: 0, fetch: traffic.fetch }));
  await hasStalled(traffic, 1, 2);
  clock.pass(100);
  expect(await outcome).toMatchObject({ code: "timeout" });
  await until(() => cancelled.mock.calls.length > 0);
});

test("a fetch that ignores its signal still times out", async () => {
  const fetch = vi.fn(() => /** @type {Promise<any>} */ (never()));
  const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 50, retries: 1, fetch }));
  for (const attempt of [1, 2]) {
    await until(() => fetch.mock.calls.length === attempt);
    clock.pass(50);
  }
  expect(await outcome).toMatchObject({ code: "timeout", attempts: 2 });
  expect(fetch).toHaveBeenCalledTimes(2);
});

test("the headers function counts as part of the attempt", async () => {
  const headers = vi.fn(() => /** @type {Promise<any>} */ (never()));
  const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 50, retries: 1, headers }));
  for (const attempt of [1, 2]) {
    await until(() => headers.mock.calls.length === attempt);
    clock.pass(50);
  }
  expect(await outcome).toMatchObject({ code: "timeout", attempts: 2 });
  expect(headers).toHaveBeenCalledTimes(2);
  expect(asked).toEqual([]);
});

testWith("streams to the service worker")(
  "the headers function, the headers and the body share one timeout",
  async () => {
    serve({
      respond: async () => {
        await pause(100);
        return new Response(slow('{"Findings":[]}', 100));
      },
    });
    const headers = async () => {
      await pause(100);
      return {};
    };
    const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 220, retries: 0, headers }));
    for (const _part of ["the headers function", "the headers"]) {
      await clock.hasWaits(220, 100);
      clock.pass(100);
    }
    await clock.hasWaits(220, 100);
    clock.pass(20);
    expect(await outcome).toMatchObject({ code: "timeout" });
  },
);

testWith("streams to the service worker")("a body that arrives steadily times out as well", async () => {
  const traffic = new Traffic();
  serve({ respond: () => new Response(trickle()) });
  const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 150, retries: 0, fetch: traffic.fetch }));
  await until(() => traffic.trips[0]?.arrived > 10);
  clock.pass(150);
  expect(await outcome).toMatchObject({ code: "timeout" });
  expect(traffic.trips[0].state).toBe("cancelled");
});

test("the wait for a permit does not count", async () => {
  serve({
    partitions: 5,
    respond: async () => {
      await pause(80);
      return undefined;
    },
  });
  const call = getFindings(1, "topics", { concurrency: 1, timeout: 300, retries: 0 });
  // The counts, and one partition after the other.
  for (let request = 0; request < 6; request++) {
    await clock.hasWaits(300, 80);
    clock.pass(80);
  }
  expect(await call).toEqual(allFindings(5));
});

testWith("streams to the service worker")("the body of a failure that stalls keeps its status", async () => {
  serve({ respond: () => new Response(started('{"errors":["no'), { status: 404 }) });
  const traffic = new Traffic();
  const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 100, retries: 0, fetch: traffic.fetch }));
  await hasStalled(traffic, 1, 2);
  clock.pass(100);
  expect(await outcome).toMatchObject({ code: "http", status: 404 });
});

describe("totalTimeout", () => {
  test("ends the whole call, and is not retried", async () => {
    const traffic = new Traffic();
    serve({ partitions: 50, respond: () => pause(40).then(() => undefined) });
    const outcome = failureOf(getFindings(1, "sentiment", { totalTimeout: 250, concurrency: 2, fetch: traffic.fetch }));
    await clock.hasWaits(250, 30_000, 40);
    clock.pass(40);
    for (let passed = 40; passed < 240; passed += 40) {
      await clock.hasWaits(250, 30_000, 30_000, 40, 40);
      clock.pass(40);
    }
    await clock.hasWaits(250, 30_000, 30_000, 40, 40);
    clock.pass(10);
    const failure = await outcome;
    expect(failure).toMatchObject({ code: "timeout", kind: "sentiment", inspectionKey: 1 });
    expect(failure.message).toContain("250 ms");
    expect(failure.message).toContain("totalTimeout");
    expect(failure.partitionIndex).toBeUndefined();
    expect(traffic.open).toBe(0);
    const requests = traffic.trips.length;
    clock.pass(3_600_000);
    await until(() => clock.isAtRest);
    expect(traffic.trips).toHaveLength(requests);
  });

  test("ends a backoff", async () => {
    vi.mocked(Math.random).mockReturnValue(0.999);
    serve({ respond: () => new Response(null, { status: 500 }) });
    const outcome = failureOf(getPartitionCounts(1, { totalTimeout: 120 }));
    await clock.hasWaits(120, 300);
    clock.pass(120);
    expect(await outcome).toMatchObject({ code: "timeout" });
    expect(clock.waits).toEqual([]);
    expect(asked).toHaveLength(1);
  });

  test("ends the wait for a permit", async () => {
    serve({ respond: ({ inspectionKey }) => (inspectionKey === "1" ? noResponse() : undefined) });
    const client = new FindingsClient({ concurrency: 1 });
    const controller = new AbortController();
    const stuck = client.getPartition(1, "topics", 0, { signal: controller.signal });
    const outcome = failureOf(client.getPartition(2, "topics", 0, { totalTimeout: 80 }));
    await clock.hasWaits(30_000, 80);
    clock.pass(80);
    expect(await outcome).toMatchObject({ code: "timeout", inspectionKey: 2 });
    controller.abort("enough");
    await expect(stuck).rejects.toBe("enough");
    expect(await client.getPartition(2, "topics", 0)).toEqual(findingsOf(0));
    client.free();
  });

  test("ends the wait for the headers function", async () => {
    const headers = () => /** @type {Promise<any>} */ (never());
    const outcome = failureOf(getPartition(1, "topics", 0, { totalTimeout: 80, headers }));
    await clock.hasWaits(30_000, 80);
    clock.pass(80);
    expect(await outcome).toMatchObject({ code: "timeout" });
  });

  test("does not affect a call that ends in time", async () => {
    serve();
    expect(await getFindings(1, "topics", { totalTimeout: 5_000 })).toEqual(allFindings(3));
  });

  test("of a client is for each of its calls", async () => {
    serve({ respond: () => pause(150).then(() => undefined) });
    const client = new FindingsClient({ totalTimeout: 1_000 });
    for (let time = 0; time < 4; time++) {
      const call = client.getFindings(1, "topics");
      await clock.hasWaits(1_000, 30_000, 150);
      clock.pass(150);
      await clock.hasWaits(1_000, 30_000, 30_000, 30_000, 150, 150, 150);
      clock.pass(150);
      expect(await call).toEqual(allFindings(3));
    }
    client.free();
  });
});

/**
 * Waits for this number of requests, and for this number of parts of the last response.
 * @param {Traffic} traffic
 * @param {number} requests
 * @param {number} arrived
 */
async function hasStalled(traffic, requests, arrived) {
  await until(() => asked.length === requests && traffic.trips[requests - 1]?.arrived === arrived);
}

/**
 * A body that arrives after a delay.
 * @param {string} text
 * @param {number} milliseconds
 */
function slow(text, milliseconds) {
  return new ReadableStream({
    async start(controller) {
      await pause(milliseconds);
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}

/** A body that never ends. */
function trickle() {
  return new ReadableStream({
    async pull(controller) {
      await pause(5);
      controller.enqueue(new TextEncoder().encode(" "));
    },
  });
}
