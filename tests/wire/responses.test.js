/** Responses that break, lie, stall or trickle: what the caller gets, and how often the service is asked. */

import { describe, expect, test } from "vitest";
import { inWorker } from "../browser/engine.js";
import { failureOf } from "../browser/outcome.js";
import { watchDecoding } from "../browser/own-worker.js";
import { getPartition } from "../browser/place.js";
import { callsForAll } from "./calls.js";
import { allFindings, bodyLength, findingsEach, findingsOf } from "./inspection.js";
import { clock, outrun, serve, servePartition } from "./service.js";

/** @typedef {import("./server/manner.js").Manner} Manner */
/** @typedef {import("./server/manner.js").Stop} Stop */
/** @typedef {import("inspection-findings").Progress} Progress */

const timeout = 250;
const encodings = /** @type {const} */ (["gzip", "br"]);

const chunked = /** @type {const} */ ({ framing: "chunked", chunk: 512 });
/** The position of the second chunk: after the size, line end, bytes and line end of the first. */
const second = "200\r\n".length + 512 + "\r\n".length;
const lastChunk = "0\r\n\r\n".length;

/** @type {[place: string, after: Stop["after"]][]} */
const places = [
  ["before the status line", { head: 0 }],
  ["within the headers", { head: 30 }],
  ["before the last byte of the body", { body: -1 }],
];

/**
 * A response, and what a call for its partition ends in.
 * @template {string[]} Expected
 * @param {string} name
 * @param {Manner} manner
 * @param {Expected} expected
 * @returns {[name: string, manner: Manner, ...expected: Expected]}
 */
function row(name, manner, ...expected) {
  return [name, manner, ...expected];
}

/** @param {Stop["by"]} by */
function stops(by) {
  return places.map(([place, after]) => row(`a ${by} ${place}`, { stop: { after, by } }));
}

const whole = [
  row("chunks of single bytes", { framing: "chunked", chunk: 1 }),
  row("pieces that are sent alone", { pace: { bytes: 100, every: 1 } }),
  ...encodings.map((encoding) => row(`${encoding} in chunks`, { encoding, framing: "chunked", chunk: 100 })),
  row("gzip without its checksum", { encoding: "gzip", shorten: 8 }),
  row("a content-length that is no number before a close", {
    headers: { "content-length": "many" },
    stop: { after: "end", by: "close" },
  }),
];

test.for(whole)("a body with %s is complete", async ([, manner]) => {
  const service = await servePartition(manner);
  expect(await getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 0 })).toEqual(findingsOf(0));
});

const broken = [
  ...stops("close"),
  ...stops("reset"),
  row("a chunk size that is no number", { ...chunked, overwrite: { at: second, text: "zz" } }),
  row("a cut between two chunks", { ...chunked, stop: { after: { body: second }, by: "close" } }),
  row("no length, and a reset", { framing: "close", stop: { after: { body: 5_000 }, by: "reset" } }),
  row("a cut in gzip", { encoding: "gzip", stop: { after: { body: 500 }, by: "close" } }),
  ...encodings.map((encoding) =>
    row(`damage in ${encoding}`, { encoding, overwrite: { at: 300, text: "\xff\x00\xaa\x55" } }),
  ),
  row("a length one byte too long before a close", { lie: 1, stop: { after: "end", by: "close" } }),
  row("a head that is not HTTP", { head: "SSH-2.0-OpenSSH_9.2\r\n", body: "" }),
];

test.for(broken)("a response with %s fails as network, and is survived by a retry", async ([, manner]) => {
  const service = await servePartition(manner);
  const options = { baseUrl: service.baseUrl, retries: 1 };
  const failure = await failureOf(getPartition(1, "topics", 0, options));
  expect(failure).toMatchObject({ code: "network", kind: "topics", partitionIndex: 0, attempts: 2 });
  expect(failure.status).toBeUndefined();
  expect(failure.cause).toBeInstanceOf(TypeError);
  expect(await service.story()).toHaveLength(2);
  const once = await servePartition(manner, 1);
  expect(await getPartition(1, "topics", 0, { ...options, baseUrl: once.baseUrl })).toEqual(findingsOf(0));
});

const cutOff = [
  // If only the close marks the end of a response, a browser takes any close for the end.
  row(
    "no length that is cut",
    { framing: "close", stop: { after: { body: 5_000 }, by: "close" } },
    "ends too early (at byte 5000",
  ),
  row("no length that ends before its first byte", { framing: "close", body: "" }, "no body"),
  // Browsers accept a truncated encoding, so only the JSON shows that something is missing.
  ...encodings.map((encoding) =>
    row(`${encoding} that was cut before`, { encoding, shorten: 300 }, "ends too early (at byte "),
  ),
];

