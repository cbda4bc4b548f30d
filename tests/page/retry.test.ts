/**
 * Retries, timeouts, and the limits that the calls of a client share, as far as JavaScript decides: random numbers, timers, dates, events, and a `fetch`
 * that ignores its signal. The rules are proved in Rust.
 */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { allFindings, findingsOf, upTo, usualConcurrency } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { failureOf, never, outcomeOf, rejectionOf } from "./outcome.js";
import { useFakeClock, withoutBackoff } from "./timers.js";
import { type Asked, quiet, refused, Wire } from "./wire.js";

describe("by the clock of the test", () => {
  beforeEach(async () => {
    await new FindingsClient().preload();
    vi.spyOn(Math, "random").mockReturnValue(0.5);
    useFakeClock();
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
    ["a Retry-After that is no date by the backoff", () => later("Someday, 01 Jan 2099"), [150, 300]],
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

  // P18
  test("a Retry-After fails at once above maxRetryAfter, a minute by default", async () => {
    for (const [seconds, maxRetryAfter] of [[61], [2, 1_000]] as [number, number?][]) {
      const { fetch } = new Wire({ respond: () => later(`${seconds}`) });
      const failure = await failureOf(getPartition(1, "topics", 0, { fetch, maxRetryAfter }));
      expect(failure).toMatchObject({ code: "http", status: 503, attempts: 1, retryAfter: seconds * 1_000 });
    }
  });

  test("a Retry-After of 24 days is waited for with one timer a request", async () => {
    const { fetch, asked } = new Wire({ respond: () => later(`${24 * 24 * 3_600}`) });
    const started = vi.spyOn(globalThis, "setTimeout");
    const controller = new AbortController();
    const options = { maxRetryAfter: 2 ** 31 - 1, signal: controller.signal, fetch };
    const call = rejectionOf(getPartition(1, "topics", 0, options));
    // The timer of the attempt has to end first.
    await pass(31_000);
    expect(Math.max(...started.mock.calls.map(([, milliseconds = 0]) => milliseconds))).toBe(2 ** 31 - 1);
    expect(started.mock.calls.length).toBeLessThan(10);
    expect(asked).toHaveLength(1);
    controller.abort("enough");
    expect(await call).toBe("enough");
  });

  test("a fetch that ignores its signal still times out", async () => {
    const fetch = vi.fn(() => never() as Promise<never>);
    const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 50, retries: 1, fetch }));
    for (const milliseconds of [50, 150, 50]) await pass(milliseconds);
    expect(await outcome).toMatchObject({ code: "timeout", attempts: 2 });
    expect(fetch).toHaveBeenCalledTimes(2);
  });
});

// P13
test.for([
  ["by itself", 0.1],
  ["by the event that a device is online", 1_000],
  ["by an abort", 1_000],
] as const)("a backoff that ends %s leaves no listener for that event", async ([way, share]) => {
  const listeners = countListeners(window as any);
  // With a share of 1000, a backoff lasts far longer than the test may, were it waited for.
  vi.spyOn(Math, "random").mockReturnValue(share);
  const controller = new AbortController();
  const respond = ({ count }: Asked) => (count === 1 ? Promise.reject(new TypeError("Failed to fetch")) : undefined);
  const wire = new Wire({ respond });
  const call = outcomeOf(getPartition(1, "topics", 0, { fetch: wire.fetch, signal: controller.signal }));
  await vi.waitUntil(() => wire.asked.length >= 1 && listeners.added > 0);
  await quiet();
  if (way.includes("event")) window.dispatchEvent(new Event("online"));
  if (way === "by an abort") controller.abort("enough");
  expect(await call).toEqual(way === "by an abort" ? { reason: "enough" } : { value: findingsOf(0) });
  expect(listeners.left).toBe(0);
  Reflect.deleteProperty(window, "addEventListener");
  Reflect.deleteProperty(window, "removeEventListener");
});

describe("the concurrency", () => {
  test(`is ${usualConcurrency} by default`, async () => {
    const wire = new Wire({ partitions: 24 });
    expect(await getFindings(1, "topics", { fetch: wire.fetch })).toEqual(allFindings(24));
    expect(wire.most).toBe(usualConcurrency);
  });

  // P19
  test("and the retry budget are shared by all calls of a client and of its extensions, and by no other client", async () => {
    withoutBackoff();
    const wire = new Wire({ respond: () => refused(503) });
    for (const requests of [6 + 100, 2 * (6 + 100)]) {
      const client = clientOf(wire, { retries: 1000, concurrency: 2 });
      const extension = client.extend({ credentials: "omit" });
      const calls = upTo(6).map((key) => (key % 2 ? client : extension).getPartition(key, "topics", 0));
      const failures = await Promise.all(calls.map(failureOf));
      expect(wire.asked).toHaveLength(requests);
      expect(wire.most).toBe(2);
      for (const { message } of failures) {
        expect(message).toMatch(/not retried because too many requests of this client have failed/);
      }
    }
  });
});
