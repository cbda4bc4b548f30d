/** Connections that break: closed or reset by the service at any byte of a response. */

import { getPartition, getPartitionCounts } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { inWorker } from "../browser/engine.js";
import { failureOf } from "../browser/outcome.js";
import { callsForAll } from "./calls.js";
import { allFindings, bodyLength, findingsEach, findingsOf } from "./inspection.js";
import { serve, servePartition } from "./service.js";

/** @typedef {import("./server/manner.js").Manner} Manner */
/** @typedef {import("./server/manner.js").Stop["after"]} StopPoint */
/** @typedef {import("inspection-findings").Progress} Progress */

/** @type {[string, StopPoint][]} */
const placesBeforeTheBody = [
  ["before the status line", { head: 0 }],
  ["within the protocol's name", { head: 3 }],
  ["after the status", { head: 12 }],
  ["within the headers", { head: 30 }],
];

/** @type {[string, StopPoint][]} */
const placesInTheBody = [
  ["right after the headers", { body: 0 }],
  ["after one byte of the body", { body: 1 }],
  ["in the middle of the body", { body: 5_000 }],
  ["before the last byte of the body", { body: -1 }],
];

/** @type {[string, "close" | "reset"][]} */
const ways = [
  ["closed", "close"],
  ["reset", "reset"],
];

describe.for(ways)("a connection %s", ([, by]) => {
  describe.for([...placesBeforeTheBody, ...placesInTheBody])("%s", ([, after]) => {
    test("fails as network after every attempt, each seen by the service", async () => {
      const service = await servePartition({ stop: { after, by } });
      const failure = await failureOf(getPartition(1, "topics", 3, { baseUrl: service.baseUrl, retries: 2 }));
      expect(failure).toMatchObject({ code: "network", kind: "topics", partitionIndex: 3, attempts: 3 });
      expect(failure.status).toBeUndefined();
      expect(failure.cause).toBeInstanceOf(TypeError);
      expect(await service.story()).toEqual(["3 broken", "3 broken", "3 broken"]);
    });

    test("is survived by a retry, with exactly the right findings", async () => {
      const service = await servePartition({ stop: { after, by } }, 1);
      const options = { baseUrl: service.baseUrl, retries: 1 };
      expect(await getPartition(1, "topics", 1, options)).toEqual(findingsOf(1));
      expect(await service.story()).toEqual(["1 broken", "1 responded"]);
    });
  });

  describe.for(callsForAll)("in the middle of a body, in %s", ([, call]) => {
    test("loses and doubles nothing", async () => {
      const service = await serve({
        rules: [{ index: 2, times: 2, manner: { stop: { after: { body: 5_000 }, by } } }],
      });
      /** @type {Progress[]} */
      const progress = [];
      const onProgress = (/** @type {Progress} */ step) => void progress.push(step);
      expect(await call({ baseUrl: service.baseUrl, onProgress })).toEqual(allFindings(4));
      expect(await service.requestsPerPartition()).toEqual([1, 1, 3, 1]);
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

    test("of every first response loses and doubles nothing", async () => {
      const service = await serve({
        partitions: 9,
        rules: [{ times: 1, manner: { stop: { after: { body: -7 }, by } } }],
      });
      expect(await call({ baseUrl: service.baseUrl })).toEqual(allFindings(9));
      expect(await service.requestsPerPartition()).toEqual(Array(9).fill(2));
      expect((await service.look()).most).toBeLessThanOrEqual(6);
    });

    test("that recurs fails with its index, and cancels the other requests", async () => {
      const service = await serve({
        rules: [
          { index: 2, times: 1, manner: { stop: { after: { body: 5_000 }, by } } },
          { index: 2, manner: { held: true, stop: { after: { body: 5_000 }, by } } },
          { index: 3, manner: { stop: { after: { body: 5_000 }, by: "stall" } } },
        ],
      });
      const outcome = failureOf(call({ baseUrl: service.baseUrl, retries: 1 }));
      // The others get their responses before the last attempt ends the call.
      await service.hasStalled(1);
      await expect.poll(() => service.story()).toHaveLength(6);
      await service.hasOpen(2);
      await service.release();
      const failure = await outcome;
      expect(failure).toMatchObject({ code: "network", kind: "topics", partitionIndex: 2, attempts: 2 });
      const story = await service.settled();
      expect(story.toSorted()).toEqual([
        "0 responded",
        "1 responded",
        "2 broken",
        "2 broken",
        "3 left",
        "counts responded",
      ]);
    });
  });

  test("in the middle of the counts is survived by a retry", async () => {
    const service = await serve({ rules: [{ index: -1, times: 1, manner: { stop: { after: { body: 20 }, by } } }] });
    const counts = { partitions: 4, findings: 4 * findingsEach };
    expect(await getPartitionCounts(1, { baseUrl: service.baseUrl })).toEqual({ sentiment: counts, topics: counts });
    expect(await service.story()).toEqual(["counts broken", "counts responded"]);
  });

  test("in the middle of the counts that recurs fails without an index", async () => {
    const service = await serve({ rules: [{ manner: { stop: { after: { body: 20 }, by } } }] });
    const [, getAll] = callsForAll[0];
    const failure = await failureOf(getAll({ baseUrl: service.baseUrl, retries: 1 }));
    expect(failure).toMatchObject({ code: "network", kind: "topics", attempts: 2 });
    expect(failure.partitionIndex).toBeUndefined();
    expect(await service.story()).toEqual(["counts broken", "counts broken"]);
  });

  test("in the body of an http failure does not hide its status", async () => {
    const body = JSON.stringify({ errors: ["Busy."], more: "x".repeat(1_000) });
    const service = await servePartition({ status: 503, body, stop: { after: { body: 500 }, by } });
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 1 }));
    expect(failure).toMatchObject({ code: "http", status: 503, attempts: 2 });
    expect(await service.story()).toEqual(["0 broken", "0 broken"]);
  });
});

// If only the close marks the end of a response, a browser takes any close for the end.
describe("a cut that looks like an end", () => {
  test("of a body without a length is a decode failure that says where it ends", async () => {
    const service = await servePartition({ framing: "close", stop: { after: { body: 5_000 }, by: "close" } });
    const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl }));
    expect(failure).toMatchObject({ code: "decode", partitionIndex: 0, attempts: 1 });
    expect(failure.message).toContain("ends too early (at byte 5000");
    expect(await service.story()).toEqual(["0 broken"]);
  });

  test("of a body without a length is recognised when the connection is reset", async () => {
    const service = await servePartition({ framing: "close", stop: { after: { body: 5_000 }, by: "reset" } }, 1);
    expect(await getPartition(1, "topics", 0, { baseUrl: service.baseUrl })).toEqual(findingsOf(0));
    expect(await service.story()).toEqual(["0 broken", "0 responded"]);
  });

  test("after headers that announce a body is a broken connection, and survived by a retry", async () => {
    const service = await servePartition({ stop: { after: { head: -2 }, by: "close" } }, 1);
    expect(await getPartition(1, "topics", 0, { baseUrl: service.baseUrl })).toEqual(findingsOf(0));
    expect(await service.story()).toEqual(["0 broken", "0 responded"]);
  });
});

test("a response that is not HTTP fails as network", async () => {
  const service = await servePartition({ head: "SSH-2.0-OpenSSH_9.2\r\n", body: "" });
  const options = { baseUrl: service.baseUrl, retries: 1 };
  expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "network", attempts: 2 });
});
