/** Abort: the promise rejects with the signal's reason at once, and nothing continues or stays behind. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { refusal } from "../fake-backend/index.js";
import { clientOf } from "./clients.js";
import { allFindings, upTo, usualConcurrency } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { gate, never, pause, rejectionOf } from "./outcome.js";
import { openRealm } from "./realm.js";
import { asked, noResponse, serve, started } from "./service.js";
import { Traffic } from "./traffic.js";
import { Wire } from "./wire.js";

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
 * A moment at which a call can be aborted. `reached` resolves when the call waits at it.
 * @typedef {{ inspection?: Parameters<typeof serve>[0], options?: Options, reached: (traffic: Traffic) => boolean }} Moment
 */

const forever = vi.fn(() => /** @type {Promise<any>} */ (never()));
const [unauthorized, unavailable] = [401, 500].map((status) => () => new Response(null, { status }));

/** @type {Record<string, Moment>} */
const moments = {
  "while the counts are requested": {
    inspection: { respond: noResponse },
    reached: () => asked.length === 1,
  },
  "while partitions are requested": {
    inspection: { partitions: 30, respond: ({ kind }) => kind && noResponse() },
    reached: ({ trips }) => trips.length === 1 + usualConcurrency && asked.length === 1 + usualConcurrency,
  },
  "in the middle of a body": {
    inspection: { respond: ({ kind }) => kind && new Response(started('{"Findings":[{"Number":')) },
    reached: ({ trips }) => trips.length === 4 && asked.length === 4,
  },
  "during a backoff": {
    inspection: { respond: unavailable },
    reached: ({ trips }) => trips.length === 2 && trips[1].state !== "open",
  },
  "during the wait that a Retry-After asks for": {
    inspection: { respond: () => refusal(429, "Slowly.", { "retry-after": "30" }) },
    reached: ({ trips }) => trips.length === 1 && trips[0].state !== "open",
  },
  "while the headers function is asked": {
    options: { headers: forever },
    reached: () => forever.mock.calls.length > 0,
  },
  "while the headers are renewed": {
    inspection: { respond: unauthorized },
    options: { headers: ({ status }) => (status === 401 ? forever() : {}) },
    reached: ({ trips }) => trips.length === 1 && trips[0].state !== "open",
  },
};

const cases = Object.entries(moments).map(([moment, how], place) => {
  const [reason, abort] = ways[place % ways.length];
  return { moment, ...how, reason, abort };
});

test.for(cases)(
  "an abort $moment with $reason rejects with the signal's reason, and nothing stays behind",
  async ({ inspection, options, reached, abort }) => {
    const traffic = new Traffic();
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    forever.mockClear();
    serve(inspection);
    vi.spyOn(Math, "random").mockReturnValue(0.999);
    const call = rejectionOf(getFindings(1, "topics", { ...options, fetch: traffic.fetch, signal: controller.signal }));
    await vi.waitUntil(() => reached(traffic));
    const requests = traffic.trips.length;
    abort(controller);
    const [reason, tasks] = await Promise.all([call, tasksUntil(call)]);
    expect(tasks).toBe(1);
    expect(Object.is(reason, controller.signal.reason)).toBe(true);
    expect(traffic.open).toBe(0);
    expect(traffic.trips.every(({ state, init }) => state !== "cancelled" || init.signal.aborted)).toBe(true);
    expect([listeners.added > 0, listeners.left]).toEqual([true, 0]);
    await pause(30);
    expect(traffic.trips).toHaveLength(requests);
  },
);

test.for(ways)(
  "an abort before the call with %s rejects with the signal's reason, and sends no request",
  async ([, abort]) => {
    const traffic = new Traffic();
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    abort(controller);
    const { signal } = controller;
    const options = { signal, fetch: traffic.fetch, headers: () => expect.fail("headers was called") };
    for (const call of [
      getPartitionCounts(1, options),
      getPartition(1, "topics", 0, options),
      getFindings(1, "topics", options),
    ]) {
      expect(Object.is(await rejectionOf(call), signal.reason)).toBe(true);
    }
    expect(listeners.left).toBe(0);
    await pause(20);
    expect(traffic.trips).toEqual([]);
  },
);

test("an abort right after the call rejects with the signal's reason, and sends no request", async () => {
  const traffic = new Traffic();
  const controller = new AbortController();
  const call = rejectionOf(getFindings(1, "topics", { signal: controller.signal, fetch: traffic.fetch }));
  controller.abort("at once");
  expect(await call).toBe("at once");
  await pause(20);
  expect(traffic.trips).toEqual([]);
});

test("a call that ends by itself leaves no listener on the signal", async () => {
  const controller = new AbortController();
  const listeners = countListeners(controller.signal);
  const { signal } = controller;
  serve({ respond: ({ inspectionKey }) => (inspectionKey === "2" ? new Response(null, { status: 404 }) : undefined) });
  expect(await getFindings(1, "topics", { signal })).toEqual(allFindings(3));
  await rejectionOf(getFindings(2, "topics", { signal }));
  await rejectionOf(getFindings(1, "topics", { signal, retries: -1 }));
  await rejectionOf(getFindings(1, "topics", { signal, baseUrl: "ftp://service.test/" }));
  const client = new FindingsClient({ signal });
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
  serve({ respond: noResponse });
  expect((await rejectionOf(getFindings(1, "topics", { signal: AbortSignal.timeout(50) }))).name).toBe("TimeoutError");
  const controllers = [new AbortController(), new (await openRealm()).AbortController()];
  for (const [place, controller] of controllers.entries()) {
    const signal = place === 0 ? AbortSignal.any([controller.signal]) : controller.signal;
    const call = rejectionOf(getFindings(1, "topics", { signal }));
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
