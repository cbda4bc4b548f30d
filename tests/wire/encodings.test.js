/** Encoded bodies: gzip and brotli, whole, cut short and damaged. */

import { getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { failureOf } from "../browser/outcome.js";
import { callsForAll } from "./calls.js";
import { allFindings, bodyLength, findingsOf } from "./inspection.js";
import { outrun, serve, servePartition } from "./service.js";

/** @typedef {import("inspection-findings").Progress} Progress */

describe.for(/** @type {const} */ (["gzip", "br"]))("a body in %s", (encoding) => {
  test.for(callsForAll)("is decoded by the browser, and counted as it is decoded, in %s", async ([, call]) => {
    const service = await serve({ rules: [{ manner: { encoding } }] });
    /** @type {Progress[]} */
    const progress = [];
    const onProgress = (/** @type {Progress} */ step) => void progress.push(step);
    expect(await call({ baseUrl: service.baseUrl, retries: 0, onProgress })).toEqual(allFindings(4));
    const bytes = [0, 1, 2, 3].reduce((sum, index) => sum + bodyLength(index), 0);
    expect(progress.at(-1)).toMatchObject({ bytes, retries: 0 });
    const [, visit] = await service.visits();
    expect(visit.headers["accept-encoding"]).toContain(encoding);
    expect(visit.sent).toBeLessThan(bodyLength(visit.index) / 2);
  });

  test("in single-byte chunks is decoded as well", async () => {
    const service = await servePartition({ encoding, framing: "chunked", chunk: 1 });
    const options = { baseUrl: service.baseUrl, retries: 0 };
    expect(await getPartition(1, "topics", 0, options)).toEqual(findingsOf(0));
  });

  test("of a connection that is cut is a broken connection, and survived by a retry", async () => {
    const service = await servePartition({ encoding, stop: { after: { body: 500 }, by: "close" } }, 1);
    expect(await getPartition(1, "topics", 0, { baseUrl: service.baseUrl })).toEqual(findingsOf(0));
    expect(await service.story()).toEqual(["0 broken", "0 responded"]);
  });

  test("that stalls is a timeout, and survived by a retry", async () => {
    const service = await servePartition({ encoding, stop: { after: { body: 500 }, by: "stall" } }, 1);
    const options = { baseUrl: service.baseUrl, timeout: 2_000 };
    expect(await outrun(getPartition(1, "topics", 0, options), service, 2_000)).toEqual(findingsOf(0));
    expect(await service.settled()).toEqual(["0 left", "0 responded"]);
  });

  // Browsers accept a truncated encoding, so only the JSON shows that something is missing.
  test("that is cut short before it is sent is a decode failure", async () => {
    const service = await servePartition({ encoding, shorten: 300 });
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl }));
    expect(failure).toMatchObject({ code: "decode", partitionIndex: 0, attempts: 1 });
    expect(failure.message).toContain("ends too early (at byte ");
  });

  test.for([0, 20, 300, 800])("that is damaged at byte %d is a broken connection", async (at) => {
    const service = await servePartition({ encoding, overwrite: { at, text: "\xff\x00\xaa\x55" } });
    const options = { baseUrl: service.baseUrl, retries: 1 };
    const failure = await failureOf(getPartition(1, "topics", 0, options));
    expect(failure).toMatchObject({ code: "network", partitionIndex: 0, attempts: 2 });
    expect(await service.requestsPerPartition()).toEqual([2]);
  });

  test("that is announced but not used is a broken connection", async () => {
    const service = await servePartition({ headers: { "content-encoding": encoding } });
    const options = { baseUrl: service.baseUrl, retries: 1 };
    expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "network", attempts: 2 });
  });

  test("is measured after decompression: a small one that exceeds maxPartitionBytes is rejected", async () => {
    const service = await servePartition({ encoding, padding: 4 * 1024 * 1024 });
    const options = { baseUrl: service.baseUrl, maxPartitionBytes: 100_000 };
    const failure = await failureOf(getPartition(1, "topics", 0, options));
    expect(failure).toMatchObject({ code: "too-large", partitionIndex: 0, attempts: 1 });
    expect(await service.requestsPerPartition()).toEqual([1]);
  });
});

test.for([1, 4, 8])("gzip without the last %d bytes of its checksum is complete all the same", async (shorten) => {
  const service = await servePartition({ encoding: "gzip", shorten });
  const options = { baseUrl: service.baseUrl, retries: 0 };
  expect(await getPartition(1, "topics", 0, options)).toEqual(findingsOf(0));
});
