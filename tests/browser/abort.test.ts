/** Abort, free and the leaving of a stream: the call ends at once, with the reason or a TypeError, and nothing continues or stays behind. */

import type { Options, PartitionStream } from "inspection-findings";
import { expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { asyncDispose, dispose } from "./dispose.js";
import { inWorker } from "./engine.js";
import { allFindings, upTo } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { gate, never, outcomeOf, pause, rejectionOf } from "./outcome.js";
import { FindingsClient, getFindings } from "./place.js";
import { addresses, importInRealm, openRealm } from "./realm.js";
import { watchTimers } from "./timers.js";
import { type Inspection, quiet, refused, Wire } from "./wire.js";

/** A moment at which a call can be ended: whether it has come. A stream has it after some reads, with or without another one that waits. */
interface Moment {
  inspection?: Inspection;
  options?: Options;
  hasCome(wire: Wire): boolean;
  isOfStream?: boolean;
  reads?: number;
  isIdle?: boolean;
}

const forever = vi.fn((): Promise<any> => never());
const stalledRead = vi.fn();
const stalled = () => new Response(new ReadableStream({ pull: stalledRead }, { highWaterMark: 0 }));

const waits = (count: number, open: number) => (wire: Wire) => wire.asked.length === count && wire.open.length === open;

const moments: Record<string, Moment> = {
  "before the call": { options: { headers: () => expect.fail("asked") }, isIdle: true, hasCome: () => true },
  "while the counts are requested": { inspection: { holds: () => true }, hasCome: waits(1, 1) },
  "in the middle of a body": {
    inspection: { respond: ({ index }) => (index < 0 ? undefined : stalled()) },
    hasCome: () => stalledRead.mock.calls.length === 3,
  },
  "during the backoffs of partitions": {
    inspection: { respond: ({ index }) => (index < 0 ? undefined : refused(500)) },
    hasCome: waits(4, 0),
  },
  "while the headers function is asked": {
    options: { headers: forever },
    hasCome: () => forever.mock.calls.length > 0,
  },
  "while a read waits, with partitions on the shelf": {
    inspection: { partitions: 9, holds: ({ index }) => index === 1 },
    ...{ isOfStream: true, reads: 1, hasCome: waits(5, 1) },
  },
  "with partitions on the shelf and on their way": {
    inspection: { partitions: 9, holds: ({ index }) => index === 2 },
    ...{ isOfStream: true, reads: 1, isIdle: true, hasCome: waits(5, 1) },
  },
};

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

const aborts: Ending[] = [
  ["an abort with a string", ({ controller }) => controller.abort("a string")],
  ["an abort with an Error", ({ controller }) => controller.abort(new RangeError("mine"))],
  ["an abort without a reason", ({ controller }) => controller.abort()],
  ["an abort with null", ({ controller }) => controller.abort(null)],
];
const free: Ending = ["free of the client", ({ client }) => client.free(), freed];
const leavings: Ending[] = [
  ["return()", ({ stream }) => stream.return?.(), { value: done }],
  ["the end of a block with await using", ({ stream }) => stream[asyncDispose](), { value: done }],
];

const cases = Object.entries(moments).flatMap(([moment, how], place) =>
  (how.isOfStream ? ["a stream"] : ["getFindings", "a stream"]).flatMap((call) =>
    [aborts[place % aborts.length] as Ending, free, ...(call === "a stream" ? leavings : [])].map(
      ([ending, end, outcome]) => ({ call, moment, how, ending, end, outcome }),
    ),
  ),
);

test.for(cases)("$ending $moment ends $call, and nothing stays behind", async ({ call, moment, how, end, outcome }) => {
  const { inspection, options, hasCome, reads = 0, isIdle = false } = how;
  const [wire, controller] = [new Wire(inspection), new AbortController()];
  const listeners = countListeners(controller.signal);
  for (const mock of [forever, stalledRead]) mock.mockClear();
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  // A worker is looked at by an interval.
  const timers = inWorker ? new Set() : watchTimers();
  const limits = { concurrency: 3, timeout: 1_000_000, totalTimeout: 1_000_000 };
  const client = new FindingsClient({ ...options, ...limits, fetch: wire.fetch, signal: controller.signal });
  const stream = client.streamPartitions(1, "topics");
  const next = () => outcomeOf(call === "a stream" ? stream.next() : client.getFindings(1, "topics"));
  for (const index of upTo(reads)) expect((await stream.next()).value?.index).toBe(index);
  const waiting = isIdle ? undefined : next();
  await vi.waitUntil(() => hasCome(wire));
  if (call === "a stream") await quiet();
  const { length: requests } = wire.asked;
  const unread = wire.asked.filter(
    ({ index, state }) => state === "open" || (index >= 0 && stalledRead.mock.calls.length > 0),
  );
  end({ client, controller, stream });
  const told: any = await Promise.race([waiting ?? next(), pause(0)]);
  expect(told, "the call should end at once").toBeDefined();
  if (outcome !== undefined) expect(told).toEqual(outcome);
  else expect(Object.is(told.reason, controller.signal.reason)).toBe(true);
  if (call === "a stream") expect(await stream.next()).toEqual(done);
  expect([wire.open, unread.every(({ signal }) => signal.aborted)]).toEqual([[], true]);
  await quiet();
  expect(wire.asked).toHaveLength(requests);
  expect([listeners.added > 0, listeners.left, timers.size]).toEqual([moment !== "before the call", 0, 0]);
  client.free();
});

const outOfTime = { reason: expect.objectContaining({ code: "timeout", kind: "topics", inspectionKey: 1 }) };

test.for([aborts[0] as Ending, free, ...leavings, ["totalTimeout", () => {}, outOfTime] satisfies Ending])(
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

test("a call that ends by itself leaves no listener and no timer", async () => {
  const timers = inWorker ? new Set() : watchTimers();
  const controller = new AbortController();
  const listeners = countListeners(controller.signal);
  const { signal } = controller;
  const { fetch } = new Wire({ respond: ({ inspectionKey }) => (inspectionKey === "2" ? refused(404) : undefined) });
  const options = { signal, fetch, totalTimeout: 60_000 };
  expect(await getFindings(1, "topics", options)).toEqual(allFindings(3));
  await rejectionOf(getFindings(2, "topics", options));
  await rejectionOf(getFindings(1, "topics", { signal, retries: -1 }));
  const client = new FindingsClient({ signal, fetch });
  await client.getPartition(1, "topics", 0);
  client.free();
  expect([listeners.added > 0, listeners.left, timers.size]).toEqual([true, 0, 0]);
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

test("a timer can abort a collecting call whose fetch refuses every partition at once", async () => {
  const respond = ({ index }: { index: number }) => (index < 0 ? undefined : new Response("", { status: 404 }));
  const wire = new Wire({ partitions: 20_000, respond });
  const controller = new AbortController();
  const call = clientOf(wire).getFindings(1, "topics", { failurePolicy: "collect", signal: controller.signal });
  setTimeout(() => controller.abort("enough"), 20);
  expect(await rejectionOf(call)).toBe("enough");
  expect(wire.asked.length).toBeLessThan(20_000);
});
