/** Responses that break, lie, stall or trickle: what the caller gets, and how often the service is asked. */

import { describe, expect, test } from "vitest";
import { inWorker } from "../browser/engine.js";
import { failureOf } from "../browser/outcome.js";
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

/** @type {Record<string, Stop["after"]>} */
const places = {
  "before the status line": { head: 0 },
  "within the headers": { head: 30 },
  "right after the headers": { body: 0 },
  "in the middle of the body": { body: 5_000 },
  "before the last byte of the body": { body: -1 },
};

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
  return Object.entries(places).map(([place, after]) => row(`a ${by} ${place}`, { stop: { after, by } }));
}

const whole = [
  ...[1, 4096].map((chunk) => row(`chunks of ${chunk} bytes`, { framing: "chunked", chunk })),
  ...encodings.flatMap((encoding) => [
    row(encoding, { encoding }),
    row(`${encoding} in chunks of single bytes`, { encoding, framing: "chunked", chunk: 1 }),
  ]),
  row("gzip without its checksum", { encoding: "gzip", shorten: 8 }),
  ...["many", "-5", ""].map((length) =>
    row(`the content-length "${length}" before a close`, {
      headers: { "content-length": length },
      stop: { after: "end", by: "close" },
    }),
  ),
];

test.for(whole)("a body with %s is complete", async ([, manner]) => {
  const service = await servePartition(manner);
  expect(await getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 0 })).toEqual(findingsOf(0));
});

test.for([
  row("sent alone", { pace: { bytes: 1, every: 1 } }),
  row("in chunks that are sent alone", { framing: "chunked", chunk: 1, pace: { bytes: 6, every: 2 } }),
])("a body of single bytes %s is complete", async ([, manner]) => {
  const service = await servePartition({ ...manner, body: '{"Findings":[{"Text":"Grüße 🙂"}],"errors":null}' });
  expect(await getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 0 })).toEqual([{ Text: "Grüße 🙂" }]);
});

const broken = [
  ...stops("close"),
  ...stops("reset"),
  row("a chunk size that is no number", { ...chunked, overwrite: { at: second, text: "zz" } }),
  row("a chunk size that is too large", { ...chunked, overwrite: { at: second, text: "fff" } }),
  row("no line end after a chunk", { ...chunked, overwrite: { at: second - 2, text: "xx" } }),
  row("a cut between two chunks", { ...chunked, stop: { after: { body: second }, by: "close" } }),
  row("a cut before the last chunk", { ...chunked, stop: { after: { body: -lastChunk }, by: "close" } }),
  row("no length, and a reset", { framing: "close", stop: { after: { body: 5_000 }, by: "reset" } }),
  ...encodings.flatMap((encoding) => [
    row(`a cut in ${encoding}`, { encoding, stop: { after: { body: 500 }, by: "close" } }),
    row(`${encoding} that is announced but not used`, { headers: { "content-encoding": encoding } }),
    ...[0, 300].map((at) =>
      row(`damage in ${encoding} at byte ${at}`, { encoding, overwrite: { at, text: "\xff\x00\xaa\x55" } }),
    ),
  ]),
  row("a length one byte too long before a close", { lie: 1, stop: { after: "end", by: "close" } }),
  row("two lengths", {
    head: "HTTP/1.1 200 OK\r\naccess-control-allow-origin: *\r\ncontent-length: 2\r\ncontent-length: 20000\r\n\r\n",
  }),
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
  row(
    "no length that is cut within a character",
    { framing: "close", body: `{"Findings":[{"Text":"ü"}]}`, stop: { after: { body: 23 }, by: "close" } },
    "ends too early (at byte 2",
  ),
  row("no length that ends before its first byte", { framing: "close", body: "" }, "no body"),
  // Browsers accept a truncated encoding, so only the JSON shows that something is missing.
  ...encodings.map((encoding) =>
    row(`${encoding} that was cut before`, { encoding, shorten: 300 }, "ends too early (at byte "),
  ),
  ...encodings.map((encoding) => row(`${encoding} of nothing`, { encoding, body: "" }, "no body")),
  row("a length of 0", { headers: { "content-length": "0" } }, "no body"),
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
  ...encodings.map((encoding) =>
    row(`${encoding} that becomes too large`, { encoding, padding: 4 << 20 }, "too-large", "maxPartitionBytes"),
  ),
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
  ...encodings.map((encoding) =>
    row(`a stall in ${encoding}`, { encoding, stop: { after: { body: 500 }, by: "stall" } }),
  ),
  row("a length one byte too long", { lie: 1 }),
];

test.for(stalling)(
  "a response with %s exceeds timeout at every attempt, and each connection is closed",
  async ([, manner]) => {
    const service = await servePartition(manner);
    const options = { baseUrl: service.baseUrl, retries: 1, timeout };
    const failure = await failureOf(outrun(getPartition(1, "sentiment", 2, options), service, timeout));
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

test.for(/** @type {const} */ (["close", "reset", "stall"]))(
  "an http failure whose body ends by a %s keeps its status",
  async (by) => {
    const body = JSON.stringify({ errors: ["Busy."], more: "x".repeat(1_000) });
    const service = await servePartition({ status: 503, body, stop: { after: { body: 500 }, by } });
    let seen = 0;
    const fetch = async (/** @type {string} */ href, /** @type {RequestInit} */ init) => {
      const response = await globalThis.fetch(href, init);
      seen += 1;
      return response;
    };
    const options = { baseUrl: service.baseUrl, retries: 1, timeout, fetch };
    const outcome = failureOf(getPartition(1, "topics", 0, options));
    for (const attempt of by === "stall" ? [1, 2] : []) {
      // Before its headers arrive, it would be a timeout like any other.
      await expect.poll(() => seen).toBe(attempt);
      await service.hasStalled(attempt);
      clock.pass(timeout);
    }
    expect(await outcome).toMatchObject({ code: "http", status: 503, attempts: 2 });
  },
);

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
    const outcome = call({ baseUrl: service.baseUrl, timeout, concurrency: 6 });
    expect(await outrun(outcome, service, timeout)).toEqual(allFindings(8));
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
    expect(await call({ baseUrl: service.baseUrl, onProgress })).toEqual(allFindings(4));
    expect(progress.map(({ partitionsDone }) => partitionsDone)).toEqual([0, 1, 2, 3, 4]);
    expect(progress.at(-1)).toEqual({
      partitionsDone: 4,
      partitions: 4,
      findingsDone: 4 * findingsEach,
      findings: 4 * findingsEach,
      bytes: [0, 1, 2, 3].reduce((bytes, index) => bytes + bodyLength(index), 0),
      retries: 2,
      decodedIn: inWorker ? "worker" : "page",
    });
  });
});