test.for(cutOff)(
  "a body with %s is a broken connection that a retry mends, and else a decode failure",
  async (each) => {
    const [, manner, message] = each;
    const once = await servePartition(manner, 1);
    /** @type {unknown[]} */
    const codes = [];
    const onPartition = (/** @type {any} */ { error }) => void codes.push(error?.code);
    expect(await getPartition(1, "topics", 0, { baseUrl: once.baseUrl, retries: 1, onPartition })).toEqual(
      findingsOf(0),
    );
    expect(codes).toEqual([undefined, "network", undefined]);
    const service = await servePartition(manner);
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 1 }));
    expect(failure).toMatchObject({ code: "decode", partitionIndex: 0, attempts: 2 });
    expect(failure.message).toContain(message);
  },
);

const final = [
  row(
    "gzip that no header names",
    { encoding: "gzip", headers: { "content-encoding": null } },
    "decode",
    "begins like gzip",
  ),
  row("a length that is too short", { lie: -5_000 }, "decode", `ends too early (at byte ${bodyLength(0) - 5_000}`),
  row("a length of 1e15 bytes", { lie: 1e15 }, "too-large", "maxPartitionBytes"),
  row("gzip that becomes too large", { encoding: "gzip", padding: 4 << 20 }, "too-large", "maxPartitionBytes"),
];

test.for(final)("a body with %s fails at once", async ([, manner, code, message]) => {
  const service = await servePartition(manner);
  const options = { baseUrl: service.baseUrl, maxPartitionBytes: 1 << 20 };
  const failure = await failureOf(getPartition(1, "topics", 0, options));
  expect(failure).toMatchObject({ code, partitionIndex: 0, attempts: 1, message: expect.stringContaining(message) });
  expect(await service.requestsPerPartition()).toEqual([1]);
});

const stalling = [
  ...stops("stall"),
  row("no end of its chunks", { ...chunked, stop: { after: { body: -lastChunk }, by: "stall" } }),
  row("a length one byte too long", { lie: 1 }),
];

test.for(stalling)(
  "a response with %s exceeds timeout at every attempt, and each connection is closed",
  async ([, manner]) => {
    const service = await servePartition(manner);
    const options = { baseUrl: service.baseUrl, retries: 1, timeout };
    const call = (/** @type {object} */ reports) => getPartition(1, "sentiment", 2, { ...options, ...reports });
    const failure = await failureOf(outrun(call, service, timeout));
    expect(failure).toMatchObject({ code: "timeout", kind: "sentiment", partitionIndex: 2, attempts: 2 });
    expect(failure.message).toContain(`${timeout} ms`);
    await service.isLeftAlone();
  },
);

test("headers that trickle beyond timeout are a timeout, and the connection is closed", async () => {
  const service = await servePartition({ pace: { bytes: 1, every: 10 }, stop: { after: { head: -1 }, by: "stall" } });
  const outcome = failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 0, timeout }));
  await service.hasOpen(1);
  clock.pass(timeout - 1);
  expect(await service.open()).toHaveLength(1);
  clock.pass(1);
  expect(await outcome).toMatchObject({ code: "timeout", attempts: 1 });
  expect(await service.settled()).toEqual(["0 left"]);
});

test("the rest of a body on its connection never becomes part of another response", async () => {
  const service = await serve({ partitions: 6, rules: [{ index: 0, manner: { lie: -5_000 } }] });
  const options = { baseUrl: service.baseUrl, retries: 0 };
  expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "decode" });
  for (const index of [1, 2, 3, 4, 5]) {
    expect(await getPartition(1, "topics", index, options)).toEqual(findingsOf(index));
  }
});

describe.for(callsForAll)("%s", ([, call]) => {
  test("loses and doubles nothing when every first response stalls in its middle", async () => {
    const stop = /** @type {Stop} */ ({ after: { body: 30 }, by: "stall" });
    const service = await serve({ partitions: 8, rules: [{ times: 1, manner: { stop } }] });
    // More would wait for a connection, and time out unsent.
    const options = { baseUrl: service.baseUrl, timeout, concurrency: 6 };
    const outcome = outrun((reports) => call({ ...options, ...reports }), service, timeout);
    expect(await outcome).toEqual(allFindings(8));
    expect(await service.requestsPerPartition()).toEqual(Array(8).fill(2));
  });

  test("counts decoded bytes and retries", async () => {
    const encoding = /** @type {const} */ ("gzip");
    const stop = /** @type {Stop} */ ({ after: { body: 500 }, by: "close" });
    const rules = [{ index: 2, times: 2, manner: { encoding, stop } }, { manner: { encoding } }];
    const service = await serve({ rules });
    /** @type {Progress[]} */
    const progress = [];
    const onProgress = (/** @type {Progress} */ step) => void progress.push(step);
    const inWorkers = watchDecoding();
    expect(await call({ baseUrl: service.baseUrl, onProgress })).toEqual(allFindings(4));
    expect(inWorkers()).toBe(inWorker ? 4 : 0);
    expect(progress.map(({ partitionsDone }) => partitionsDone)).toEqual([0, 1, 2, 3, 4]);
    expect(progress.at(-1)).toEqual({
      partitionsDone: 4,
      partitions: 4,
      findingsDone: 4 * findingsEach,
      findings: 4 * findingsEach,
      bytes: [0, 1, 2, 3].reduce((bytes, index) => bytes + bodyLength(index), 0),
      retries: 2,
    });
  });
});
