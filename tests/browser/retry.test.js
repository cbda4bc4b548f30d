/** Retries: which failures are tried again, how often, after which wait, and what the service can ask for. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { refusal } from "../fake-backend/index.js";
import { allFindings, findingsOf } from "./inspection.js";
import { failureOf, pause } from "./outcome.js";
import { asked, askedPaths, serve } from "./service.js";
import { Traffic } from "./traffic.js";

/** The backoff is drawn at random: this is what is drawn. */
let drawn = 0;

beforeEach(() => {
  drawn = 0;
  vi.spyOn(Math, "random").mockImplementation(() => drawn);
});

afterEach(() => {
  vi.restoreAllMocks();
});

test.for([408, 429, 500, 502, 503, 504])(
  "a status of %i is tried again 3 times unless told otherwise",
  async (status) => {
    serve({ answer: () => new Response(null, { status }) });
    expect(await failureOf(getPartition(1, "topics", 2))).toMatchObject({
      code: "http",
      status,
      attempts: 4,
      kind: "topics",
      partitionIndex: 2,
      inspectionKey: 1,
    });
    expect(askedPaths()).toEqual(Array(4).fill("Findings/1/Topics/2"));
  },
);

test.for([400, 402, 404, 405, 409, 410, 418, 422, 425, 501, 505, 511, 599])(
  "a status of %i is not tried again",
  async (status) => {
    serve({ answer: () => new Response(null, { status }) });
    expect(await failureOf(getPartition(1, "topics", 0))).toMatchObject({ code: "http", status, attempts: 1 });
    expect(asked).toHaveLength(1);
  },
);

test.for([200, 201, 203, 206, 299])("a status of %i is a success", async (status) => {
  serve({ answer: () => Response.json({ Findings: findingsOf(0) }, { status }) });
  expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
});

test("an answer without a body is a decode failure, and not tried again", async () => {
  for (const status of [200, 204, 205]) {
    serve({ answer: () => new Response(null, { status }) });
    const failure = await failureOf(getPartition(1, "topics", 0));
    expect(failure).toMatchObject({ code: "decode", attempts: 1 });
    expect(failure.message).toContain("no body");
  }
});

test("retries of 0 are one attempt", async () => {
  serve({ answer: () => new Response(null, { status: 503 }) });
  expect(await failureOf(getPartition(1, "topics", 0, { retries: 0 }))).toMatchObject({ code: "http", attempts: 1 });
  expect(asked).toHaveLength(1);
});

test("retries are counted for each request", async () => {
  serve({ partitions: 4, answer: ({ count }) => (count <= 2 ? new Response(null, { status: 500 }) : undefined) });
  expect(await getFindings(1, "topics", { retries: 2 })).toEqual(allFindings(4));
  expect(asked).toHaveLength(5 * 3);
});

test("a request that is refused is a network failure and tried again", async () => {
  serve({ answer: ({ count }) => (count === 1 ? Response.error() : undefined) });
  expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
  expect(asked).toHaveLength(2);
});

test("a connection that is cut in the body is tried again, and nothing of the first body stays", async () => {
  const text = JSON.stringify({ Findings: findingsOf(0) });
  serve({ answer: ({ count }) => (count <= 2 ? cut(text.slice(0, count * 10)) : undefined) });
  expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
  expect(asked).toHaveLength(3);
});

test("what is wrong with an answer is not tried again", async () => {
  for (const [body, code] of [
    ["{", "decode"],
    ["[]", "decode"],
    ['{"Findings":null}', "decode"],
    ['{"errors":[],"Findings":[]}', "service"],
  ]) {
    serve({ answer: () => new Response(body) });
    expect(await failureOf(getPartition(1, "topics", 0))).toMatchObject({ code, attempts: 1 });
  }
  expect(asked).toHaveLength(4);
});

test("when the counts cannot be had nothing else is asked for", async () => {
  serve({ answer: () => new Response(null, { status: 500 }) });
  const failure = await failureOf(getFindings(1, "topics", { retries: 1 }));
  expect(failure).toMatchObject({ code: "http", status: 500, attempts: 2, kind: "topics" });
  expect(failure.partitionIndex).toBeUndefined();
  expect(askedPaths()).toEqual(["Findings/1", "Findings/1"]);
});

