/** Chunked bodies: in single bytes, in one piece, cut between and within chunks, and with invalid chunks. */

import { getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { failureOf } from "../browser/outcome.js";
import { callsForAll } from "./calls.js";
import { allFindings, findingsOf } from "./inspection.js";
import { outrun, serve, servePartition } from "./service.js";

const chunked = /** @type {const} */ ({ framing: "chunked", chunk: 512 });

/** The position of the second chunk: after the size, line end, bytes and line end of the first. */
const secondChunk = "200\r\n".length + 512 + "\r\n".length;

test.for([1, 2, 7, 4096, 1e6])("a body in chunks of %d bytes is complete", async (chunk) => {
  const service = await servePartition({ framing: "chunked", chunk });
  const options = { baseUrl: service.baseUrl, retries: 0 };
  expect(await getPartition(1, "topics", 0, options)).toEqual(findingsOf(0));
});

test("a body in chunks of single bytes, each sent alone, is complete", async () => {
  const body = '{"Findings":[{"Text":"Grüße 🙂"}],"errors":null}';
  const service = await servePartition({ body, framing: "chunked", chunk: 1, pace: { bytes: 6, every: 2 } });
  const options = { baseUrl: service.baseUrl, retries: 0 };
  expect(await getPartition(1, "topics", 0, options)).toEqual([{ Text: "Grüße 🙂" }]);
});

test.for(callsForAll)("%s accepts single-byte chunks", async ([, call]) => {
  const service = await serve({ rules: [{ manner: { framing: "chunked", chunk: 1 } }] });
  expect(await call({ baseUrl: service.baseUrl, retries: 0 })).toEqual(allFindings(4));
});

/** @type {[string, import("./server/manner.js").Manner][]} */
const broken = [
  ["a size that is no number", { overwrite: { at: secondChunk, text: "zz" } }],
  ["a size that is too large", { overwrite: { at: secondChunk, text: "fff" } }],
  ["a size that does not fit any memory", { overwrite: { at: secondChunk, text: "ffffffffffffffffffff\r\n" } }],
  ["no line end after a chunk", { overwrite: { at: secondChunk - 2, text: "xx" } }],
  ["a cut within a chunk", { stop: { after: { body: secondChunk - 100 }, by: "close" } }],
  ["a cut between two chunks", { stop: { after: { body: secondChunk }, by: "close" } }],
  ["a cut before the last chunk, which is empty", { stop: { after: { body: -"0\r\n\r\n".length }, by: "close" } }],
  ["a reset between two chunks", { stop: { after: { body: secondChunk }, by: "reset" } }],
];

describe.for(broken)("a chunked body with %s", ([, manner]) => {
  test("fails as network after every attempt", async () => {
    const service = await servePartition({ ...chunked, ...manner });
    const options = { baseUrl: service.baseUrl, retries: 1 };
    const failure = await failureOf(getPartition(1, "topics", 0, options));
    expect(failure).toMatchObject({ code: "network", partitionIndex: 0, attempts: 2 });
    expect(await service.requestsPerPartition()).toEqual([2]);
  });
});

test("a chunked body without its end is a timeout, and its connection is closed", async () => {
  const service = await servePartition({ ...chunked, stop: { after: { body: -"0\r\n\r\n".length }, by: "stall" } });
  const options = { baseUrl: service.baseUrl, retries: 1, timeout: 250 };
  const call = outrun(getPartition(1, "topics", 0, options), service, 250);
  expect(await failureOf(call)).toMatchObject({ code: "timeout", attempts: 2 });
  expect(await service.settled()).toEqual(["0 left", "0 left"]);
});
