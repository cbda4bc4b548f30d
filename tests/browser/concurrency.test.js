/** Concurrency: at most the allowed number of requests in flight, over all calls of a client, and each index exactly once. */

import { FindingsClient, getFindings } from "inspection-findings";
import { describe, expect, test } from "vitest";
import { allFindings, findingsOf, usualConcurrency } from "./inspection.js";
import { gate, pause, rejectionOf } from "./outcome.js";
import { asked, serve } from "./service.js";
import { Traffic } from "./traffic.js";

/** @param {number} most */
function jitter(most) {
  return async () => void (await pause(Math.random() * most));
}

test.for([1, 2, 3, 6, 10])("with a concurrency of %i exactly as many requests are in flight", async (concurrency) => {
  const traffic = new Traffic();
  serve({ partitions: 24, respond: jitter(10) });
  expect(await getFindings(1, "topics", { concurrency, fetch: traffic.fetch })).toEqual(allFindings(24));
  expect(traffic.most).toBe(concurrency);
});

test(`the concurrency is ${usualConcurrency} by default`, async () => {
  const traffic = new Traffic();
  serve({ partitions: 24, respond: jitter(10) });
  await getFindings(1, "topics", { fetch: traffic.fetch });
  expect(traffic.most).toBe(usualConcurrency);
});

test("a slow partition delays no other, and takes one permit", async () => {
  const slow = gate();
  serve({ partitions: 12, respond: ({ index }) => (index === 0 ? slow.promise.then(() => undefined) : undefined) });
  const call = getFindings(1, "topics", {
    concurrency: 3,
    onProgress: ({ partitionsDone }) => partitionsDone === 11 && slow.resolve(undefined),
  });
  expect(await call).toEqual(allFindings(12));
});

test("a body that has not been read to its end still counts as in flight", async () => {
  const traffic = new Traffic();
  serve({
    partitions: 6,
    respond: ({ index }) => (index < 0 ? undefined : trickling(JSON.stringify({ Findings: findingsOf(index) }))),
  });
  expect(await getFindings(1, "topics", { concurrency: 2, fetch: traffic.fetch })).toEqual(allFindings(6));
  expect(traffic.most).toBe(2);
});

test("each index is requested exactly once and merged in order, however the responses overtake each other", async () => {
  serve({ partitions: 60, respond: jitter(30) });
  expect(await getFindings(1, "topics", { concurrency: 20 })).toEqual(allFindings(60));
  expect(asked.map(({ index }) => index).toSorted((one, other) => one - other)).toEqual(
    Array.from({ length: 61 }, (_, place) => place - 1),
  );
});

test("responses in reverse order are merged in index order", async () => {
  const gates = Array.from({ length: 8 }, gate);
  serve({ partitions: 8, respond: ({ index }) => gates[index]?.promise.then(() => undefined) });
  const call = getFindings(1, "topics", { concurrency: 8 });
  for (const { resolve } of gates.toReversed()) {
    resolve(undefined);
    await pause(5);
  }
  expect(await call).toEqual(allFindings(8));
});

