/** The scheduler: the limits that the calls of one client share. How it keeps them is proved by the simulation in Rust. */

import { getFindings } from "inspection-findings";
import { beforeEach, describe, expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { allFindings, upTo, usualConcurrency } from "./inspection.js";
import { failureOf } from "./outcome.js";
import { withoutBackoff } from "./timers.js";
import { refused, Wire } from "./wire.js";

beforeEach(withoutBackoff);

describe("the concurrency", () => {
  test(`is ${usualConcurrency} by default`, async () => {
    const wire = new Wire({ partitions: 24 });
    expect(await getFindings(1, "topics", { fetch: wire.fetch })).toEqual(allFindings(24));
    expect(wire.most).toBe(usualConcurrency);
  });

  test("of a client is shared by all its calls, streams too", async () => {
    const wire = new Wire({ partitions: 9 });
    const client = clientOf(wire, { concurrency: 2 });
    const [findings, partitions, table] = await Promise.all([
      client.getFindings(1, "topics"),
      Array.fromAsync(client.streamPartitions(2, "topics")),
      client.loadTable(3, "sentiment"),
      client.getPartition(4, "topics", 3),
    ]);
    expect(findings).toEqual(allFindings(9));
    expect(partitions.flatMap(({ findings }) => findings)).toEqual(allFindings(9));
    expect(table.toArray()).toEqual(allFindings(9));
    table.free();
    expect(wire.most).toBe(2);
  });

  test.for([
    { ofClient: 6, ofCall: 2 },
    { ofClient: 2, ofCall: 9 },
  ])("of a call ($ofCall) only lowers that of its client ($ofClient)", async ({ ofClient, ofCall }) => {
    const wire = new Wire({ partitions: 12 });
    await clientOf(wire, { concurrency: ofClient }).getFindings(1, "topics", { concurrency: ofCall });
    expect(wire.most).toBe(2);
  });

  test("of a client is not exhausted by a call with a lower one", async () => {
    const wire = new Wire({ holds: ({ inspectionKey, index }) => inspectionKey === "1" && index === 0 });
    const client = clientOf(wire, { concurrency: 2 });
    const stuck = client.getFindings(1, "topics", { concurrency: 1 });
    expect(await client.getFindings(2, "topics")).toEqual(allFindings(3));
    await vi.waitUntil(() => wire.open.length === 1);
    wire.release(0);
    expect(await stuck).toEqual(allFindings(3));
  });
});

describe("the retry budget", () => {
  const noneLeft = /not retried because too many requests of this client have failed/;
  const broken = () => new Wire({ respond: () => refused(503) });

  test("is 100 retries, shared by all calls of a client, and a failure without one says so", async () => {
    const wire = broken();
    const client = clientOf(wire, { retries: 1000 });
    const failures = await Promise.all(upTo(6).map((key) => failureOf(client.getPartition(key, "topics", 0))));
    expect(wire.asked).toHaveLength(6 + 100);
    for (const { message } of failures) expect(message).toMatch(noneLeft);
    expect(await failureOf(client.getPartitionCounts(9))).toMatchObject({ attempts: 1, status: 503 });
  });

  test("is not shared with another client, like all that calls of a client share", async () => {
    const wire = broken();
    for (const _ of upTo(2)) {
      const client = clientOf(wire, { retries: 1000 });
      expect((await failureOf(client.getPartition(1, "topics", 0))).attempts).toBe(101);
    }
  });
});
