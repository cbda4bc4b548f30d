/** Timeouts: one attempt with everything that belongs to it, and the whole call. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, never, pause } from "./outcome.js";
import { asked, noAnswer, serve, started } from "./service.js";
import { Traffic } from "./traffic.js";

beforeEach(() => {
  vi.spyOn(Math, "random").mockReturnValue(0);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** @type {Record<string, () => Promise<Response> | Response>} */
const stalling = {
  "a service that does not answer": noAnswer,
  "a body that stalls after its headers": () => new Response(new ReadableStream()),
  "a body that stalls in the middle": () => new Response(started('{"Findings":[{"Number":')),
  "a body that stalls before its end": () => new Response(started('{"Findings":[]}')),
};

describe.for(Object.entries(stalling))("%s", ([, stalls]) => {
  test("is a timeout, and its request is cancelled", async () => {
    const traffic = new Traffic();
    serve({ answer: stalls });
    const start = performance.now();
    const failure = await failureOf(getPartition(1, "topics", 7, { timeout: 150, retries: 0, fetch: traffic.fetch }));
    expect(failure).toMatchObject({
      code: "timeout",
      kind: "topics",
      inspectionKey: 1,
      partitionIndex: 7,
      attempts: 1,
    });
    expect(failure.message).toContain("150 ms");
    expect(performance.now() - start).toBeGreaterThanOrEqual(149);
    expect(performance.now() - start).toBeLessThan(500);
    expect(traffic.trips.map(({ state }) => state)).toEqual(["cancelled"]);
    expect(traffic.trips[0].init.signal.aborted).toBe(true);
  });

  test("is tried again, each time with the whole timeout", async () => {
    const traffic = new Traffic();
    serve({ answer: ({ count }) => (count <= 2 ? stalls() : undefined) });
    expect(await getPartition(1, "topics", 0, { timeout: 150, fetch: traffic.fetch })).toEqual(findingsOf(0));
    expect(traffic.trips.map(({ state }) => state)).toEqual(["cancelled", "cancelled", "read"]);
    expect(traffic.trips[2].at - traffic.trips[0].at).toBeGreaterThanOrEqual(298);
  });
});

test("the service sees that a body is no longer wanted", async () => {
  const cancelled = vi.fn();
  serve({ answer: () => new Response(new ReadableStream({ cancel: cancelled })) });
  expect(await failureOf(getPartition(1, "topics", 0, { timeout: 100, retries: 0 }))).toMatchObject({
    code: "timeout",
  });
  await vi.waitUntil(() => cancelled.mock.calls.length > 0);
});

test("a fetch that does not listen to its signal times out all the same", async () => {
  const fetch = vi.fn(() => /** @type {Promise<any>} */ (never()));
  expect(await failureOf(getPartition(1, "topics", 0, { timeout: 50, retries: 1, fetch }))).toMatchObject({
    code: "timeout",
    attempts: 2,
  });
  expect(fetch).toHaveBeenCalledTimes(2);
});

test("the headers function counts as part of the attempt", async () => {
  const headers = vi.fn(() => /** @type {Promise<any>} */ (never()));
  const failure = await failureOf(getPartition(1, "topics", 0, { timeout: 50, retries: 1, headers }));
  expect(failure).toMatchObject({ code: "timeout", attempts: 2 });
  expect(headers).toHaveBeenCalledTimes(2);
  expect(asked).toEqual([]);
});

test("the headers function, the headers and the body share one timeout", async () => {
  serve({
    answer: async () => {
      await pause(100);
      return new Response(slow('{"Findings":[]}', 100));
    },
  });
  const headers = async () => {
    await pause(100);
    return {};
  };
  expect(await failureOf(getPartition(1, "topics", 0, { timeout: 220, retries: 0, headers }))).toMatchObject({
    code: "timeout",
  });
});

