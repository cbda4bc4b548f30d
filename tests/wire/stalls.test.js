/** Responses that stall: the connection stays open, but no more bytes arrive. */

import { getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { failureOf } from "../browser/outcome.js";
import { callsForAll } from "./calls.js";
import { allFindings } from "./inspection.js";
import { clock, outrun, serve, servePartition } from "./service.js";

/** @typedef {import("./server/manner.js").Manner} Manner */
/** @typedef {import("./server/manner.js").Stop["after"]} StopPoint */

const timeout = 250;

/** @type {[string, StopPoint][]} */
const places = [
  ["before the status line", { head: 0 }],
  ["within the headers", { head: 30 }],
  ["before the end of the headers", { head: -1 }],
  ["right after the headers", { body: 0 }],
  ["in the middle of the body", { body: 5_000 }],
  ["before the last byte of the body", { body: -1 }],
];

describe.for(places)("a response that stalls %s", ([, after]) => {
  test("exceeds timeout at every attempt, and each connection is closed", async () => {
    const service = await servePartition({ stop: { after, by: "stall" } });
    const options = { baseUrl: service.baseUrl, retries: 1, timeout };
    const failure = await failureOf(outrun(getPartition(1, "sentiment", 2, options), service, timeout));
    expect(failure).toMatchObject({ code: "timeout", kind: "sentiment", partitionIndex: 2, attempts: 2 });
    expect(failure.message).toContain(`${timeout} ms`);
    expect(await service.settled()).toEqual(["2 left", "2 left"]);
    await service.isLeftAlone();
  });
});

describe.for(callsForAll)("%s", ([, call]) => {
  test("survives that every first response stalls in its middle", async () => {
    const service = await serve({
      partitions: 8,
      rules: [{ times: 1, manner: { stop: { after: { body: 30 }, by: "stall" } } }],
    });
    // More would wait for a connection, and time out unsent.
    const options = { baseUrl: service.baseUrl, timeout, concurrency: 6 };
    expect(await outrun(call(options), service, timeout)).toEqual(allFindings(8));
    expect(await service.requestsPerPartition()).toEqual(Array(8).fill(2));
  });

  test("that exceeds totalTimeout cancels every request in flight", async () => {
    const service = await serve({
      partitions: 8,
      rules: [0, 1, 2, 3].map((index) => ({ index, manner: { stop: { after: { body: 5_000 }, by: "stall" } } })),
    });
    let isOver = false;
    const outcome = failureOf(call({ baseUrl: service.baseUrl, totalTimeout: 2_000, concurrency: 4 })).finally(() => {
      isOver = true;
    });
    await service.hasStalled(4);
    clock.pass(1_999);
    expect(await service.open()).toHaveLength(4);
    expect(isOver).toBe(false);
    clock.pass(1);
    const failure = await outcome;
    expect(failure).toMatchObject({ code: "timeout", kind: "topics" });
    expect(failure.message).toContain("totalTimeout of 2000 ms");
    const story = await service.settled();
    expect(story.toSorted()).toEqual(["0 left", "1 left", "2 left", "3 left", "counts responded"]);
  });
});

test("an http failure whose body stalls keeps its status, and is retried after the timeout", async () => {
  const service = await servePartition({ status: 503, stop: { after: { body: 5 }, by: "stall" } });
  /** @type {number[]} */
  const seen = [];
  const fetch = async (/** @type {string} */ href, /** @type {RequestInit} */ init) => {
    const response = await globalThis.fetch(href, init);
    seen.push(response.status);
    return response;
  };
  const outcome = failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 1, timeout, fetch }));
  for (const attempt of [1, 2]) {
    // Before its headers arrive, it would be a timeout like any other.
    await expect.poll(() => seen.length).toBe(attempt);
    await service.hasStalled(attempt);
    clock.pass(timeout);
  }
  const failure = await outcome;
  expect(failure).toMatchObject({ code: "http", status: 503, attempts: 2, messages: [] });
  expect(await service.settled()).toEqual(["0 left", "0 left"]);
});

test("the endless body of an http failure is not read to its end", async () => {
  const body = JSON.stringify({ errors: ["Busy."] });
  const service = await servePartition({ status: 404, body, padding: 24 * 1024 * 1024 });
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl }));
  expect(failure).toMatchObject({ code: "http", status: 404, attempts: 1, messages: ["Busy."] });
  expect(await service.settled()).toEqual(["0 left"]);
});
