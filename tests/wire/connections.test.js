/** Connections: at most six of a browser to one host, kept alive between requests if the service allows it. */

import { describe, expect, test } from "vitest";
import { failureOf, rejectionOf } from "../browser/outcome.js";
import { getFindings } from "../browser/place.js";
import { callsForAll } from "./calls.js";
import { allFindings } from "./inspection.js";
import { clock, serve } from "./service.js";

/** @typedef {import("./server/manner.js").Stop} Stop */

/** The most connections of a browser to one host over HTTP/1.1. */
const most = 6;

/** Holds all requests but those for the counts. */
const heldPartitions = [{ index: -1, manner: {} }, { manner: { held: true } }];

describe.for(callsForAll)("%s", ([, call]) => {
  test("with a concurrency of 20 works over six connections", async () => {
    const service = await serve({ partitions: 40, rules: heldPartitions });
    const outcome = call({ baseUrl: service.baseUrl, concurrency: 20, retries: 0 });
    for (let done = 0; done < 40; done += most) {
      await service.hasOpen(Math.min(most, 40 - done));
      // Leaves time for the arrival of an excess request.
      await service.look();
      await service.release();
    }
    expect(await outcome).toEqual(allFindings(40));
    const sight = await service.look();
    expect(sight.most).toBe(most);
    expect(new Set(sight.visits.map(({ connection }) => connection)).size).toBe(most);
    expect(await service.requestsPerPartition()).toEqual(Array(40).fill(1));
  });

  // A browser itself repeats a request on a new connection if an old one breaks before the response begins.
  test.for(/** @type {const} */ (["close", "reset"]))(
    "needs no retry when reused connections turn out to be broken (%s)",
    async (by) => {
      const service = await serve({
        partitions: 12,
        rules: [{ reused: true, manner: { stop: { after: { head: 0 }, by } } }],
      });
      expect(await call({ baseUrl: service.baseUrl, concurrency: 2, retries: 0 })).toEqual(allFindings(12));
      const visits = await service.visits();
      expect(visits.filter(({ state }) => state === "responded")).toHaveLength(13);
      expect(visits.some(({ state }) => state === "broken")).toBe(true);
    },
  );
});

// A page cannot know whether a request waits for one of the six connections or for its response.
test("the timeout of a request includes its wait for a connection in the browser", async () => {
  const service = await serve({ partitions: 18, rules: heldPartitions });
  const timeout = 600;
  const options = { baseUrl: service.baseUrl, concurrency: 18, timeout, retries: 0 };
  const outcome = failureOf(getFindings(1, "topics", options));
  await service.hasOpen(most);
  await expect.poll(() => clock.timersLeft(timeout)).toBe(18);
  clock.pass(400);
  await service.release();
  // The next six have just been sent, and have 200 ms left.
  await expect.poll(async () => (await service.visits()).length).toBe(1 + 2 * most);
  await expect.poll(() => clock.timersLeft(timeout)).toBe(18 - most);
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
