/** Abort, free and the leaving of a stream, beside what `tests/unit/border/sweep.test.ts` proves of each moment of a call. */

import type { PartitionStream } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { asyncDispose, dispose } from "./dispose.js";
import { allFindings } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { gate, outcomeOf, rejectionOf } from "./outcome.js";
import { FindingsClient, getFindings } from "./place.js";
import { addresses, importInRealm, openRealm } from "./realm.js";
import { quiet, Wire } from "./wire.js";
import { collect } from "./wires";

interface Scene {
  controller: AbortController;
  client: FindingsClient;
  stream: PartitionStream<any>;
}

/** How a call ends, and what then comes of it: where that is left out, it rejects with the signal's reason. */
type Ending = [name: string, end: (scene: Scene) => unknown, outcome?: object];

const done = { done: true, value: undefined };
const freed = {
  reason: expect.objectContaining({
    name: "TypeError",
    message: "this FindingsClient has been freed: create another one",
  }),
};

const abort: Ending = ["an abort", ({ controller }) => controller.abort("a string")];
const free: Ending = ["free of the client", ({ client }) => client.free(), freed];
const leavings: Ending[] = [
  ["return()", ({ stream }) => stream.return?.(), { value: done }],
  ["the end of a block with await using", ({ stream }) => stream[asyncDispose](), { value: done }],
];

const outOfTime = { reason: expect.objectContaining({ code: "timeout", kind: "topics", inspectionKey: 1 }) };

test.for([abort, free, ...leavings, ["totalTimeout", () => {}, outOfTime] satisfies Ending])(
  "%s while the module is loaded ends its call, its request and preload(), and the load continues for others",
  async ([, end, outcome]) => {
    const wire = new Wire({ holds: () => true });
    const { window, package: findings } = await importInRealm();
    const { promise: module, resolve: deliver } = gate();
    window.fetch = (() => module) as any;
    const controller = new window.AbortController();
    const { signal } = controller;
    const listeners = countListeners(signal);
    const totalTimeout = outcome === outOfTime ? 100 : undefined;
    const client = new findings.FindingsClient({ fetch: wire.fetch, baseUrl: location.origin, signal, totalTimeout });
    const stream = client.streamPartitions(1, "topics");
    const other = findings.getFindings(1, "topics", { fetch: new Wire().fetch, baseUrl: location.origin });
    const [ended, preloaded] = [stream.next(), client.preload()].map(outcomeOf);
    await quiet();
    end({ stream, controller, client } as Scene);
    expect(await ended).toEqual(outcome ?? { reason: signal.reason });
    const isLeft = (await ended)?.reason === undefined;
    if (!isLeft) expect(String((await preloaded)?.reason)).toBe(String((await ended)?.reason));
    // The request for the counts had left beside that for the module.
    expect([listeners.left, wire.cancelled.map(({ index }) => index)]).toEqual([isLeft ? 1 : 0, [-1]]);
    deliver(await fetch(addresses.wasm));
    expect(await other).toHaveLength(6);
    expect(wire.asked).toHaveLength(1);
  },
);

test("an abort cancels the request that its call has sent while the module was loaded", async () => {
  const wire = new Wire({ holds: () => true });
  const { package: findings } = await importInRealm();
  const controller = new AbortController();
  const options = { baseUrl: location.origin, signal: controller.signal };
  const call = rejectionOf(findings.getFindings(1, "topics", { ...options, fetch: wire.fetch }));
  await findings.getFindings(1, "topics", { ...options, fetch: new Wire().fetch });
  controller.abort("enough");
  expect(await call).toBe("enough");
  expect([wire.asked.length, wire.cancelled.length]).toEqual([1, 1]);
});

test("a client is freed at the end of its block by using, may be freed again, and right after a call, which sends no request", async () => {
  const wire = new Wire();
  const begin = () => {
    using client = new FindingsClient({ fetch: wire.fetch });
    return { client, call: rejectionOf(client.getFindings(1, "topics")) };
  };
  const { client, call } = begin();
  client.free();
  client[dispose]();
  expect(await call).toBeInstanceOf(TypeError);
  await quiet();
  expect(wire.asked).toEqual([]);
});

test("an abort cancels the bodies of a fetch that ignores its signal, also those that come after it, and may be followed by anything", async () => {
  const [read, cancelled, late] = [vi.fn(), vi.fn(), gate()];
  const response = () => new Response(new ReadableStream({ pull: read, cancel: cancelled }, { highWaterMark: 0 }));
  const lateOnes: (() => unknown)[] = [response, () => undefined, () => ({}), () => Promise.reject(new Error("late"))];
  const partitions = [response(), ...lateOnes.map((make) => late.promise.then(make))];
  const fetch = async (href: string): Promise<any> =>
    href.includes("Topics") ? partitions[Number(href.at(-1))] : Response.json({ TopicPartitions: 5 });
  const controller = new AbortController();
  const call = rejectionOf(getFindings(1, "topics", { signal: controller.signal, fetch }));
  await vi.waitUntil(() => read.mock.calls.length === 1);
  await quiet();
  controller.abort("enough");
  expect(await call).toBe("enough");
  await vi.waitUntil(() => cancelled.mock.calls.length === 1);
  late.resolve(undefined);
  await vi.waitUntil(() => cancelled.mock.calls.length === 2);
});

test("a signal that several calls share, also of another window, rejects those that run when it aborts, and later ones", async () => {
  const wire = new Wire({ holds: ({ inspectionKey }) => inspectionKey !== "2" });
  // The timeout of an attempt would look at the signal.
  const client = clientOf(wire, { timeout: 1_000_000 });
  for (const { AbortController } of [window, await openRealm()]) {
    const controller = new AbortController();
    const { signal } = controller;
    const waiting = [1, 3].map((key) => rejectionOf(client.getFindings(key, "topics", { signal })));
    expect(await client.getFindings(2, "topics", { signal })).toEqual(allFindings(3));
    controller.abort("enough");
    waiting.push(rejectionOf(client.getFindings(4, "topics", { signal })));
    expect(await Promise.all(waiting)).toEqual(["enough", "enough", "enough"]);
  }
});

test.for([
  ["refuses", () => new Response("", { status: 404 })],
  ["rejects", () => Promise.reject(new Error("refused"))],
] as const)("a timer can abort a collecting call whose fetch %s for every partition at once", async ([, refuse]) => {
  const respond = ({ index }: { index: number }) => (index < 0 ? undefined : refuse());
  const wire = new Wire({ partitions: 20_000, respond });
  const controller = new AbortController();
  const options = { ...collect, retries: 0, signal: controller.signal };
  const call = clientOf(wire).getFindings(1, "topics", options);
  setTimeout(() => controller.abort("enough"), 20);
  expect(await rejectionOf(call)).toBe("enough");
  expect(wire.asked.length).toBeLessThan(20_000);
});

test("a fetch that aborts its own call is cancelled, as are those before it", async () => {
  const wire = new Wire({ partitions: 3, holds: ({ index }) => index >= 0 });
  const controller = new AbortController();
  const signals: AbortSignal[] = [];
  const fetch = (href: string, init: RequestInit) => {
    if (href.includes("Topics")) signals.push(init.signal as AbortSignal);
    if (href.endsWith("Topics/1")) controller.abort("enough");
    return wire.fetch(href, init);
  };
  const client = clientOf({ fetch } as Wire);
  expect(await rejectionOf(client.getFindings(1, "topics", { signal: controller.signal }))).toBe("enough");
  await vi.waitFor(() => expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]));
});
