/**
 * Retries, timeouts, and the limits that the calls of a client share, as far as JavaScript decides: statuses, random numbers, timers, dates, and a `fetch`
 * that ignores its signal. The rules are proved in Rust.
 */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { allFindings, findingsOf, upTo, usualConcurrency } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, never, outcomeOf, rejectionOf } from "./outcome.js";
import { serve } from "./service.js";
import { useFakeClock, withoutBackoff } from "./timers.js";
import { quiet, refused, Wire } from "./wire.js";

test.for([200, 201, 203, 299])("a status of %i is a success", async (status) => {
  serve({ respond: () => Response.json({ Findings: findingsOf(0) }, { status }) });
  expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
});

describe("by the clock of the test", () => {
  beforeEach(async () => {
    await new FindingsClient().preload();
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    useFakeClock("setTimeout", "clearTimeout");
  });

  async function pass(milliseconds: number) {
    await quiet();
    await vi.advanceTimersByTimeAsync(milliseconds);
    await quiet();
  }

  const later = (header: string) => refused(503, { headers: { "retry-after": header } });
  const date = Date.UTC(2026, 0, 1, 12, 0, 30);

  test.for<[said: string, respond: () => unknown, gaps: number[]]>([
    ["no Retry-After is followed by half of a range that doubles", () => refused(503), [150, 300]],
    ["a Retry-After of 0 by at least the backoff", () => later("0"), [150, 300]],
    ["a Retry-After of the past by at least the backoff", () => later(new Date(0).toUTCString()), [150, 300]],
    ["a Retry-After that is no number by the backoff", () => later("soon"), [150, 300]],
    ["a Retry-After that is no date by the backoff", () => later("Someday, 01 Jan 2099"), [150, 300]],
    ["a Retry-After of seconds by these and up to a tenth of them", () => later("10"), [10_500]],
    ["a Retry-After of a date by the wait until then", () => later(new Date(date).toUTCString()), [7_560]],
  ])("a refusal with %s", async ([, respond, gaps]) => {
    vi.setSystemTime(date - 7_200);
    const times: number[] = [];
    const wire = new Wire({
      respond: ({ count }) => {
        times.push(performance.now());
        return count <= gaps.length ? respond() : undefined;
      },
    });
    const call = getPartition(1, "topics", 0, { fetch: wire.fetch });
    while (times.length <= gaps.length) {
      await quiet();
      await vi.advanceTimersToNextTimerAsync();
    }
    expect(await call).toEqual(findingsOf(0));
    expect(times.slice(1).map((time, place) => time - times[place])).toEqual(gaps);
  });

  test("the error of a refusal whose Retry-After cannot be read has none", async () => {
    const { fetch } = new Wire({ respond: () => later("soon") });
    expect((await failureOf(getPartition(1, "topics", 0, { retries: 0, fetch }))).retryAfter).toBeUndefined();
  });

  test.for([
    { seconds: 61, maxRetryAfter: undefined },
    { seconds: 2, maxRetryAfter: 1_000 },
  ])("a Retry-After of $seconds s fails at once above maxRetryAfter, a minute by default", async (row) => {
    const { seconds, maxRetryAfter } = row;
    const { fetch, asked } = new Wire({ respond: () => later(`${seconds}`) });
    const failure = await failureOf(getPartition(1, "topics", 0, { fetch, maxRetryAfter }));
    expect(failure).toMatchObject({ code: "http", status: 503, attempts: 1, retryAfter: seconds * 1_000 });
    expect(asked).toHaveLength(1);
  });

  test("a Retry-After of 24 days is waited for with one timer a request", async () => {
    const days = 24 * 24 * 3_600;
    const wire = new Wire({ respond: () => later(`${days}`) });
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    const started = vi.spyOn(globalThis, "setTimeout");
    const controller = new AbortController();
    const { signal } = controller;
    const options = { maxRetryAfter: 2 ** 31 - 1, concurrency: 2, signal, fetch: wire.fetch };
    const client = new FindingsClient(options);
    const calls = upTo(3).map((index) => rejectionOf(client.getPartition(1, "topics", index)));
    await pass(3_000);
    expect(Math.max(...started.mock.calls.map(([, milliseconds = 0]) => milliseconds))).toBe(2 ** 31 - 1);
    expect(started.mock.calls.length).toBeLessThan(20);
    expect(wire.asked).toHaveLength(2);
    controller.abort("enough");
    expect(await Promise.all(calls)).toEqual(["enough", "enough", "enough"]);
    client.free();
  });

  test("a fetch that ignores its signal still times out", async () => {
    const fetch = vi.fn((): Promise<never> => never() as Promise<never>);
    const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 50, retries: 1, fetch }));
    for (const milliseconds of [50, 150, 50]) await pass(milliseconds);
    expect(await outcome).toMatchObject({ code: "timeout", attempts: 2 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });

  test("the wait for a permit does not count as part of an attempt", async () => {
    const wire = new Wire({ partitions: 5, holds: () => true });
    const call = getFindings(1, "topics", { concurrency: 1, timeout: 300, retries: 0, fetch: wire.fetch });
    // The counts, and one partition after the other.
    for (let request = 0; request < 6; request++) {
      await pass(250);
      for (const { release } of wire.open) release();
    }
    expect(await call).toEqual(allFindings(5));
  });
});

