/** Responses that trickle: a few bytes at a time. */

import { getPartition } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { failureOf } from "../browser/outcome.js";
import { callsForAll } from "./calls.js";
import { allFindings, bodyLength, findingsOf } from "./inspection.js";
import { clock, serve, servePartition } from "./service.js";

const timeout = 300;

/** The size of a piece, about a twentieth of a body. */
const bytes = Math.ceil(bodyLength(0) / 20);

test("a trickle that stays within timeout is a success", async () => {
  const service = await servePartition({ pace: { bytes, every: 15 } });
  const options = { baseUrl: service.baseUrl, retries: 0, timeout };
  const call = getPartition(1, "topics", 0, options);
  await isOnItsWay(service, 1);
  clock.pass(timeout - 1);
  expect(await call).toEqual(findingsOf(0));
  expect(await service.story()).toEqual(["0 responded"]);
});

test("a steady trickle that exceeds timeout is a timeout, and its connection is closed", async () => {
  // The last byte is never sent. Otherwise a page that was suspended would receive all of them when it resumes.
  const service = await servePartition({ pace: { bytes, every: 5 }, stop: { after: { body: -1 }, by: "stall" } });
  const options = { baseUrl: service.baseUrl, retries: 1, timeout };
  const outcome = failureOf(getPartition(1, "topics", 0, options));
  for (const attempt of [1, 2]) {
    await isOnItsWay(service, attempt);
    clock.pass(timeout);
  }
  expect(await outcome).toMatchObject({ code: "timeout", partitionIndex: 0, attempts: 2 });
  expect(await service.settled()).toEqual(["0 left", "0 left"]);
  for (const { sent } of await service.visits()) {
    expect(sent).toBeLessThan(bodyLength(0));
  }
});

test("headers that trickle count as well", async () => {
  const service = await servePartition({ pace: { bytes: 1, every: 10 }, stop: { after: { head: -1 }, by: "stall" } });
  const options = { baseUrl: service.baseUrl, retries: 0, timeout };
  const outcome = failureOf(getPartition(1, "topics", 0, options));
  await service.hasOpen(1);
  clock.pass(timeout - 1);
  expect(await service.open()).toHaveLength(1);
  clock.pass(1);
  expect(await outcome).toMatchObject({ code: "timeout", attempts: 1 });
  expect(await service.settled()).toEqual(["0 left"]);
});

test("a response in single bytes is a success", async () => {
  const service = await servePartition({
    body: '{"Findings":[{"Text":"Grüße 🙂"}],"errors":null}',
    pace: { bytes: 1, every: 1 },
  });
  const options = { baseUrl: service.baseUrl, retries: 0 };
  expect(await getPartition(1, "topics", 0, options)).toEqual([{ Text: "Grüße 🙂" }]);
});

/**
 * Waits until the service is in the middle of this response.
 * @param {import("./service.js").Service} service
 * @param {number} attempt
 */
async function isOnItsWay(service, attempt) {
  await expect.poll(async () => (await service.visits())[attempt - 1]?.sent ?? 0).toBeGreaterThan(bytes);
}

describe.for(callsForAll)("%s", ([, call]) => {
  test("merges partitions that trickle at different rates in index order", async () => {
    const service = await serve({
      rules: [60, 20, 40, 1].map((every, index) => ({ index, manner: { pace: { bytes: 2 * bytes, every } } })),
    });
    expect(await call({ baseUrl: service.baseUrl, retries: 0 })).toEqual(allFindings(4));
    expect(await service.requestsPerPartition()).toEqual([1, 1, 1, 1]);
  });
});