test("a body that keeps coming is no exception", async () => {
  const traffic = new Traffic();
  serve({ answer: () => new Response(trickle()) });
  expect(
    await failureOf(getPartition(1, "topics", 0, { timeout: 150, retries: 0, fetch: traffic.fetch })),
  ).toMatchObject({ code: "timeout" });
  expect(traffic.trips[0].state).toBe("cancelled");
});

test("waiting for a slot does not count", async () => {
  serve({
    partitions: 5,
    answer: async () => {
      await pause(80);
      return undefined;
    },
  });
  expect(await getFindings(1, "topics", { concurrency: 1, timeout: 300, retries: 0 })).toEqual(allFindings(5));
});

test("the body of a failure that stalls keeps its status", async () => {
  serve({ answer: () => new Response(started('{"errors":["no'), { status: 404 }) });
  expect(await failureOf(getPartition(1, "topics", 0, { timeout: 100, retries: 0 }))).toMatchObject({
    code: "http",
    status: 404,
  });
});

describe("totalTimeout", () => {
  test("ends the whole call, and is not tried again", async () => {
    const traffic = new Traffic();
    serve({ partitions: 50, answer: () => pause(40).then(() => undefined) });
    const start = performance.now();
    const failure = await failureOf(
      getFindings(1, "sentiment", { totalTimeout: 250, concurrency: 2, fetch: traffic.fetch }),
    );
    expect(failure).toMatchObject({ code: "timeout", kind: "sentiment", inspectionKey: 1 });
    expect(failure.message).toContain("250 ms");
    expect(failure.message).toContain("totalTimeout");
    expect(failure.partitionIndex).toBeUndefined();
    expect(performance.now() - start).toBeGreaterThanOrEqual(249);
    expect(performance.now() - start).toBeLessThan(450);
    expect(traffic.open).toBe(0);
    const requests = traffic.trips.length;
    await pause(60);
    expect(traffic.trips).toHaveLength(requests);
  });

  test("ends a backoff", async () => {
    vi.mocked(Math.random).mockReturnValue(0.999);
    serve({ answer: () => new Response(null, { status: 500 }) });
    const start = performance.now();
    expect(await failureOf(getPartitionCounts(1, { totalTimeout: 120 }))).toMatchObject({ code: "timeout" });
    expect(performance.now() - start).toBeLessThan(280);
    expect(asked).toHaveLength(1);
  });

  test("ends the wait for a slot", async () => {
    serve({ answer: ({ inspectionKey }) => (inspectionKey === "1" ? noAnswer() : undefined) });
    const client = new FindingsClient({ concurrency: 1 });
    const controller = new AbortController();
    const stuck = client.getPartition(1, "topics", 0, { signal: controller.signal });
    expect(await failureOf(client.getPartition(2, "topics", 0, { totalTimeout: 80 }))).toMatchObject({
      code: "timeout",
      inspectionKey: 2,
    });
    controller.abort("enough");
    await expect(stuck).rejects.toBe("enough");
    expect(await client.getPartition(2, "topics", 0)).toEqual(findingsOf(0));
    client.free();
  });

  test("ends the wait for the headers function", async () => {
    const headers = () => /** @type {Promise<any>} */ (never());
    expect(await failureOf(getPartition(1, "topics", 0, { totalTimeout: 80, headers }))).toMatchObject({
      code: "timeout",
    });
  });

  test("does nothing to a call that ends in time", async () => {
    serve();
    expect(await getFindings(1, "topics", { totalTimeout: 5_000 })).toEqual(allFindings(3));
  });

  test("of a client is for each of its calls", async () => {
    serve({ answer: () => pause(150).then(() => undefined) });
    const client = new FindingsClient({ totalTimeout: 1_000 });
    for (let call = 0; call < 4; call++) {
      expect(await client.getFindings(1, "topics")).toEqual(allFindings(3));
    }
    client.free();
  });
});

/**
 * A body that comes after a while.
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
