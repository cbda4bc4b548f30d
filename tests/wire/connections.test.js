/** Connections: at most six of a browser to one host, kept alive between requests if the service allows it, or none at all. */

import { expect, test } from "vitest";
import { failureOf, rejectionOf } from "../browser/outcome.js";
import { getFindings, getPartition } from "../browser/place.js";
import { allFindings } from "./inspection.js";
import { clock, serve } from "./service.js";

/** @typedef {import("./server/manner.js").Stop} Stop */

/** The most connections of a browser to one host over HTTP/1.1. */
const most = 6;

// A browser itself repeats a request on a new connection if an old one breaks before the response begins.
test("a reused connection that turns out to be broken needs no retry", async () => {
  const stop = /** @type {Stop} */ ({ after: { head: 0 }, by: "reset" });
  const service = await serve({ partitions: 12, rules: [{ reused: true, manner: { stop } }] });
  const options = { baseUrl: service.baseUrl, concurrency: 2, retries: 0 };
  expect(await getFindings(1, "topics", options)).toEqual(allFindings(12));
  const states = (await service.visits()).map(({ state }) => state);
  expect(states.filter((state) => state === "responded")).toHaveLength(13);
  expect(states).toContain("broken");
});

// A page cannot know whether a request waits for one of the six connections or for its response.
test("the timeout of a request includes its wait for a connection in the browser", async () => {
  const service = await serve({ partitions: 18, rules: [{ index: -1, manner: {} }, { manner: { held: true } }] });
  const timeout = 600;
  /** @type {string[]} */
  const states = [];
  const onPartition = (/** @type {{ state: string }} */ { state }) => void states.push(state);
  const options = { baseUrl: service.baseUrl, concurrency: 18, timeout, retries: 0, onPartition };
  const outcome = failureOf(getFindings(1, "topics", options));
  const reported = (/** @type {string} */ state) => states.filter((one) => one === state).length;
  await service.hasOpen(most);
  // The counts are requested, too.
  await expect.poll(() => reported("requested")).toBe(1 + 18);
  clock.pass(400);
  await service.release();
  // The next six have just been sent, and have 200 ms left.
  await expect.poll(async () => (await service.visits()).length).toBe(1 + 2 * most);
  await expect.poll(() => reported("received")).toBe(1 + most);
  clock.pass(200);
  expect(await outcome).toMatchObject({ code: "timeout", attempts: 1 });
  await service.settled();
  expect((await service.look()).most).toBe(most);
});

test("a request that waits for a connection when its call is aborted is never sent", async () => {
  const stop = /** @type {Stop} */ ({ after: { head: 0 }, by: "stall" });
  const service = await serve({ partitions: 20, rules: [{ index: -1, manner: {} }, { manner: { stop } }] });
  const controller = new AbortController();
  const call = rejectionOf(
    getFindings(1, "topics", { baseUrl: service.baseUrl, concurrency: 20, signal: controller.signal }),
  );
  await expect.poll(async () => (await service.visits()).length).toBe(1 + most);
  controller.abort("enough");
  expect(await call).toBe("enough");
  const story = await service.settled();
  expect(story.toSorted()).toEqual([...[0, 1, 2, 3, 4, 5].map((index) => `${index} left`), "counts responded"]);
});

/** @type {[name: string, baseUrl: () => Promise<string>][]} */
const unreachable = [
  // It is reserved for that.
  ["a host name that nobody has", async () => "http://nobody.invalid/"],
  [
    "a port that nobody listens to",
    async () => {
      const service = await serve();
      await service.close();
      return service.baseUrl;
    },
  ],
];

test.for(unreachable)("%s is a network failure, whose cause is the browser's error", async ([, baseUrl]) => {
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: await baseUrl(), retries: 1 }));
  expect(failure).toMatchObject({ code: "network", partitionIndex: 0, attempts: 2, messages: [] });
  expect(failure.cause).toMatchObject({ name: "TypeError", message: "Failed to fetch" });
});
