/** Abort and free: the promise rejects at once, with the signal's reason or a TypeError, and nothing continues or stays behind. */

import { describe, expect, test, vi } from "vitest";
import { clientOf } from "./clients.js";
import { dispose } from "./dispose.js";
import { allFindings, upTo, usualConcurrency } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { gate, never, pause, rejectionOf } from "./outcome.js";
import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "./place.js";
import { openRealm } from "./realm.js";
import { quiet, refused, Wire } from "./wire.js";

/** @typedef {import("inspection-findings").Options} Options */

/** @type {[string, (controller: AbortController) => void][]} */
const ways = [
  ["a string", (controller) => controller.abort("a string")],
  ["an Error", (controller) => controller.abort(new RangeError("mine"))],
  ["nothing", (controller) => controller.abort()],
  ["null", (controller) => controller.abort(null)],
  ["a number", (controller) => controller.abort(0)],
  ["a symbol", (controller) => controller.abort(Symbol("mine"))],
];

/**
 * A moment at which a call can be ended. `reached` returns whether the call waits at it.
 * @typedef {{ inspection?: import("./wire.js").Inspection, options?: Options, reached: (wire: Wire) => boolean }} Moment
 */

const forever = vi.fn(() => /** @type {Promise<any>} */ (never()));
const stalledRead = vi.fn();
const stalled = () => new Response(new ReadableStream({ pull: stalledRead }, { highWaterMark: 0 }));

/** @type {Record<string, Moment>} */
const moments = {
  "while the counts are requested": { inspection: { holds: () => true }, reached: ({ open }) => open.length === 1 },
  "while partitions are requested": {
    inspection: { partitions: 30, holds: ({ index }) => index >= 0 },
    reached: ({ open }) => open.length === usualConcurrency,
  },
  "in the middle of a body": {
    inspection: { respond: ({ index }) => (index < 0 ? undefined : stalled()) },
    reached: () => stalledRead.mock.calls.length === 3,
  },
  "during a backoff": {
    inspection: { respond: () => refused(500) },
    reached: ({ asked, open }) => asked.length === 2 && open.length === 0,
  },
  "during the wait that a Retry-After asks for": {
    inspection: { respond: () => refused(429, { headers: { "retry-after": "30" } }) },
    reached: ({ asked, open }) => asked.length === 1 && open.length === 0,
  },
  "while the headers function is asked": {
    options: { headers: forever },
    reached: () => forever.mock.calls.length > 0,
  },
  "while the headers are renewed": {
    inspection: { respond: () => refused(401) },
    options: { headers: ({ status }) => (status === 401 ? forever() : {}) },
    reached: () => forever.mock.calls.length > 0,
  },
};

const cases = Object.entries(moments).flatMap(([moment, how], place) => {
  const [reason, abort] = ways[place % ways.length];
  return [
    { ending: `an abort with ${reason}`, moment, ...how, abort },
    { ending: "free of the client", moment, ...how, abort: undefined },
  ];
});

test.for(cases)("$ending $moment rejects its call, and nothing stays behind", async (one) => {
  const { inspection, options, reached, abort } = one;
  const wire = new Wire(inspection);
  const controller = new AbortController();
  const listeners = countListeners(controller.signal);
  for (const mock of [forever, stalledRead]) mock.mockClear();
  vi.spyOn(Math, "random").mockReturnValue(0.999);
  const client = new FindingsClient({ ...options, fetch: wire.fetch, signal: controller.signal });
  const call = rejectionOf(client.getFindings(1, "topics"));
  await vi.waitUntil(() => reached(wire));
  const requests = wire.asked.length;
  const unread = wire.asked.filter(
    ({ index, state }) => state === "open" || (index >= 0 && stalledRead.mock.calls.length > 0),
  );
  if (abort === undefined) client.free();
  else abort(controller);
  const [reason, tasks] = await Promise.all([call, tasksUntil(call)]);
  expect(tasks).toBe(1);
  if (abort === undefined)
    expect(reason).toMatchObject({ name: "TypeError", message: "this FindingsClient has been freed" });
  else expect(Object.is(reason, controller.signal.reason)).toBe(true);
  expect([wire.open, unread.every(({ signal }) => signal.aborted)]).toEqual([[], true]);
  expect([listeners.added > 0, listeners.left]).toEqual([true, 0]);
  await quiet();
  expect(wire.asked).toHaveLength(requests);
});