test("the first failure ends the call and cancels its other requests", async () => {
  const traffic = new Traffic();
  serve({
    partitions: 20,
    answer: async ({ index }) => {
      await pause(index === 3 ? 10 : 150);
      return index === 3 ? new Response(null, { status: 404 }) : undefined;
    },
  });
  expect(await failureOf(getFindings(1, "topics", { fetch: traffic.fetch }))).toMatchObject({
    partitionIndex: 3,
    status: 404,
  });
  expect(traffic.open).toBe(0);
  expect(traffic.trips.filter(({ state }) => state === "cancelled")).toHaveLength(5);
  const requests = traffic.trips.length;
  await pause(50);
  expect(traffic.trips).toHaveLength(requests);
});

describe("the backoff", () => {
  test.for([0.5, 0.999])("is drawn from twice the range each time, of which %f is drawn", async (share) => {
    drawn = share;
    const gaps = await gapsBetween(3, () => new Response(null, { status: 503 }));
    for (const [place, most] of [300, 600].entries()) {
      expect(gaps[place]).toBeGreaterThanOrEqual(share * most - 2);
      expect(gaps[place]).toBeLessThan(share * most + 150);
    }
  });

  test("may be nothing at all", async () => {
    const gaps = await gapsBetween(4, () => new Response(null, { status: 503 }));
    expect(Math.max(...gaps)).toBeLessThan(150);
  });

  test("keeps its slot", async () => {
    drawn = 0.999;
    serve({
      answer: ({ inspectionKey, count }) =>
        inspectionKey === "1" && count === 1 ? new Response(null, { status: 500 }) : undefined,
    });
    const client = new FindingsClient({ concurrency: 1 });
    const calls = [client.getPartition(1, "topics", 0), client.getPartition(2, "topics", 0)];
    expect(await Promise.all(calls)).toEqual([findingsOf(0), findingsOf(0)]);
    expect(asked.map(({ inspectionKey }) => inspectionKey)).toEqual(["1", "1", "2"]);
    client.free();
  });
});

