/** Retries and timeouts, as far as JavaScript decides: statuses, random numbers, timers, dates, and a `fetch` that ignores its signal. */

import { getFindings, getPartition, preload } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, never } from "./outcome.js";
import { serve } from "./service.js";
import { useFakeClock } from "./timers.js";
import { quiet, refused, Wire } from "./wire.js";

test.for([200, 201, 203, 206, 299])("a status of %i is a success", async (status) => {
  serve({ respond: () => Response.json({ Findings: findingsOf(0) }, { status }) });
  expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
});

test.for([200, 204, 205])("a response of %i without a body is a decode failure, and not retried", async (status) => {
  serve({ respond: () => new Response(null, { status }) });
  const failure = await failureOf(getPartition(1, "topics", 0));
  expect(failure).toMatchObject({ code: "decode", attempts: 1, message: expect.stringContaining("no body") });
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