test.for(ways)(
  "an abort before the call with %s rejects with the signal's reason, and sends no request",
  async ([, abort]) => {
    const wire = new Wire();
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    abort(controller);
    const { signal } = controller;
    const options = { signal, fetch: wire.fetch, headers: () => expect.fail("headers was called") };
    for (const call of [
      getPartitionCounts(1, options),
      getPartition(1, "topics", 0, options),
      getFindings(1, "topics", options),
    ]) {
      expect(Object.is(await rejectionOf(call), signal.reason)).toBe(true);
    }
    expect(listeners.left).toBe(0);
    await quiet();
    expect(wire.asked).toEqual([]);
  },
);

test("an abort or free right after the call rejects it, and sends no request", async () => {
  const wire = new Wire();
  const controller = new AbortController();
  const aborted = rejectionOf(getFindings(1, "topics", { signal: controller.signal, fetch: wire.fetch }));
  controller.abort("at once");
  const client = new FindingsClient({ fetch: wire.fetch });
  const freed = rejectionOf(client.getFindings(1, "topics"));
  client.free();
  expect([await aborted, await freed]).toEqual(["at once", expect.any(TypeError)]);
  await quiet();
  expect(wire.asked).toEqual([]);
});

test("free may be called again, and on a client that was never used", async () => {
  const client = new FindingsClient();
  client.free();
  client.free();
  client[dispose]();
  expect(await rejectionOf(client.getFindings(1, "topics"))).toBeInstanceOf(TypeError);
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

test("a call that ends by itself leaves no listener on the signal", async () => {
  const controller = new AbortController();
  const listeners = countListeners(controller.signal);
  const { signal } = controller;
  const { fetch } = new Wire({ respond: ({ inspectionKey }) => (inspectionKey === "2" ? refused(404) : undefined) });
  expect(await getFindings(1, "topics", { signal, fetch })).toEqual(allFindings(3));
  await rejectionOf(getFindings(2, "topics", { signal, fetch }));
  await rejectionOf(getFindings(1, "topics", { signal, retries: -1 }));
  await rejectionOf(getFindings(1, "topics", { signal, baseUrl: "ftp://service.test/" }));
  const client = new FindingsClient({ signal, fetch });
  await client.getPartition(1, "topics", 0);
  client.free();
  expect(listeners.added).toBeGreaterThan(0);
  expect(listeners.left).toBe(0);
});

describe("where the fetch ignores its signal, an abort", () => {
  /**
   * Aborts a call that waits for its partitions.
   * @param {number} partitions the number of partitions
   * @param {(index: number) => any} give returns the response for a partition
   * @param {() => boolean} [isReached] whether the call has reached the moment of the abort
   */
  async function abort(partitions, give, isReached = () => true) {
    const fetch = vi.fn(async (/** @type {string} */ href) =>
      href.includes("Topics") ? give(Number(href.split("/").at(-1))) : Response.json({ TopicPartitions: partitions }),
    );
    const controller = new AbortController();
    const call = rejectionOf(getFindings(1, "topics", { signal: controller.signal, fetch }));
    await vi.waitUntil(() => fetch.mock.calls.length === 1 + partitions && isReached());
    controller.abort("enough");
    expect(await call).toBe("enough");
  }

  test("cancels the bodies", async () => {
    const [read, cancelled] = [vi.fn(), vi.fn()];
    const body = () => new ReadableStream({ pull: read, cancel: cancelled }, { highWaterMark: 0 });
    await abort(
      3,
      () => new Response(body()),
      () => read.mock.calls.length === 3,
    );
    await vi.waitUntil(() => cancelled.mock.calls.length === 3);
  });

  test("cancels bodies that come after it", async () => {
    const [late, cancelled] = [gate(), vi.fn()];
    await abort(3, () => late.promise.then(() => new Response(new ReadableStream({ cancel: cancelled }))));
    expect(cancelled).not.toHaveBeenCalled();
    late.resolve(undefined);
    await vi.waitUntil(() => cancelled.mock.calls.length === 3);
  });

  test("may be followed by anything", async () => {
    const broken = Object.defineProperty({}, "body", { get: () => expect.fail("a body that throws") });
    const locked = new Response("locked");
    locked.body?.getReader();
    const values = [undefined, null, 7, {}, broken, locked];
    const late = gate();
    await abort(values.length + 1, (index) =>
      late.promise.then(() => (index < values.length ? values[index] : Promise.reject(new Error("late")))),
    );
    late.resolve(undefined);
    await pause(30);
  });
});

test("the unread body of a redirect is cancelled, also where the fetch ignores its signal", async () => {
  const cancelled = vi.fn();
  const fetch = async () => new Response(new ReadableStream({ cancel: cancelled }), { status: 302 });
  const refusal = await rejectionOf(getFindings(1, "topics", { fetch, retries: 0 }));
  expect(refusal).toMatchObject({ code: "http", status: 302 });
  await vi.waitUntil(() => cancelled.mock.calls.length === 1);
});

test("AbortSignal.timeout, AbortSignal.any and a signal of another window work like any other signal", async () => {
  const { fetch } = new Wire({ holds: () => true });
  const timeout = { fetch, signal: AbortSignal.timeout(50) };
  expect((await rejectionOf(getFindings(1, "topics", timeout))).name).toBe("TimeoutError");
  const controllers = [new AbortController(), new (await openRealm()).AbortController()];
  for (const [place, controller] of controllers.entries()) {
    const signal = place === 0 ? AbortSignal.any([controller.signal]) : controller.signal;
    const call = rejectionOf(getFindings(1, "topics", { fetch, signal }));
    await pause(20);
    controller.abort("enough");
    expect(await call).toBe("enough");
  }
});

describe("a signal that several calls share", () => {
  test("rejects all of them when it aborts, and later ones", async () => {
    const wire = new Wire({ holds: () => true });
    const [client, controller] = [clientOf(wire, { concurrency: 40 }), new AbortController()];
    const { signal } = controller;
    const calls = upTo(40).map((key) => rejectionOf(client.getFindings(key, "topics", { signal })));
    await vi.waitUntil(() => wire.open.length === 40);
    controller.abort("enough");
    calls.push(rejectionOf(client.getFindings(40, "topics", { signal })));
    expect(await Promise.all(calls)).toEqual(Array(41).fill("enough"));
  });

  test("still rejects the others after one of them has ended", async () => {
    const wire = new Wire({ holds: ({ inspectionKey }) => inspectionKey === "1" });
    const [client, controller] = [clientOf(wire), new AbortController()];
    const { signal } = controller;
    const waiting = rejectionOf(client.getFindings(1, "topics", { signal }));
    for (const key of [2, 3, 4]) {
      expect(await client.getFindings(key, "topics", { signal })).toEqual(allFindings(3));
    }
    controller.abort("enough");
    expect(await waiting).toBe("enough");
  });
});

test("an abort event without an abort does not hide the abort", async () => {
  const wire = new Wire({ holds: () => true });
  const controller = new AbortController();
  const call = rejectionOf(clientOf(wire, { signal: controller.signal }).getFindings(1, "topics"));
  await vi.waitUntil(() => wire.open.length === 1);
  controller.signal.dispatchEvent(new Event("abort"));
  await pause(0);
  controller.abort("enough");
  expect(await call).toBe("enough");
});

/** The number of tasks of the event loop that end before a promise settles. */
async function tasksUntil(/** @type {Promise<unknown>} */ promise) {
  let isSettled = false;
  promise.finally(() => {
    isSettled = true;
  });
  const { port1, port2 } = new MessageChannel();
  for (let tasks = 0; ; tasks++) {
    if (isSettled) {
      port1.close();
      return tasks;
    }
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(undefined);
    });
  }
}

test("a timer can abort a collecting call whose fetch refuses every partition at once", async () => {
  const respond = (/** @type {any} */ { index }) => (index < 0 ? undefined : new Response("", { status: 404 }));
  const wire = new Wire({ partitions: 20_000, respond });
  const controller = new AbortController();
  const call = clientOf(wire).getFindings(1, "topics", { failurePolicy: "collect", signal: controller.signal });
  setTimeout(() => controller.abort("enough"), 20);
  expect(await rejectionOf(call)).toBe("enough");
  expect(wire.asked.length).toBeLessThan(20_000);
});
