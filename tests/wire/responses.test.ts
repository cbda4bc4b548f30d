/** Responses that break, lie, stall or trickle: what the caller gets, and how often the service is asked. */

import type { Progress } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { inWorker } from "../page/engine.js";
import { failureOf, outcomeOf } from "../page/outcome.js";
import { watchDecoding } from "../page/own-worker.js";
import { getPartition } from "../page/place.js";
import { callsForAll } from "./calls.ts";
import { allFindings, bodyLength, findingsEach, findingsOf } from "./inspection.ts";
import type { Manner } from "./server/manner.ts";
import { outrun, type Service, serve, servePartition } from "./service.ts";

/** How a call ends; without a code, with the findings. */
type Ending = { code?: string; attempts: number; message?: string };

const timeout = 250;

const chunked = { framing: "chunked", chunk: 512 } as const;
/** The position of the second chunk: after the size, line end, bytes and line end of the first. */
const second = "200\r\n".length + 512 + "\r\n".length;
const lastChunk = "0\r\n\r\n".length;

const endings: Record<string, Ending> = {
  "is complete": { attempts: 1 },
  "fails as network, unless a retry mends it": { code: "network", attempts: 2 },
  // Only the JSON shows that something is missing.
  "fails as decode, unless a retry mends it": { code: "decode", attempts: 2, message: "ends too early (at byte " },
  "exceeds timeout, unless a retry mends it, and its connections are closed": {
    code: "timeout",
    attempts: 2,
    message: `${timeout} ms`,
  },
  "fails at once as gzip without its header": {
    code: "decode",
    attempts: 1,
    message: "it is gzip, whose Content-Encoding was lost",
  },
  "fails at once as decode": {
    code: "decode",
    attempts: 1,
    message: `ends too early (at byte ${bodyLength(0) - 5_000}`,
  },
  "fails at once as too large": { code: "too-large", attempts: 1, message: "maxPartitionBytes" },
};
const [complete, broken, cutOff, stalling, unnamed, short, tooLarge] = Object.keys(endings);

const manners: [name: string, ending: string, manner: Manner][] = [
  ["chunks of single bytes", complete, { framing: "chunked", chunk: 1 }],
  ["pieces that are sent alone", complete, { pace: { bytes: 100, every: 1 } }],
  ["gzip in chunks", complete, { encoding: "gzip", framing: "chunked", chunk: 100 }],
  ["brotli in chunks", complete, { encoding: "br", framing: "chunked", chunk: 100 }],
  ["a cut before the status line", broken, { stop: { after: { head: 0 }, by: "close" } }],
  ["a cut within the headers", broken, { stop: { after: { head: 30 }, by: "close" } }],
  ["a cut before the last byte of the body", broken, { stop: { after: { body: -1 }, by: "close" } }],
  ["a reset before the last byte of the body", broken, { stop: { after: { body: -1 }, by: "reset" } }],
  ["a cut between two chunks", broken, { ...chunked, stop: { after: { body: second }, by: "close" } }],
  ["a cut in gzip", broken, { encoding: "gzip", stop: { after: { body: 500 }, by: "close" } }],
  ["damage in gzip", broken, { encoding: "gzip", overwrite: { at: 300, text: "\xff\x00\xaa\x55" } }],
  ["a head that is not HTTP", broken, { head: "SSH-2.0-OpenSSH_9.2\r\n", body: "" }],
  ["no length that is cut", cutOff, { framing: "close", stop: { after: { body: 5_000 }, by: "close" } }],
  ["gzip that was cut before", cutOff, { encoding: "gzip", shorten: 300 }],
  ["a stall before the status line", stalling, { stop: { after: { head: 0 }, by: "stall" } }],
  ["a stall within the headers", stalling, { stop: { after: { head: 30 }, by: "stall" } }],
  ["a stall before the last byte of the body", stalling, { stop: { after: { body: -1 }, by: "stall" } }],
  ["no end of its chunks", stalling, { ...chunked, stop: { after: { body: -lastChunk }, by: "stall" } }],
  ["a length one byte too long", stalling, { lie: 1 }],
  ["gzip that no header names", unnamed, { encoding: "gzip", headers: { "content-encoding": null } }],
  ["a length that is too short", short, { lie: -5_000 }],
  ["a length of 1e15 bytes", tooLarge, { lie: 1e15 }],
  ["gzip that becomes too large", tooLarge, { encoding: "gzip", padding: 4 << 20 }],
];

test.for(manners)("a response with %s %s", async ([, ending, manner]) => {
  const { code, attempts, message = "" } = endings[ending];
  const outcomeBy = async (service: Service) => {
    const options = { baseUrl: service.baseUrl, retries: 1, timeout, maxPartitionBytes: 1 << 20 };
    const call = (reports: object) => getPartition(1, "topics", 0, { ...options, ...reports });
    return outcomeOf(outrun(call, service, timeout));
  };
  const service = await servePartition(manner);
  const { value, reason } = await outcomeBy(service);
  expect(await service.requestsPerPartition()).toEqual([attempts]);
  if (code === undefined) return expect(value).toEqual(findingsOf(0));
  expect(reason).toMatchObject({ code, kind: "topics", partitionIndex: 0, attempts });
  expect(reason.message).toContain(message);
  if (code === "network") expect(reason.cause).toBeInstanceOf(TypeError);
  if (code === "timeout") await service.isLeftAlone();
  if (attempts > 1) expect(await outcomeBy(await servePartition(manner, 1))).toEqual({ value: findingsOf(0) });
});

test("a port that nobody listens to is a network failure, whose cause is the browser's error", async () => {
  const service = await serve();
  await service.close();
  const failure = await failureOf(getPartition(1, "topics", 0, { baseUrl: service.baseUrl, retries: 1 }));
  expect(failure).toMatchObject({ code: "network", attempts: 2, cause: expect.any(TypeError) });
  expect(failure.message).toMatch(/: no response: [^:]+\. The browser's console names the reason, /);
});

describe.for(callsForAll)("%s", ([, call]) => {
  test("loses and doubles nothing when every first response stalls in its middle", async () => {
    const stop = { after: { body: 30 }, by: "stall" } as const;
    const service = await serve({ partitions: 8, rules: [{ times: 1, manner: { stop } }] });
    // More would wait for a connection, and time out unsent.
    const options = { baseUrl: service.baseUrl, timeout, concurrency: 6 };
    const outcome = outrun((reports) => call({ ...options, ...reports }), service, timeout);
    expect(await outcome).toEqual(allFindings(8));
    expect(await service.requestsPerPartition()).toEqual(Array(8).fill(2));
  });

  test("counts decoded bytes and retries", async () => {
    const encoding = "gzip" as const;
    const stop = { after: { body: 500 }, by: "close" } as const;
    const rules = [{ index: 2, times: 2, manner: { encoding, stop } }, { manner: { encoding } }];
    const service = await serve({ rules });
    const progress: Progress[] = [];
    const onProgress = (step: Progress) => void progress.push(step);
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
