/** Timeouts: of an attempt with all its parts, and of the whole call. */

import { getFindings, getPartition } from "inspection-findings";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Clock, until } from "./clock.js";
import { testWith } from "./engine.js";
import { allFindings } from "./inspection.js";
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

test("a service that does not respond is a timeout, and its request is cancelled", async () => {
  const traffic = new Traffic();
  serve({ respond: noResponse });
  const outcome = failureOf(getPartition(1, "topics", 7, { timeout: 150, retries: 0, fetch: traffic.fetch }));
  await hasStalled(traffic, 0);
  clock.pass(149);
  await pause(0);
  expect(traffic.trips.map(({ state }) => state)).toEqual(["open"]);
  clock.pass(1);
  const failure = await outcome;
  expect(failure).toMatchObject({ code: "timeout", kind: "topics", inspectionKey: 1, partitionIndex: 7, attempts: 1 });
  expect(failure.message).toContain("150 ms");
  expect(traffic.trips.map(({ state }) => state)).toEqual(["cancelled"]);
  expect(traffic.trips[0].init.signal.aborted).toBe(true);
});

testWith("streams to the service worker")("the service sees that a body is cancelled", async () => {
  const cancelled = vi.fn();
  serve({ respond: () => new Response(started(" ", cancelled)) });
  const traffic = new Traffic();
  const outcome = failureOf(getPartition(1, "topics", 0, { timeout: 100, retries: 0, fetch: traffic.fetch }));
  await hasStalled(traffic, 2);
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

test("totalTimeout ends the whole call, and is not retried", async () => {
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

/**
 * Waits for the request, and for this number of parts of its response: the headers, then pieces of the body.
 * @param {Traffic} traffic
 * @param {number} arrived
 */
async function hasStalled(traffic, arrived) {
  await until(() => asked.length === 1 && traffic.trips[0]?.arrived === arrived);
}
