/** Retries: which failures are retried, how often, after which wait, and `Retry-After`. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { refusal } from "../fake-backend/index.js";
import { Clock, until } from "./clock.js";
import { testWith } from "./engine.js";
import { allFindings, findingsOf, usualConcurrency } from "./inspection.js";
import { failureOf, gate, pause } from "./outcome.js";
import { asked, askedPaths, noResponse, serve } from "./service.js";
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

test.for([408, 429, 500, 502, 503, 504])("a status of %i is retried 3 times by default", async (status) => {
  serve({ respond: () => new Response(null, { status }) });
  expect(await failureOf(getPartition(1, "topics", 2))).toMatchObject({
    code: "http",
    status,
    attempts: 4,
    kind: "topics",
    partitionIndex: 2,
    inspectionKey: 1,
  });
  expect(askedPaths()).toEqual(Array(4).fill("Findings/1/Topics/2"));
});

test.for([400, 402, 404, 405, 409, 410, 418, 422, 425, 501, 505, 511, 599])(
  "a status of %i is not retried",
  async (status) => {
    serve({ respond: () => new Response(null, { status }) });
    expect(await failureOf(getPartition(1, "topics", 0))).toMatchObject({ code: "http", status, attempts: 1 });
    expect(asked).toHaveLength(1);
  },
);

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

test("retries of 0 are one attempt", async () => {
  serve({ respond: () => new Response(null, { status: 503 }) });
  expect(await failureOf(getPartition(1, "topics", 0, { retries: 0 }))).toMatchObject({ code: "http", attempts: 1 });
  expect(asked).toHaveLength(1);
});

test("retries are counted for each request", async () => {
  serve({ partitions: 4, respond: ({ count }) => (count <= 2 ? new Response(null, { status: 500 }) : undefined) });
  expect(await getFindings(1, "topics", { retries: 2 })).toEqual(allFindings(4));
  expect(asked).toHaveLength(5 * 3);
});

test("a request that is refused is a network failure, and retried", async () => {
  serve({ respond: ({ count }) => (count === 1 ? Response.error() : undefined) });
  expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
  expect(asked).toHaveLength(2);
});

testWith("streams to the service worker")(
  "a connection that breaks during the body is retried, and nothing of the first body stays",
  async () => {
    const text = JSON.stringify({ Findings: findingsOf(0) });
    serve({ respond: ({ count }) => (count <= 2 ? cut(text.slice(0, count * 10)) : undefined) });
    expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
    expect(asked).toHaveLength(3);
  },
);

test("a wrong response is not retried", async () => {
  for (const [body, code] of [
    ["{", "decode"],
    ["[]", "decode"],
    ['{"Findings":null}', "decode"],
    ['{"errors":[],"Findings":[]}', "service"],
  ]) {
    serve({ respond: () => new Response(body) });
    expect(await failureOf(getPartition(1, "topics", 0))).toMatchObject({ code, attempts: 1 });
  }
  expect(asked).toHaveLength(4);
});

test("when the counts fail no partition is requested", async () => {
  serve({ respond: () => new Response(null, { status: 500 }) });
  const failure = await failureOf(getFindings(1, "topics", { retries: 1 }));
  expect(failure).toMatchObject({ code: "http", status: 500, attempts: 2, kind: "topics" });
  expect(failure.partitionIndex).toBeUndefined();
  expect(askedPaths()).toEqual(["Findings/1", "Findings/1"]);
});

test("the first failure ends the call and cancels its other requests", async () => {
  const traffic = new Traffic();
  const othersAreAsked = gate();
  serve({
    partitions: 20,
    respond: async ({ index }) => {
      if (index !== 3) {
        return index < 0 ? undefined : noResponse();
      }
      await othersAreAsked.promise;
      return new Response(null, { status: 404 });
    },
  });
  const outcome = failureOf(getFindings(1, "topics", { fetch: traffic.fetch }));
  await until(() => asked.length === 1 + usualConcurrency);
  othersAreAsked.resolve(undefined);
  expect(await outcome).toMatchObject({ partitionIndex: 3, status: 404 });
  expect(traffic.open).toBe(0);
  expect(traffic.trips.filter(({ state }) => state === "cancelled")).toHaveLength(usualConcurrency - 1);
  clock.pass(3_600_000);
  await until(() => clock.isAtRest);
  expect(traffic.trips).toHaveLength(1 + usualConcurrency);
});

describe("the backoff", () => {
  test.for([0.5, 0.999])("doubles its range each time; the random share is %f", async (share) => {
    drawn = share;
    const waits = [300, 600].map((most) => Math.ceil(share * most));
    expect(await gapsBetween(3, () => new Response(null, { status: 503 }))).toEqual(waits);
  });

  test("may be 0", async () => {
    expect(await gapsBetween(4, () => new Response(null, { status: 503 }))).toEqual([0, 0, 0]);
  });

  test("keeps its permit", async () => {
    drawn = 0.999;
    serve({
      respond: ({ inspectionKey, count }) =>
        inspectionKey === "1" && count === 1 ? new Response(null, { status: 500 }) : undefined,
    });
    const client = new FindingsClient({ concurrency: 1 });
    const calls = [client.getPartition(1, "topics", 0), client.getPartition(2, "topics", 0)];
    await clock.hasWaits(300);
    expect(asked).toHaveLength(1);
    clock.pass(300);
    expect(await Promise.all(calls)).toEqual([findingsOf(0), findingsOf(0)]);
    expect(asked.map(({ inspectionKey }) => inspectionKey)).toEqual(["1", "1", "2"]);
    client.free();
  });
});

describe("a Retry-After", () => {
  test("of seconds is waited for in place of the backoff", async () => {
    expect(await gapsBetween(2, () => refusal(429, "Slowly.", { "retry-after": "1" }))).toEqual([1_000]);
  });

  test("of 0 seconds does not wait", async () => {
    drawn = 0.999;
    expect(await gapsBetween(3, () => refusal(503, "Slowly.", { "retry-after": "0" }))).toEqual([0, 0]);
  });

  test("of a date is waited for until then", async () => {
    const date = Date.UTC(2026, 0, 1, 12, 0, 30);
    vi.spyOn(Date, "now").mockReturnValue(date - 7_250);
    const later = { "retry-after": new Date(date).toUTCString() };
    expect(await gapsBetween(2, () => refusal(503, "Later.", later))).toEqual([7_250]);
  });

  test("of a date in the past does not wait", async () => {
    drawn = 0.999;
    const past = new Date(Date.now() - 60_000).toUTCString();
    expect(await gapsBetween(2, () => refusal(503, "Later.", { "retry-after": past }))).toEqual([0]);
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

  test("of a whole minute is waited for by default", async () => {
    serve({
      respond: ({ count }) => (count === 1 ? refusal(429, "In a minute.", { "retry-after": "60" }) : undefined),
    });
    const call = getPartition(1, "topics", 0, { totalTimeout: 600_000 });
    await clock.hasWaits(60_000, 600_000);
    expect(asked).toHaveLength(1);
    clock.pass(60_000);
    expect(await call).toEqual(findingsOf(0));
  });

  test("that is longer than maxRetryAfter fails at once", async () => {
    serve({ respond: () => refusal(503, "Later.", { "retry-after": "1" }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { maxRetryAfter: 999 }));
    expect(failure).toMatchObject({ status: 503, attempts: 1, retryAfter: 1000 });
    expect(failure.message).toContain("asked to wait for 1000 ms, longer than the maxRetryAfter of 999 ms");
    serve({ respond: () => refusal(503, "Now.", { "retry-after": "0" }) });
    expect(await failureOf(getPartition(1, "topics", 0, { maxRetryAfter: 0 }))).toMatchObject({
      attempts: 4,
      retryAfter: 0,
    });
  });

  test("beyond totalTimeout fails at once, with the failure of the attempt", async () => {
    serve({ respond: () => refusal(429, "Slowly.", { "retry-after": "1" }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { totalTimeout: 900 }));
    expect(failure.message).toContain("asked to wait for 1000 ms, beyond the totalTimeout of 900 ms");
    expect(failure).toMatchObject({ code: "http", status: 429, attempts: 1, retryAfter: 1000 });
  });

  test("that never ends does not make the call wait forever", async () => {
    serve({ respond: () => refusal(429, "Never.", { "retry-after": "9".repeat(400) }) });
    expect(await failureOf(getPartition(1, "topics", 0, { maxRetryAfter: 2 ** 31 - 1 }))).toMatchObject({
      code: "http",
      attempts: 1,
    });
  });

  test("pauses all new requests of the client, also of other calls", async () => {
    const traffic = new Traffic();
    serve({
      partitions: 4,
      respond: ({ inspectionKey, index, count }) =>
        inspectionKey === "1" && index === 0 && count === 1
          ? refusal(429, "Slowly.", { "retry-after": "1" })
          : undefined,
    });
    const client = new FindingsClient({ fetch: traffic.fetch, concurrency: 2 });
    const first = client.getFindings(1, "topics");
    // The second partition of the first call was sent before the service required the pause.
    await until(() => clock.waits.length > 0 && clock.waits.every((wait) => wait === 1_000));
    const before = traffic.trips.length;
    const other = client.getFindings(2, "topics");
    clock.pass(999);
    await pause(0);
    expect(traffic.trips).toHaveLength(before);
    clock.pass(1);
    expect(await first).toEqual(allFindings(4));
    expect(await other).toEqual(allFindings(4));
    client.free();
  });

  test("does not pause another client", async () => {
    serve({
      respond: ({ inspectionKey }) =>
        inspectionKey === "1" ? refusal(429, "Slowly.", { "retry-after": "30" }) : undefined,
    });
    const controller = new AbortController();
    const stuck = getPartition(1, "topics", 0, { signal: controller.signal });
    await clock.hasWaits(30_000);
    await until(() => asked.length === 1);
    expect(await getPartition(2, "topics", 0)).toEqual(findingsOf(0));
    controller.abort("enough");
    await expect(stuck).rejects.toBe("enough");
  });

  test("is in the failure after the last attempt", async () => {
    serve({ respond: () => refusal(429, "Slowly.", { "retry-after": "0" }) });
    expect(await failureOf(getPartition(1, "topics", 0, { retries: 1 }))).toMatchObject({ attempts: 2, retryAfter: 0 });
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

/**
 * A response whose connection is cut after that text.
 * @param {string} text
 */
function cut(text) {
  return new Response(
    new ReadableStream({
      async start(controller) {
        controller.enqueue(new TextEncoder().encode(text));
        await pause(10);
        controller.error(new Error("cut"));
      },
    }),
  );
}
