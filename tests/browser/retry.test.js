/** Retries: which failures are retried, how often, after which wait, and `Retry-After`. */

import { getPartition } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { refusal } from "../fake-backend/index.js";
import { Clock, until } from "./clock.js";
import { findingsOf } from "./inspection.js";
import { failureOf } from "./outcome.js";
import { asked, askedPaths, serve } from "./service.js";
import { Traffic } from "./traffic.js";

/** The random share of each backoff. */
let drawn = 0;

/** @type {Clock} */
let clock;

beforeEach(() => {
  clock = new Clock();
  drawn = 0;
  vi.spyOn(Math, "random").mockImplementation(() => drawn);
});

afterEach(() => {
  vi.restoreAllMocks();
});

test("a request is retried 3 times by default", async () => {
  serve({ respond: () => new Response(null, { status: 503 }) });
  expect(await failureOf(getPartition(1, "topics", 2))).toMatchObject({
    code: "http",
    status: 503,
    attempts: 4,
    kind: "topics",
    partitionIndex: 2,
    inspectionKey: 1,
  });
  expect(askedPaths()).toEqual(Array(4).fill("Findings/1/Topics/2"));
});

test.for([200, 201, 203, 206, 299])("a status of %i is a success", async (status) => {
  serve({ respond: () => Response.json({ Findings: findingsOf(0) }, { status }) });
  expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
});

test("a response without a body is a decode failure, and not retried", async () => {
  for (const status of [200, 204, 205]) {
    serve({ respond: () => new Response(null, { status }) });
    const failure = await failureOf(getPartition(1, "topics", 0));
    expect(failure).toMatchObject({ code: "decode", attempts: 1 });
    expect(failure.message).toContain("no body");
  }
});

describe("the backoff", () => {
  test("doubles its range each time, of which it draws a random share", async () => {
    drawn = 0.5;
    const waits = [300, 600].map((most) => Math.ceil(drawn * most));
    expect(await gapsBetween(3, () => new Response(null, { status: 503 }))).toEqual(waits);
  });
});

describe("a Retry-After", () => {
  test("of seconds is waited for in place of the backoff", async () => {
    expect(await gapsBetween(2, () => refusal(429, "Slowly.", { "retry-after": "1" }))).toEqual([1_000]);
  });

  test("of a date is waited for until then", async () => {
    const date = Date.UTC(2026, 0, 1, 12, 0, 30);
    vi.spyOn(Date, "now").mockReturnValue(date - 7_250);
    const later = { "retry-after": new Date(date).toUTCString() };
    expect(await gapsBetween(2, () => refusal(503, "Later.", later))).toEqual([7_250]);
  });

  test.for(["soon", "-1", "1.5", "", "1e9", "Someday, 01 Jan 2099", "Thu, 01 Jan 2099", "Thu Jan  1 00:00:00 2099"])(
    "of %j says nothing, and the backoff stands",
    async (header) => {
      drawn = 0.5;
      expect(await gapsBetween(2, () => refusal(503, "Later.", { "retry-after": header }))).toEqual([150]);
      serve({ respond: () => refusal(503, "Later.", { "retry-after": header }) });
      expect((await failureOf(getPartition(1, "topics", 0, { retries: 0 }))).retryAfter).toBeUndefined();
    },
  );

  test("that is longer than a minute fails at once by default", async () => {
    serve({ respond: () => refusal(429, "Tomorrow.", { "retry-after": "61" }) });
    const failure = await failureOf(getPartition(1, "topics", 0));
    expect(failure).toMatchObject({
      code: "http",
      status: 429,
      attempts: 1,
      retryAfter: 61_000,
      messages: ["Tomorrow."],
    });
    expect(asked).toHaveLength(1);
  });
});

/**
 * The milliseconds that pass between the requests for one partition, all but the last of which get that response. Nothing else passes
 * than what the package waits for.
 * @param {number} requests
 * @param {() => Response} respond
 */
async function gapsBetween(requests, respond) {
  const traffic = new Traffic();
  serve({ respond: ({ count }) => (count < requests ? respond() : undefined) });
  let isOver = false;
  const call = getPartition(1, "topics", 0, { fetch: traffic.fetch }).finally(() => {
    isOver = true;
  });
  await until(() => {
    // While a request is under way, its time is all that is waited for.
    if (clock.timersLeft(30_000) === 0 && clock.waits.length > 0) {
      clock.pass(Math.min(...clock.waits));
    }
    return isOver;
  });
  expect(await call).toEqual(findingsOf(0));
  expect(traffic.trips).toHaveLength(requests);
  return traffic.trips.slice(1).map(({ at }, place) => at - traffic.trips[place].at);
}
