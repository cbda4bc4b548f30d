/** Clients that extend another: which options their calls have, and what the clients share. */

import { FindingsClient } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { allFindings } from "./inspection.js";
import { rejectionOf } from "./outcome.js";
import { Wire } from "./wire.js";
import { holding } from "./wires";

test("the options of an extended client win over those of its client, and those of a call over both", async () => {
  const { fetch } = new Wire({ partitions: 2 });
  const [ofClient, ofExtended, ofCall] = [vi.fn(), vi.fn(), vi.fn()];
  const seen: (string | null)[] = [];
  using client = new FindingsClient({
    fetch: (href, init) => {
      seen.push(new Headers(init.headers).get("x-from"));
      return fetch(href, init);
    },
    headers: { "x-from": "client" },
    onProgress: ofClient,
  });
  const extended = client.extend({ headers: { "x-from": "extended" }, onProgress: ofExtended });
  expect(await extended.getFindings(1, "topics")).toEqual(allFindings(2));
  expect([ofClient.mock.calls.length, ofExtended.mock.calls.length]).toEqual([0, 3]);
  await extended.extend({ onProgress: null }).getFindings(1, "topics");
  (await extended.loadTable(1, "topics", { onProgress: ofCall })).free();
  expect([ofExtended.mock.calls.length, ofCall.mock.calls.length]).toEqual([3, 3]);
  expect(new Set(seen)).toEqual(new Set(["extended"]));
  await client.getPartitionCounts(1);
  expect(seen.at(-1)).toBe("client");
});

test("neither a call nor an extension raises the limits of a client or of an extension", async () => {
  const wire = new Wire({ partitions: 8 });
  for (const limited of [clientOf(wire, { concurrency: 2 }), clientOf(wire).extend({ concurrency: 2 })]) {
    await limited.preload();
    for (const each of [limited, limited.extend({ concurrency: 8 }), limited.extend({ retries: 0 })])
      await each.getFindings(1, "topics", { concurrency: 8, maxBufferedBytes: 2 ** 30 });
  }
  expect(wire.most).toBe(2);
});

/** Calls of a client that wait for their last partition, each with what it does once that has arrived. */
const calls: [string, (client: FindingsClient) => Promise<unknown>][] = [
  ["getFindings", (client) => client.getFindings(1, "topics")],
  ["streamPartitions", (client) => Array.fromAsync(client.streamPartitions(1, "topics"))],
  ["watchTable", (client) => client.watchTable(1, "topics").done],
];

const freed = { name: "TypeError", message: "this FindingsClient has been freed: create another one" };

test.for(calls)(
  "free() of an extension ends its %s, but no call of its client or of another extension, and free() of the client ends all",
  async ([, call]) => {
    const wire = holding(2, 1);
    const client = clientOf(wire);
    const [other, extension] = [client.extend({ retries: 1 }), client.extend({ retries: 2 })];
    const goesOn = [client, other].map(call);
    const ends = [extension, extension.extend({})].map((each) => rejectionOf(call(each)));
    await vi.waitUntil(() => wire.open.length === 4);
    extension.free();
    for (const reason of await Promise.all(ends)) expect(reason).toMatchObject(freed);
    wire.release(1);
    for (const result of await Promise.all(goesOn)) expect(result).toBeDefined();
    const ended = [client, other, other.extend({})].map((each) => rejectionOf(call(each)));
    client.free();
    for (const reason of await Promise.all(ended)) expect(reason).toMatchObject(freed);
    for (const each of [extension, client, other]) {
      expect(await rejectionOf(each.getPartitionCounts(1))).toMatchObject(freed);
    }
  },
);

test("wrong options are an error of each call of the extended client alone", async () => {
  const client = clientOf(new Wire());
  for (const options of [{ retries: -1 }, { columns: [] }, { retry: 1 }, null] as object[]) {
    const extended = client.extend(options);
    expect(await rejectionOf(extended.getFindings(1, "topics"))).toBeInstanceOf(
      "retries" in (options ?? {}) ? RangeError : TypeError,
    );
    await rejectionOf(extended.preload());
  }
  expect((await client.getPartitionCounts(1)).topics.partitions).toBe(3);
});