describe("a Retry-After", () => {
  test("of seconds is waited for in place of the backoff", async () => {
    const [gap] = await gapsBetween(2, () => refusal(429, "Slowly.", { "retry-after": "1" }));
    expect(gap).toBeGreaterThanOrEqual(999);
    expect(gap).toBeLessThan(1300);
  });

  test("of 0 seconds is no wait at all", async () => {
    drawn = 0.999;
    const gaps = await gapsBetween(3, () => refusal(503, "Slowly.", { "retry-after": "0" }));
    expect(Math.max(...gaps)).toBeLessThan(150);
  });

  test("of a date is waited for until then", async () => {
    const until = Math.ceil(Date.now() / 1000 + 0.5) * 1000;
    serve({
      answer: ({ count }) =>
        count === 1 ? refusal(503, "Later.", { "retry-after": new Date(until).toUTCString() }) : undefined,
    });
    expect(await getPartition(1, "topics", 0)).toEqual(findingsOf(0));
    expect(Date.now()).toBeGreaterThanOrEqual(until - 5);
    expect(Date.now()).toBeLessThan(until + 300);
  });

  test("of a date in the past is no wait at all", async () => {
    const past = new Date(Date.now() - 60_000).toUTCString();
    const [gap] = await gapsBetween(2, () => refusal(503, "Later.", { "retry-after": past }));
    expect(gap).toBeLessThan(150);
  });

  test.for(["soon", "-1", "1.5", "", "1e9", "Someday, 01 Jan 2099"])(
    "of %j says nothing, and the backoff stands",
    async (header) => {
      const [gap] = await gapsBetween(2, () => refusal(503, "Later.", { "retry-after": header }));
      expect(gap).toBeLessThan(150);
      serve({ answer: () => refusal(503, "Later.", { "retry-after": header }) });
      expect((await failureOf(getPartition(1, "topics", 0, { retries: 0 }))).retryAfter).toBeUndefined();
    },
  );

  test("that is longer than a minute fails at once, unless told otherwise", async () => {
    serve({ answer: () => refusal(429, "Tomorrow.", { "retry-after": "61" }) });
    const start = performance.now();
    const failure = await failureOf(getPartition(1, "topics", 0));
    expect(failure).toMatchObject({
      code: "http",
      status: 429,
      attempts: 1,
      retryAfter: 61_000,
      messages: ["Tomorrow."],
    });
    expect(performance.now() - start).toBeLessThan(500);
    expect(asked).toHaveLength(1);
  });

  test("of a whole minute is waited for, unless told otherwise", async () => {
    serve({ answer: () => refusal(429, "In a minute.", { "retry-after": "60" }) });
    const outcome = getPartition(1, "topics", 0, { totalTimeout: 600_000, signal: AbortSignal.timeout(150) });
    await expect(outcome).rejects.toThrow(/timed out/);
    expect(asked).toHaveLength(1);
  });

  test("that is longer than maxRetryAfter fails at once", async () => {
    serve({ answer: () => refusal(503, "Later.", { "retry-after": "1" }) });
    const failure = await failureOf(getPartition(1, "topics", 0, { maxRetryAfter: 999 }));
    expect(failure).toMatchObject({ status: 503, attempts: 1, retryAfter: 1000 });
    serve({ answer: () => refusal(503, "Now.", { "retry-after": "0" }) });
    expect(await failureOf(getPartition(1, "topics", 0, { maxRetryAfter: 0 }))).toMatchObject({
      attempts: 4,
      retryAfter: 0,
    });
  });

  test("that reaches past totalTimeout fails at once, by its own failure", async () => {
    serve({ answer: () => refusal(429, "Slowly.", { "retry-after": "1" }) });
    const start = performance.now();
    const failure = await failureOf(getPartition(1, "topics", 0, { totalTimeout: 900 }));
    expect(failure).toMatchObject({ code: "http", status: 429, attempts: 1, retryAfter: 1000 });
    expect(performance.now() - start).toBeLessThan(500);
  });

  test("that lasts for ever is no wait for ever", async () => {
    serve({ answer: () => refusal(429, "Never.", { "retry-after": "9".repeat(400) }) });
    expect(await failureOf(getPartition(1, "topics", 0, { maxRetryAfter: 2 ** 31 - 1 }))).toMatchObject({
      code: "http",
      attempts: 1,
    });
  });

  test("pauses all new starts of the client, of other calls as well", async () => {
    const traffic = new Traffic();
    serve({
      partitions: 4,
      answer: ({ inspectionKey, index, count }) =>
        inspectionKey === "1" && index === 0 && count === 1
          ? refusal(429, "Slowly.", { "retry-after": "1" })
          : undefined,
    });
    const client = new FindingsClient({ fetch: traffic.fetch, concurrency: 2 });
    const first = client.getFindings(1, "topics");
    await vi.waitUntil(() =>
      traffic.trips.some(({ path, state }) => path === "Findings/1/Topics/0" && state !== "open"),
    );
    const refused = performance.now();
    const [findings, other] = await Promise.all([first, client.getFindings(2, "topics")]);
    expect(findings).toEqual(allFindings(4));
    expect(other).toEqual(allFindings(4));
    const early = traffic.trips.filter(({ at }) => at > refused + 20 && at < refused + 700);
    expect(early.map(({ path }) => path)).toEqual([]);
    client.free();
  });

  test("does not pause another client", async () => {
    serve({
      answer: ({ inspectionKey }) =>
        inspectionKey === "1" ? refusal(429, "Slowly.", { "retry-after": "30" }) : undefined,
    });
    const controller = new AbortController();
    const stuck = getPartition(1, "topics", 0, { signal: controller.signal });
    await pause(50);
    expect(await getPartition(2, "topics", 0)).toEqual(findingsOf(0));
    controller.abort("enough");
    await expect(stuck).rejects.toBe("enough");
  });

  test("is in the failure after the last attempt", async () => {
    serve({ answer: () => refusal(429, "Slowly.", { "retry-after": "0" }) });
    expect(await failureOf(getPartition(1, "topics", 0, { retries: 1 }))).toMatchObject({ attempts: 2, retryAfter: 0 });
  });
});

/**
 * The milliseconds between the requests for one partition, all but the last of which get that answer.
 * @param {number} requests
 * @param {() => Response} answer
 */
async function gapsBetween(requests, answer) {
  const traffic = new Traffic();
  serve({ answer: ({ count }) => (count < requests ? answer() : undefined) });
  expect(await getPartition(1, "topics", 0, { fetch: traffic.fetch })).toEqual(findingsOf(0));
  expect(traffic.trips).toHaveLength(requests);
  return traffic.trips.slice(1).map(({ at }, place) => at - traffic.trips[place].at);
}

/**
 * An answer whose connection is cut after that text.
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
