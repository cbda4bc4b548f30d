/** The lifetime of a client: free ends its calls, may be called again, and does not affect other clients. */

import { FindingsClient, getFindings } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { dispose } from "./dispose.js";
import { allFindings } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { pause, rejectionOf } from "./outcome.js";
import { noResponse, serve } from "./service.js";
import { Traffic } from "./traffic.js";

test("free rejects the calls in flight with a TypeError, cancels their requests, and leaves no listener", async () => {
  const traffic = new Traffic();
  serve({
    respond: ({ kind, inspectionKey }) => (kind === undefined && inspectionKey !== "3" ? undefined : noResponse()),
  });
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  const client = new FindingsClient({ fetch: traffic.fetch, signal });
  const calls = [client.getFindings(1, "topics"), client.getPartition(2, "sentiment", 0), client.getPartitionCounts(3)];
  const reasons = Promise.all(calls.map((call) => rejectionOf(call)));
  await vi.waitUntil(() => traffic.open === 5);
  client.free();
  for (const reason of await reasons) {
    expect(reason).toBeInstanceOf(TypeError);
    expect(reason.message).toContain("freed");
  }
  expect(traffic.open).toBe(0);
  expect([listeners.added > 0, listeners.left]).toEqual([true, 0]);
  await pause(20);
  expect(traffic.trips).toHaveLength(6);
});

test("free may be called again, and on a client that was never used", async () => {
  const client = new FindingsClient();
  client.free();
  client.free();
  client[dispose]();
  expect(await rejectionOf(client.getFindings(1, "topics"))).toBeInstanceOf(TypeError);
});

test("free right after a call rejects it", async () => {
  const traffic = new Traffic();
  const client = new FindingsClient({ fetch: traffic.fetch });
  const call = rejectionOf(client.getFindings(1, "topics"));
  client.free();
  expect(await call).toBeInstanceOf(TypeError);
  await pause(20);
  expect(traffic.trips).toEqual([]);
});

test("free of one client leaves the calls of others alone", async () => {
  serve({ respond: () => pause(20).then(() => undefined) });
  const [one, other] = [new FindingsClient(), new FindingsClient()];
  const ended = rejectionOf(one.getFindings(1, "topics"));
  const calls = Promise.all([other.getFindings(1, "topics"), getFindings(1, "sentiment")]);
  await pause(10);
  one.free();
  expect(await ended).toBeInstanceOf(TypeError);
  expect(await calls).toEqual([allFindings(3), allFindings(3)]);
  other.free();
});

test("a client is freed at the end of its block by using", async () => {
  serve();
  /** @type {FindingsClient} */
  let kept;
  {
    using client = new FindingsClient();
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(3));
    kept = client;
  }
  expect(await rejectionOf(kept.getFindings(1, "topics"))).toBeInstanceOf(TypeError);
});
