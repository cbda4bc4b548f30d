/** Retries and timeouts, as far as JavaScript decides: statuses, random numbers, timers, dates, and a `fetch` that ignores its signal. */

import { getFindings, getPartition, preload } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, never } from "./outcome.js";
import { serve } from "./service.js";
import { useFakeClock } from "./timers.js";
import { quiet, refused, Wire } from "./wire.js";

test.for([200, 201, 203, 299])("a status of %i is a success", async (status) => {
  serve({ respond: () => Response.json({ Findings: findingsOf(0) }, { status }) });
  expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
});

test.for([204, 205, 206])("a status of %i is an http failure, and not retried", async (status) => {
  const body = status === 206 ? JSON.stringify({ Findings: findingsOf(0) }) : null;
  serve({ respond: () => new Response(body, { status }) });
  const failure = await failureOf(getPartition(1, "topics", 0));
  expect(failure).toMatchObject({ code: "http", status, attempts: 1, message: expect.stringContaining("body") });
});

describe("a body that is cut off", () => {
  const whole = JSON.stringify({ Findings: findingsOf(0) });
  /** @type {Record<string, [body: string | null, reason: string]>} */
  const bodies = {
    "in its JSON": [whole.slice(0, -9), "ends too early"],
    "in a character": ['{"Findings":[{"Text":"', "ends too early"],
    "before its first byte": [null, "no body"],
  };

  test.for(Object.entries(bodies))("%s is retried, and then a decode failure", async ([, [body, reason]]) => {
    const cut = () => new Response(body);
    serve({ respond: ({ count }) => (count === 1 ? cut() : undefined) });
    expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
    serve({ respond: cut });
    /** @type {unknown[]} */
    const codes = [];
    const onPartition = (/** @type {any} */ { error }) => void codes.push(error?.code);
    const failure = await failureOf(getPartition(1, "topics", 0, { retries: 1, onPartition }));
    expect(failure).toMatchObject({ code: "decode", attempts: 2, message: expect.stringContaining(reason) });
    expect(codes).toEqual([undefined, "network", "decode"]);
  });

  test("is a decode failure at once if it has the length that its headers state", async () => {
    const headers = { "content-length": String(whole.length - 9) };
    serve({ respond: () => new Response(whole.slice(0, -9), { headers }) });
    expect(await failureOf(getPartition(1, "topics", 0))).toMatchObject({ code: "decode", attempts: 1 });
  });
});

test("a 403 with a Retry-After limits a rate: it is retried, and an http failure", async () => {
  const headers = { "retry-after": "0" };
  serve({ respond: () => new Response(null, { status: 403, headers }) });
  const failure = await failureOf(getPartition(1, "topics", 0, { retries: 1 }));
  expect(failure).toMatchObject({ code: "http", status: 403, attempts: 2, retryAfter: 0 });
});

describe("by the clock of the test", () => {
  /** The random share of each backoff. */
  let drawn = 0;

  beforeEach(async () => {
    await preload();
    drawn = 0;
    vi.spyOn(Math, "random").mockImplementation(() => drawn);
    useFakeClock("setTimeout", "clearTimeout");
  });

  /** @param {number} milliseconds */
  async function pass(milliseconds) {
    await quiet();
    await vi.advanceTimersByTimeAsync(milliseconds);
    await quiet();
  }

  /**
   * The milliseconds between the requests for one partition, all but the last of which get this response.
   * @param {number} requests
   * @param {() => unknown} respond
   */
  async function gapsBetween(requests, respond) {
    /** @type {number[]} */
    const times = [];
    const wire = new Wire({
      respond: ({ count }) => {
        times.push(performance.now());
        return count < requests ? respond() : undefined;
      },
    });
    const call = getPartition(1, "topics", 0, { fetch: wire.fetch });
    while (times.length < requests) {
      await quiet();
      await vi.advanceTimersToNextTimerAsync();
    }
    expect(await call).toEqual(findingsOf(0));
    return times.slice(1).map((time, place) => Math.round(time - times[place]));
  }

  test("a backoff is a random share of a range that doubles each time", async () => {
    drawn = 0.5;
    expect(await gapsBetween(3, () => refused(503))).toEqual([150, 300]);
  });

  describe("a Retry-After", () => {
    const later = (/** @type {string} */ header) => () => refused(503, { headers: { "retry-after": header } });

    test("of a date is waited for until then", async () => {
      const date = Date.UTC(2026, 0, 1, 12, 0, 30);
      vi.setSystemTime(date - 7_250);
      expect(await gapsBetween(2, later(new Date(date).toUTCString()))).toEqual([7_250]);
    });

    test.for(["0", new Date(0).toUTCString()])("of %j is at least the backoff", async (header) => {
      drawn = 0.5;
      expect(await gapsBetween(3, later(header))).toEqual([150, 300]);
    });

    test("gets up to a tenth of jitter, so that pages do not retry together", async () => {
      drawn = 0.5;
      expect(await gapsBetween(2, later("10"))).toEqual([10_500]);
    });

    test.for(["soon", "Someday, 01 Jan 2099"])("of %j says nothing, and the backoff stands", async (header) => {
      drawn = 0.5;
      expect(await gapsBetween(2, later(header))).toEqual([150]);
      const { fetch } = new Wire({ respond: later(header) });
      expect((await failureOf(getPartition(1, "topics", 0, { retries: 0, fetch }))).retryAfter).toBeUndefined();
    });

    test.for([
      { seconds: 61, maxRetryAfter: undefined },
      { seconds: 2, maxRetryAfter: 1_000 },
    ])("of $seconds s fails at once above maxRetryAfter, a minute by default", async ({ seconds, maxRetryAfter }) => {
      const { fetch, asked } = new Wire({ respond: later(`${seconds}`) });
      const failure = await failureOf(getPartition(1, "topics", 0, { fetch, maxRetryAfter }));
      expect(failure).toMatchObject({ code: "http", status: 503, attempts: 1, retryAfter: seconds * 1_000 });
      expect(asked).toHaveLength(1);
    });
  });

  test("a fetch that ignores its signal still times out", async () => {
    const fetch = vi.fn(() => /** @type {Promise<any>} */ (never()));
    const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 50, retries: 1, fetch }));
    await pass(50);
    // The backoff, of no time.
    await pass(1);
    await pass(50);
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
