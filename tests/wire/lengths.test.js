/** Wrong lengths: `content-length` differs from the length of the body. */

import { getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { failureOf } from "../browser/outcome.js";
import { callsForAll } from "./calls.js";
import { allFindings, bodyLength, findingsOf } from "./inspection.js";
import { outrun, serve, servePartition } from "./service.js";

const timeout = 250;

describe.for([1, 100, 1e8])("a content-length that is %d bytes too long", (lie) => {
  test("on a connection that stays open is a timeout", async () => {
    const service = await servePartition({ lie });
    const options = { baseUrl: service.baseUrl, retries: 1, timeout };
    const call = outrun(getPartition(1, "topics", 0, options), service, timeout);
    expect(await failureOf(call)).toMatchObject({ code: "timeout", attempts: 2 });
    await service.isLeftAlone();
  });

  test("on a connection that is closed is a broken connection", async () => {
    const service = await servePartition({ lie, stop: { after: "end", by: "close" } });
    const options = { baseUrl: service.baseUrl, retries: 1 };
    expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "network", attempts: 2 });
    expect(await service.requestsPerPartition()).toEqual([2]);
  });
});

test.for([1e9, 1e15])("a content-length of %d bytes is beyond maxPartitionBytes: the body is not read", async (lie) => {
  const service = await servePartition({ lie });
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl }));
  expect(failure).toMatchObject({ code: "too-large", partitionIndex: 0, attempts: 1 });
});

test.for([1, 5_000])("a content-length that is %d bytes too short cuts the body: a decode failure", async (missing) => {
  const service = await servePartition({ lie: -missing });
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl }));
  expect(failure).toMatchObject({ code: "decode", partitionIndex: 0, attempts: 1 });
  expect(failure.message).toContain(`ends too early (at byte ${bodyLength(0) - missing}`);
  expect(await service.requestsPerPartition()).toEqual([1]);
});

test("a content-length of 0 before a body is a decode failure: there is no body", async () => {
  const service = await servePartition({ headers: { "content-length": "0" } });
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl }));
  expect(failure).toMatchObject({ code: "decode", attempts: 1 });
  expect(failure.message).toContain("no body");
});

test("the rest of a body on its connection never becomes part of another response", async () => {
  const service = await serve({ partitions: 6, rules: [{ index: 0, manner: { lie: -5_000 } }] });
  const options = { baseUrl: service.baseUrl, retries: 0 };
  expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "decode" });
  for (const index of [1, 2, 3, 4, 5]) {
    expect(await getPartition(1, "topics", index, options)).toEqual(findingsOf(index));
  }
  expect(await service.requestsPerPartition()).toEqual([1, 1, 1, 1, 1, 1]);
});

test.for(["many", "-5", ""])("a content-length of %j is ignored: the body ends with the connection", async (length) => {
  const service = await servePartition({
    headers: { "content-length": length },
    stop: { after: "end", by: "close" },
  });
  const options = { baseUrl: service.baseUrl, retries: 0 };
  expect(await getPartition(1, "topics", 0, options)).toEqual(findingsOf(0));
});

test("two lengths that differ are a broken connection", async () => {
  const lines = ["HTTP/1.1 200 OK", "access-control-allow-origin: *", "content-length: 2", "content-length: 20000"];
  const service = await servePartition({ head: `${lines.join("\r\n")}\r\n\r\n` });
  const options = { baseUrl: service.baseUrl, retries: 1 };
  expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "network", attempts: 2 });
});

describe.for(callsForAll)("%s", ([, call]) => {
  test("neither hangs nor loses anything when every first response has a wrong length", async () => {
    const service = await serve({ partitions: 8, rules: [{ times: 1, manner: { lie: 7 } }] });
    // More would wait for a connection, and time out unsent.
    const options = { baseUrl: service.baseUrl, timeout, concurrency: 6 };
    expect(await outrun(call(options), service, timeout)).toEqual(allFindings(8));
    expect(await service.requestsPerPartition()).toEqual(Array(8).fill(2));
  });

  test("rejects with the partition whose length is too short", async () => {
    const service = await serve({ rules: [{ index: 2, manner: { lie: -1 } }] });
    const failure = await failureOf(call({ baseUrl: service.baseUrl }));
    expect(failure).toMatchObject({ code: "decode", partitionIndex: 2, attempts: 1 });
  });
});
