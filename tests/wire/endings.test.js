/** Endings: whatever ends a call, the service sees its connections closed and no further request. */

import { FindingsClient, getFindings, getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { has, inWorker } from "../browser/engine.js";
import { usualConcurrency } from "../browser/inspection.js";
import { failureOf, rejectionOf } from "../browser/outcome.js";
import { callsForAll } from "./calls.js";
import { allFindings, bodyLength, findingsEach, findingsOf } from "./inspection.js";
import { clock, outrun, serve, servePartition } from "./service.js";

/** @typedef {import("./server/manner.js").Stop["after"]} StopPoint */

/** @type {[string, StopPoint][]} */
const places = [
  ["before the status line", { head: 0 }],
  ["within the headers", { head: 30 }],
  ["right after the headers", { body: 0 }],
  ["in the middle of the body", { body: 5_000 }],
  ["before the last byte of the body", { body: -1 }],
];

/**
 * A number of bytes of which less than half fits into the buffers between a service and a page: 32 MiB for what a socket has received, 4 MiB
 * for what it is to send, and what the browser itself keeps.
 */
const beyondAllBuffers = 128 * 1024 * 1024;

describe.for(callsForAll)("%s", ([, call]) => {
  test.for(places)("aborted while its responses are %s closes every connection in flight", async ([, after]) => {
    const stalled = [0, 1, 2].map((index) => ({
      index,
      manner: { stop: { after, by: /** @type {const} */ ("stall") } },
    }));
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

  test("aborted among many partitions starts no other request", async () => {
    const service = await serve({ partitions: 60, rules: [{ manner: { pace: { bytes: 4_000, every: 5 } } }] });
    const controller = new AbortController();
    const onProgress = (/** @type {{ partitionsDone: number }} */ { partitionsDone }) =>
      partitionsDone === 10 && controller.abort("ten are enough");
    expect(await rejectionOf(call({ baseUrl: service.baseUrl, signal: controller.signal, onProgress }))).toBe(
      "ten are enough",
    );
    await service.settled();
    // One that waited for a connection can still arrive, so the requests are counted in the end only.
    const waitForWorker = inWorker ? usualConcurrency : 0;
    expect((await service.quiet()).length).toBeLessThanOrEqual(1 + 10 + usualConcurrency + waitForWorker);
  });

  test("resolves after many aborted calls", async () => {
    const service = await serve({
      partitions: 12,
      rules: [{ manner: { pace: { bytes: 4_000, every: 2 } } }],
    });
    for (let delay = 0; delay <= 60; delay += 6) {
      const outcome = await call({ baseUrl: service.baseUrl, signal: AbortSignal.timeout(delay) }).then(
        (findings) => findings.length,
        (reason) => reason.name,
      );
      expect([12 * findingsEach, "TimeoutError"]).toContain(outcome);
    }
    expect(await call({ baseUrl: service.baseUrl, retries: 0 })).toEqual(allFindings(12));
  });

  test("rejects a partition that is too large, closes its connection and cancels the others", async () => {
    const service = await serve({
      rules: [
        { index: 0, manner: { held: true, padding: beyondAllBuffers } },
        { index: 1, manner: { stop: { after: { body: 100 }, by: "stall" } } },
      ],
    });
    const outcome = failureOf(call({ baseUrl: service.baseUrl, maxPartitionBytes: 1024 * 1024 }));
    await service.hasStalled(1);
    // Partitions 2 and 3 get their responses before the failure ends the call.
    await expect.poll(() => service.story()).toHaveLength(5);
    await service.hasOpen(2);
    await service.release();
    expect(await outcome).toMatchObject({ code: "too-large", kind: "topics", partitionIndex: 0, attempts: 1 });
    const story = await service.settled();
    expect(story.toSorted()).toEqual(["0 left", "1 left", "2 responded", "3 responded", "counts responded"]);
    const [tooLarge] = (await service.visits()).filter(({ index }) => index === 0);
    expect(tooLarge.sent).toBeLessThan(beyondAllBuffers / 2);
  });
});

test("a body of exactly maxPartitionBytes is accepted, one byte more is rejected", async () => {
  const service = await serve();
  const options = { baseUrl: service.baseUrl, maxPartitionBytes: bodyLength(0) };
  expect(await getPartition(1, "topics", 0, options)).toEqual(findingsOf(0));
  const tooSmall = { ...options, maxPartitionBytes: bodyLength(0) - 1 };
  expect(await failureOf(getPartition(1, "topics", 0, tooSmall))).toMatchObject({ code: "too-large", attempts: 1 });
  expect(await service.settled()).toHaveLength(2);
});

test("an endless body is rejected as soon as it is too large, or by the timeout where the browser keeps it", async () => {
  const service = await servePartition({
    framing: "chunked",
    padding: 8 * 1024 * 1024,
    stop: { after: { body: -5 }, by: "stall" },
  });
  const options = { baseUrl: service.baseUrl, maxPartitionBytes: 100_000, timeout: 2_000, retries: 0 };
  const code = has("blobs outside of the page") ? "timeout" : "too-large";
  const failure = failureOf(outrun(getPartition(1, "topics", 0, options), service, 2_000));
  expect(await failure).toMatchObject({ code, attempts: 1 });
  expect(await service.settled()).toEqual(["0 left"]);
});

test("an abort during a backoff is followed by no request", async () => {
  const headers = { "retry-after": "2", "access-control-expose-headers": "retry-after" };
  const service = await servePartition({ status: 503, headers });
  const controller = new AbortController();
  const options = { baseUrl: service.baseUrl, signal: controller.signal };
  const outcome = rejectionOf(getPartition(1, "topics", 0, options));
  await expect.poll(() => clock.waits).toEqual([2_000]);
  controller.abort("enough");
  expect(await outcome).toBe("enough");
  expect(clock.waits).toEqual([]);
  expect(await service.quiet()).toEqual(["0 responded"]);
});

test("a client that is freed closes its own connections only", async () => {
  const stop = /** @type {const} */ ({ after: { body: 5_000 }, by: "stall" });
  const freed = await serve({ rules: [0, 1].map((index) => ({ index, manner: { stop } })) });
  const kept = await serve({ rules: [{ index: -1, manner: {} }, { manner: { held: true } }] });
  const client = new FindingsClient({ baseUrl: freed.baseUrl });
  const outcome = rejectionOf(client.getFindings(1, "topics"));
  const other = getFindings(1, "topics", { baseUrl: kept.baseUrl, retries: 0 });
  await freed.hasStalled(2);
  await freed.hasOpen(2);
  await kept.hasOpen(4);
  client.free();
  expect(await outcome).toBeInstanceOf(Error);
  expect((await freed.settled()).filter((step) => step.endsWith("left")).toSorted()).toEqual(["0 left", "1 left"]);
  await kept.release();
  expect(await other).toEqual(allFindings(4));
});

test("one caller's abort closes that caller's connections only", async () => {
  const service = await serve({
    partitions: 6,
    rules: [{ index: -1, manner: {} }, { manner: { held: true } }],
  });
  const client = new FindingsClient({ baseUrl: service.baseUrl, concurrency: 6 });
  const controller = new AbortController();
  const aborted = rejectionOf(client.getFindings(1, "topics", { signal: controller.signal, concurrency: 3 }));
  const openOf = async (/** @type {number} */ key) =>
    (await service.open()).filter(({ path }) => path.startsWith(`Findings/${key}/`)).length;
  await expect.poll(() => openOf(1)).toBe(3);
  // Not before: if its counts came first, it would have all permits.
  const other = client.getFindings(2, "topics", { retries: 0 });
  await expect.poll(() => openOf(2)).toBeGreaterThan(0);
  controller.abort("only me");
  expect(await aborted).toBe("only me");
  // The other call has all permits now. Counts only its requests, because six are open right after the abort as well.
  await expect.poll(() => openOf(2)).toBe(6);
  await service.release();
  expect(await other).toEqual(allFindings(6, { key: 2 }));
  await service.settled();
  const ofOther = (await service.visits()).filter(({ path }) => path.startsWith("Findings/2"));
  expect(ofOther.map(({ state }) => state)).toEqual(Array(7).fill("responded"));
  client.free();
});