describe("the event that a device is online", () => {
  /** A wire whose first requests have no response, with backoffs of this share of their range. */
  function failing(requests: number, share: number) {
    vi.spyOn(Math, "random").mockReturnValue(share);
    const cause = new TypeError("Failed to fetch");
    return new Wire({ respond: ({ count }) => (count <= requests ? Promise.reject(cause) : undefined) });
  }

  /** A share with which a backoff lasts far longer than the test may, were it waited for. */
  const endless = 1000;

  test("ends a backoff early", async () => {
    const wire = failing(2, endless);
    const call = getPartition(1, "topics", 0, { fetch: wire.fetch });
    for (const asked of [1, 2]) {
      await vi.waitUntil(() => wire.asked.length === asked && wire.open.length === 0);
      await quiet();
      expect(wire.asked).toHaveLength(asked);
      window.dispatchEvent(new Event("online"));
    }
    expect(await call).toEqual(findingsOf(0));
  });

  test("has no listener left once a backoff ends by itself, by the event or by an abort", async () => {
    const listeners = countListeners(window as any);
    for (const way of ["by itself", "by the event", "by an abort"]) {
      const controller = new AbortController();
      const wire = failing(1, way === "by itself" ? 0.1 : endless);
      const call = outcomeOf(getPartition(1, "topics", 0, { fetch: wire.fetch, signal: controller.signal }));
      await vi.waitUntil(() => wire.asked.length >= 1 && listeners.added > 0);
      await quiet();
      if (way === "by the event") window.dispatchEvent(new Event("online"));
      if (way === "by an abort") controller.abort("enough");
      expect(await call, way).toEqual(way === "by an abort" ? { reason: "enough" } : { value: findingsOf(0) });
      expect(listeners.left, way).toBe(0);
    }
    Reflect.deleteProperty(window, "addEventListener");
    Reflect.deleteProperty(window, "removeEventListener");
  });
});

describe("the concurrency", () => {
  test(`is ${usualConcurrency} by default`, async () => {
    const wire = new Wire({ partitions: 24 });
    expect(await getFindings(1, "topics", { fetch: wire.fetch })).toEqual(allFindings(24));
    expect(wire.most).toBe(usualConcurrency);
  });

  test("of a client is shared by all its calls, streams too", async () => {
    const wire = new Wire({ partitions: 9 });
    const client = clientOf(wire, { concurrency: 2 });
    const [findings, partitions, table] = await Promise.all([
      client.getFindings(1, "topics"),
      Array.fromAsync(client.streamPartitions(2, "topics")),
      client.loadTable(3, "sentiment"),
      client.getPartition(4, "topics", 3),
    ]);
    const streamed = partitions.flatMap((partition) => partition.findings);
    for (const all of [findings, streamed, table.toArray()]) expect(all).toEqual(allFindings(9));
    table.free();
    expect(wire.most).toBe(2);
  });

  test("of a client is not exhausted by a call with a lower one", async () => {
    const wire = new Wire({ holds: ({ inspectionKey, index }) => inspectionKey === "1" && index === 0 });
    const client = clientOf(wire, { concurrency: 2 });
    const stuck = client.getFindings(1, "topics", { concurrency: 1 });
    expect(await client.getFindings(2, "topics")).toEqual(allFindings(3));
    await vi.waitUntil(() => wire.open.length === 1);
    wire.release(0);
    expect(await stuck).toEqual(allFindings(3));
  });
});

describe("the retry budget is 100 retries,", () => {
  const noneLeft = /not retried because too many requests of this client have failed/;

  beforeEach(withoutBackoff);

  test("which all calls of a client share, and a failure without one says so", async () => {
    const wire = new Wire({ respond: () => refused(503) });
    const client = clientOf(wire, { retries: 1000 });
    const failures = await Promise.all(upTo(6).map((key) => failureOf(client.getPartition(key, "topics", 0))));
    expect(wire.asked).toHaveLength(6 + 100);
    for (const { message } of failures) expect(message).toMatch(noneLeft);
    expect(await failureOf(client.getPartitionCounts(9))).toMatchObject({ attempts: 1, status: 503 });
  });

  test("which no other client shares, like all that calls of a client share", async () => {
    const wire = new Wire({ respond: () => refused(503) });
    for (const _ of upTo(2)) {
      const failure = await failureOf(clientOf(wire, { retries: 1000 }).getPartition(1, "topics", 0));
      expect(failure.attempts).toBe(101);
    }
  });
});
