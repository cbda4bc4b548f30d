/** Endings: whatever ends a call, the service sees its connections closed and no further request. */

import { describe, expect, test } from "vitest";
import { has, inWorker } from "../page/engine.js";
import { failureOf, rejectionOf } from "../page/outcome.js";
import { FindingsClient, getFindings, getPartition } from "../page/place.js";
import { callsForAll } from "./calls.ts";
import type { Stop } from "./server/manner.ts";
import { outrun, serve, servePartition } from "./service.ts";

const places: [string, Stop["after"]][] = [
  ["before the status line", { head: 0 }],
  ["right after the headers", { body: 0 }],
  ["before the last byte of the body", { body: -1 }],
];

/**
 * A number of bytes of which less than half fits into the buffers between a service and a page: 32 MiB for what a socket has received, 4 MiB
 * for what it is to send, and what the browser itself keeps.
 */
const beyondAllBuffers = 128 * 1024 * 1024;

describe.for(callsForAll)("%s", ([, call]) => {
  // P13
  test.for(places)("aborted while its responses are %s closes every connection in flight", async ([, after]) => {
    const stalled = [0, 1, 2].map((index) => ({ index, manner: { stop: { after, by: "stall" as const } } }));
    const service = await serve({ partitions: 30, rules: stalled });
    const controller = new AbortController();
    const options = { baseUrl: service.baseUrl, concurrency: 3, signal: controller.signal };
    const outcome = rejectionOf(call(options));
    await service.hasStalled(3);
    controller.abort("enough");
    expect(await outcome).toBe("enough");
    const story = ["0 left", "1 left", "2 left", "counts responded"];
    expect((await service.settled()).toSorted()).toEqual(story);
    expect((await service.quiet()).toSorted()).toEqual(story);
  });
});

test("a partition that is too large rejects the call, which closes its connection and cancels the others", async () => {
  const service = await serve({
    rules: [
      // Only the client can end it.
      { index: 0, manner: { held: true, padding: beyondAllBuffers, stop: { after: { body: -5 }, by: "stall" } } },
      { index: 1, manner: { stop: { after: { body: 100 }, by: "stall" } } },
    ],
  });
  const outcome = failureOf(getFindings(1, "topics", { baseUrl: service.baseUrl, maxPartitionBytes: 1024 * 1024 }));
  await service.hasStalled(1);
  // Partitions 2 and 3 get their responses before the failure ends the call.
  await expect.poll(() => service.story()).toHaveLength(5);
  await service.hasOpen(2);
  await service.release();
  expect(await outcome).toMatchObject({ code: "too-large", kind: "topics", partitionIndex: 0, attempts: 1 });
  const story = await service.settled();
  expect(story.toSorted()).toEqual(["0 left", "1 left", "2 responded", "3 responded", "counts responded"]);
  const [tooLarge] = (await service.visits()).filter(({ index }) => index === 0);
  if (has("cancelled bodies that stop at once")) expect(tooLarge.sent).toBeLessThan(beyondAllBuffers / 2);
});

/** Sends the request in the page, so that a worker only decodes the body. */
const fetchInPage = (href: string, init: RequestInit) => fetch(href, init);

test.each([
  ["the page decodes it", {}],
  ["a worker would decode it", { worker: true, fetch: fetchInPage }],
])("an endless body is rejected as soon as it is too large, where %s", async (_where, how) => {
  const service = await servePartition({
    framing: "chunked",
    chunk: 1024 * 1024,
    // With less, the service may have sent everything before the page reads any of it.
    padding: beyondAllBuffers,
    stop: { after: { body: -5 }, by: "stall" },
  });
  const options = { baseUrl: service.baseUrl, maxPartitionBytes: 100_000, timeout: 2_000, retries: 1, ...how };
  // A worker notices it while it reads.
  if (inWorker) await new FindingsClient().preload();
  const failure = failureOf(
    outrun((reports) => getPartition(1, "topics", 0, { ...options, ...reports }), service, 2_000),
  );
  expect(await failure).toMatchObject({ code: "too-large", attempts: 1 });
  expect(await service.settled()).toEqual(["0 left"]);
});