describe("of a client", () => {
  test("is shared by all its calls", async () => {
    const traffic = new Traffic();
    serve({ partitions: 8, respond: jitter(10) });
    const client = new FindingsClient({ concurrency: 4, fetch: traffic.fetch });
    const calls = await Promise.all([
      client.getFindings(1, "topics"),
      client.getFindings(2, "sentiment"),
      client.getPartition(3, "topics", 5),
      client.getPartitionCounts(4),
    ]);
    expect(calls[0]).toEqual(allFindings(8));
    expect(calls[1]).toEqual(allFindings(8));
    expect(calls[2]).toEqual(findingsOf(5));
    expect(traffic.most).toBe(4);
    client.free();
  });

  test("serves 40 calls at once", async () => {
    const traffic = new Traffic();
    serve({ partitions: 5, respond: jitter(5) });
    const client = new FindingsClient({ fetch: traffic.fetch });
    const results = await Promise.all(Array.from({ length: 40 }, (_, key) => client.getFindings(key, "sentiment")));
    for (const findings of results) {
      expect(findings).toEqual(allFindings(5));
    }
    expect(traffic.most).toBe(usualConcurrency);
    expect(traffic.trips).toHaveLength(40 * 6);
    client.free();
  });

  test("serves 40 calls at once of which some fail and some are aborted", async () => {
    const traffic = new Traffic();
    serve({
      partitions: 5,
      respond: async ({ inspectionKey, index }) => {
        await pause(Math.random() * 5);
        return Number(inspectionKey) % 3 === 0 && index === 2 ? new Response(null, { status: 404 }) : undefined;
      },
    });
    const client = new FindingsClient({ concurrency: 5, fetch: traffic.fetch });
    const outcomes = await Promise.all(
      Array.from({ length: 40 }, (_, key) =>
        client.getFindings(key, "topics", key % 3 === 1 ? { signal: AbortSignal.timeout(key * 3) } : {}).then(
          (findings) => findings.length,
          (error) => error.code ?? error.name,
        ),
      ),
    );
    const possible = [["http"], [10, DOMException.TIMEOUT_ERR], [10]];
    for (const [key, outcome] of outcomes.entries()) {
      expect(possible[key % 3], `inspection ${key}`).toContain(outcome);
    }
    expect(outcomes).toContain(DOMException.TIMEOUT_ERR);
    expect(traffic.most).toBe(5);
    expect(traffic.open).toBe(0);
    expect(await client.getFindings(1, "topics")).toEqual(allFindings(5));
    client.free();
  });

  test("is lowered for a call by the call's own concurrency", async () => {
    const traffic = new Traffic();
    serve({ partitions: 12, respond: jitter(10) });
    const client = new FindingsClient({ concurrency: 6 });
    expect(await client.getFindings(1, "topics", { concurrency: 2, fetch: traffic.fetch })).toEqual(allFindings(12));
    expect(traffic.most).toBe(2);
    client.free();
  });

  test("is not raised by a call's own concurrency", async () => {
    const traffic = new Traffic();
    serve({ partitions: 12, respond: jitter(10) });
    const client = new FindingsClient({ concurrency: 2 });
    await client.getFindings(1, "topics", { concurrency: 9, fetch: traffic.fetch });
    expect(traffic.most).toBe(2);
    client.free();
  });

  test("is not exhausted by a call with a lower one", async () => {
    const traffic = new Traffic();
    const open = gate();
    serve({
      partitions: 3,
      respond: async ({ inspectionKey, index }) => void (inspectionKey === "1" && index >= 0 && (await open.promise)),
    });
    const client = new FindingsClient({ concurrency: 2, fetch: traffic.fetch });
    const stuck = client.getFindings(1, "topics", { concurrency: 1 });
    expect(await client.getFindings(2, "topics")).toEqual(allFindings(3));
    open.resolve(undefined);
    expect(await stuck).toEqual(allFindings(3));
    client.free();
  });

  test("is not shared with another client", async () => {
    const traffic = new Traffic();
    serve({ partitions: 10, respond: jitter(10) });
    const clients = [new FindingsClient({ concurrency: 2 }), new FindingsClient({ concurrency: 3 })];
    await Promise.all(clients.map((client) => client.getFindings(1, "topics", { fetch: traffic.fetch })));
    expect(traffic.most).toBe(5);
    for (const client of clients) {
      client.free();
    }
  });

  test("regains the permits of a call that was aborted while it waited for one", async () => {
    const open = gate();
    serve({
      partitions: 1,
      respond: async ({ inspectionKey }) => void (inspectionKey === "1" && (await open.promise)),
    });
    const client = new FindingsClient({ concurrency: 1 });
    const first = client.getPartition(1, "topics", 0);
    const controller = new AbortController();
    const waiting = client.getPartition(2, "topics", 0, { signal: controller.signal });
    const last = client.getPartition(3, "topics", 0);
    await pause(20);
    controller.abort("gone");
    expect(await rejectionOf(waiting)).toBe("gone");
    open.resolve(undefined);
    expect(await first).toEqual(findingsOf(0));
    expect(await last).toEqual(findingsOf(0));
    expect(asked.map(({ inspectionKey }) => inspectionKey)).toEqual(["1", "3"]);
    client.free();
  });
});

/**
 * A response in slow pieces.
 * @param {string} text
 */
function trickling(text) {
  const pieces = text.match(/.{1,10}/gs) ?? [];
  return new Response(
    new ReadableStream({
      async pull(controller) {
        await pause(1);
        const piece = pieces.shift();
        if (piece === undefined) {
          controller.close();
        } else {
          controller.enqueue(new TextEncoder().encode(piece));
        }
      },
    }),
  );
}
