/** Answers that trickle: a few bytes at a time. */

import { getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { failureOf } from "../browser/outcome.js";
import { callsForAll } from "./calls.js";
import { allFindings, bodyLength, findingsOf } from "./inspection.js";
import { expectElapsed, serve, servePartition } from "./service.js";

/** Pieces so large that a body takes about 20 of them. */
const bytes = Math.ceil(bodyLength(0) / 20);

test("a trickle that stays within timeout is a success", async () => {
  const service = await servePartition({ pace: { bytes, every: 15 } });
  const options = { baseUrl: service.baseUrl, retries: 0, timeout: 5_000 };
  const start = performance.now();
  expect(await getPartition(1, "topics", 0, options)).toEqual(findingsOf(0));
  expectElapsed(start, 20 * 15);
  expect(await service.story()).toEqual(["0 answered"]);
});

test("a trickle that outruns timeout is a timeout, however steady it is, and its connection is closed", async () => {
  const service = await servePartition({ pace: { bytes, every: 50 } });
  const start = performance.now();
  const options = { baseUrl: service.baseUrl, retries: 1, timeout: 300 };
  const failure = await failureOf(getPartition(1, "topics", 0, options));
  expectElapsed(start, 600);
  expect(failure).toMatchObject({ code: "timeout", partitionIndex: 0, attempts: 2 });
  expect(await service.settled()).toEqual(["0 left", "0 left"]);
  for (const { sent } of await service.visits()) {
    expect(sent).toBeLessThan(bodyLength(0));
  }
});

test("headers that trickle count as well", async () => {
  const service = await servePartition({ pace: { bytes: 1, every: 10 } });
  const options = { baseUrl: service.baseUrl, retries: 0, timeout: 300 };
  expect(await failureOf(getPartition(1, "topics", 0, options))).toMatchObject({ code: "timeout", attempts: 1 });
  expect(await service.settled()).toEqual(["0 left"]);
});

test("an answer in single bytes is a success", async () => {
  const service = await servePartition({
    body: '{"Findings":[{"Text":"Grüße 🙂"}],"errors":null}',
    pace: { bytes: 1, every: 1 },
  });
  const options = { baseUrl: service.baseUrl, retries: 0 };
  expect(await getPartition(1, "topics", 0, options)).toEqual([{ Text: "Grüße 🙂" }]);
});

describe.for(callsForAll)("%s", ([, call]) => {
  test("takes partitions that trickle at different paces in index order", async () => {
    const service = await serve({
      rules: [60, 20, 40, 1].map((every, index) => ({ index, manner: { pace: { bytes: 2 * bytes, every } } })),
    });
    expect(await call({ baseUrl: service.baseUrl, retries: 0 })).toEqual(allFindings(4));
    expect(await service.timesAsked()).toEqual([1, 1, 1, 1]);
  });
});
