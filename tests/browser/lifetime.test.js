/** The lifetime of a client: free ends its calls, may be called again, and does not affect other clients. */

import { FindingsClient, getFindings } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { dispose } from "./dispose.js";
import { allFindings } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { gate, rejectionOf } from "./outcome.js";
import { quiet, Wire } from "./wire.js";

test("free rejects the calls in flight with a TypeError, cancels their requests, and leaves no listener", async () => {
  const wire = new Wire({ holds: ({ index, inspectionKey }) => index >= 0 || inspectionKey === "3" });
  const { signal } = new AbortController();
  const listeners = countListeners(signal);
  const client = new FindingsClient({ fetch: wire.fetch, signal });
  const calls = [client.getFindings(1, "topics"), client.getPartition(2, "sentiment", 0), client.getPartitionCounts(3)];
  const reasons = Promise.all(calls.map((call) => rejectionOf(call)));
  await vi.waitUntil(() => wire.open.length === 5);
  client.free();
  for (const reason of await reasons) {
    expect(reason).toBeInstanceOf(TypeError);
    expect(reason.message).toContain("freed");
  }
  expect([wire.cancelled.length, listeners.added > 0, listeners.left]).toEqual([5, true, 0]);
  await quiet();
  expect(wire.asked).toHaveLength(6);
});

test("free may be called again, and on a client that was never used", async () => {
  const client = new FindingsClient();
  client.free();
  client.free();
  client[dispose]();
  expect(await rejectionOf(client.getFindings(1, "topics"))).toBeInstanceOf(TypeError);
});

test("free right after a call rejects it", async () => {
  const wire = new Wire();
  const client = new FindingsClient({ fetch: wire.fetch });
  const call = rejectionOf(client.getFindings(1, "topics"));
  client.free();
  expect(await call).toBeInstanceOf(TypeError);
  await quiet();
  expect(wire.asked).toEqual([]);
});

test("free of one client leaves the calls of others alone", async () => {
  const held = gate();
  const wire = new Wire({ respond: () => held.promise });
  const [one, other] = [new FindingsClient({ fetch: wire.fetch }), clientOf(wire)];
  const ended = rejectionOf(one.getFindings(1, "topics"));
  const calls = [other.getFindings(1, "topics"), getFindings(1, "sentiment", { fetch: wire.fetch })];
  await vi.waitUntil(() => wire.open.length === 3);
  one.free();
  expect(await ended).toBeInstanceOf(TypeError);
  held.resolve(undefined);
  expect(await Promise.all(calls)).toEqual([allFindings(3), allFindings(3)]);
});

test("a client is freed at the end of its block by using", async () => {
  const { fetch } = new Wire();
  /** @type {FindingsClient} */
  let kept;
  {
    using client = new FindingsClient({ fetch });
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(3));
    kept = client;
  }
  expect(await rejectionOf(kept.getFindings(1, "topics"))).toBeInstanceOf(TypeError);
});
