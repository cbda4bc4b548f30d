/** Abort: the promise rejects with the signal's reason at once, and nothing continues or stays behind. */

import { FindingsClient, getFindings, getPartition, getPartitionCounts } from "inspection-findings";
import { describe, expect, test, vi } from "vitest";
import { refusal } from "../fake-backend/index.js";
import { clientOf } from "./clients.js";
import { allFindings, upTo, usualConcurrency } from "./inspection.js";
import { countListeners } from "./listeners.js";
import { never, pause, rejectionOf } from "./outcome.js";
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
 * @typedef {object} Moment
 * @property {() => void} [prepare]
 * @property {Options} [options]
 * @property {(traffic: Traffic) => boolean} reached
 */

const forever = vi.fn(() => /** @type {Promise<any>} */ (never()));

/** @type {Record<string, Moment>} */
const moments = {
  "while the counts are requested": {
    prepare: () => serve({ respond: noResponse }),
    reached: () => asked.length === 1,
  },
  "while partitions are requested": {
    prepare: () => serve({ partitions: 30, respond: ({ kind }) => (kind === undefined ? undefined : noResponse()) }),
    reached: ({ trips }) => trips.length === 1 + usualConcurrency && asked.length === 1 + usualConcurrency,
  },
  "in the middle of a body": {
    prepare: () =>
      serve({
        respond: ({ kind }) => (kind === undefined ? undefined : new Response(started('{"Findings":[{"Number":'))),
      }),
    reached: ({ trips }) => trips.length === 4 && asked.length === 4,
  },
  "while some partitions have come and others have not": {
    prepare: () => serve({ partitions: 30, respond: ({ index }) => (index % 3 === 1 ? noResponse() : undefined) }),
    reached: ({ trips }) =>
      trips.filter(({ state }) => state === "open").length === usualConcurrency &&
      // Of each three partitions the second is held.
      asked.some(({ index }) => index === 3 * usualConcurrency - 2),
  },
  "during a backoff": {
    prepare: () => {
      vi.spyOn(Math, "random").mockReturnValue(0.999);
      serve({ respond: () => new Response(null, { status: 500 }) });
    },
    reached: ({ trips }) => trips.length === 2 && trips[1].state !== "open",
  },
  "during the wait that a Retry-After asks for": {
    prepare: () => serve({ respond: () => refusal(429, "Slowly.", { "retry-after": "30" }) }),
    reached: ({ trips }) => trips.length === 1 && trips[0].state !== "open",
  },
  "while the headers function is asked": {
    prepare: () => forever.mockClear(),
    options: { headers: forever },
    reached: () => forever.mock.calls.length > 0,
  },
  "while the headers are renewed": {
    prepare: () => serve({ respond: () => new Response(null, { status: 401 }) }),
    options: { headers: ({ status }) => (status === 401 ? forever() : {}) },
    reached: ({ trips }) => trips.length === 1 && trips[0].state !== "open",
  },
  "while a call that collects lacks a partition": {
    prepare: () =>
      serve({
        partitions: usualConcurrency + 1,
        respond: ({ kind, index }) => {
          if (kind !== undefined) return index === 1 ? refusal(410, "Gone.") : noResponse();
        },
      }),
    options: { failurePolicy: "collect" },
    reached: ({ trips }) => trips.length === 2 + usualConcurrency,
  },
};

const cases = Object.entries(moments).map(([moment, how], place) => {
  const [reason, abort] = ways[place % ways.length];
  return { moment, ...how, reason, abort };
});

test.for(cases)(
  "an abort $moment with $reason rejects with the signal's reason, and nothing stays behind",
  async ({ prepare, options, reached, abort }) => {
    const traffic = new Traffic();
    const controller = new AbortController();
    const listeners = countListeners(controller.signal);
    prepare?.();
    const call = rejectionOf(getFindings(1, "topics", { ...options, fetch: traffic.fetch, signal: controller.signal }));
    await vi.waitUntil(() => reached(traffic));
    const requests = traffic.trips.length;
    abort(controller);
    const [reason, tasks] = await Promise.all([call, tasksUntil(call)]);
    expect(tasks).toBe(1);
    expect(Object.is(reason, controller.signal.reason)).toBe(true);
    expect(traffic.open).toBe(0);
    expect(traffic.trips.filter(({ state }) => state === "cancelled").every(({ init }) => init.signal.aborted)).toBe(
      true,
    );
    expect([listeners.added > 0, listeners.left]).toEqual([true, 0]);
    await pause(30);
    expect(traffic.trips).toHaveLength(requests);
  },
);

describe("an abort before the call", () => {
  test.for(ways)("with %s rejects with the signal's reason, and sends no request", async ([, abort]) => {
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
  });
});

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

test("the bodies of a fetch that ignores its signal are cancelled", async () => {
  const [read, cancelled] = [vi.fn(), vi.fn()];
  const body = () => new ReadableStream({ pull: read, cancel: cancelled }, { highWaterMark: 0 });
  const fetch = async (/** @type {string} */ href) =>
    href.includes("Topics") ? new Response(body()) : Response.json({ TopicPartitions: 3 });
  const controller = new AbortController();
  const call = rejectionOf(getFindings(1, "topics", { signal: controller.signal, fetch }));
  await vi.waitUntil(() => read.mock.calls.length === 3);
  controller.abort("enough");
  expect(await call).toBe("enough");
  await vi.waitUntil(() => cancelled.mock.calls.length === 3);
});

test("a body that comes after the abort, because the fetch ignores its signal, is cancelled", async () => {
  const [asked, cancelled] = [vi.fn(), vi.fn()];
  const late = Promise.withResolvers();
  const fetch = async (/** @type {string} */ href) => {
    if (!href.includes("Topics")) return Response.json({ TopicPartitions: 3 });
    asked();
    await late.promise;
    return new Response(new ReadableStream({ cancel: cancelled }));
  };
  const controller = new AbortController();
  const call = rejectionOf(getFindings(1, "topics", { signal: controller.signal, fetch }));
  await vi.waitUntil(() => asked.mock.calls.length === 3);
  controller.abort("enough");
  expect(await call).toBe("enough");
  expect(cancelled).not.toHaveBeenCalled();
  late.resolve(undefined);
  await vi.waitUntil(() => cancelled.mock.calls.length === 3);
});

test("what comes after the abort may be anything", async () => {
  const broken = Object.defineProperty({}, "body", { get: () => expect.fail("a body that throws") });
  const locked = new Response("locked");
  locked.body?.getReader();
  const values = [undefined, null, 7, {}, broken, locked];
  const late = Promise.withResolvers();
  const asked = vi.fn();
  const fetch = /** @type {any} */ (
    async (/** @type {string} */ href) => {
      if (!href.includes("Topics")) return Response.json({ TopicPartitions: values.length + 1 });
      asked();
      await late.promise;
      const index = Number(href.split("/").at(-1));
      if (index === values.length) throw new Error("late");
      return values[index];
    }
  );
  const controller = new AbortController();
  const options = { signal: controller.signal, fetch, concurrency: values.length + 1 };
  const call = rejectionOf(getFindings(1, "topics", options));
  await vi.waitUntil(() => asked.mock.calls.length === values.length + 1);
  controller.abort("enough");
  expect(await call).toBe("enough");
  late.resolve(undefined);
  await pause(30);
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
  const frame = document.body.appendChild(document.createElement("iframe"));
  const other = /** @type {Window & typeof globalThis} */ (frame.contentWindow);
  const [one, foreign] = [new AbortController(), new other.AbortController()];
  const any = AbortSignal.any([one.signal, new AbortController().signal]);
  for (const [controller, signal] of /** @type {const} */ ([
    [one, any],
    [foreign, foreign.signal],
  ])) {
    const call = rejectionOf(getFindings(1, "topics", { signal }));
    await pause(20);
    controller.abort("enough");
    expect(await call).toBe("enough");
  }
  frame.remove();
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

test("an event before the abort does not hide the abort", async () => {
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const signal = {
    aborted: false,
    reason: /** @type {unknown} */ (undefined),
    addEventListener: (/** @type {string} */ _event, /** @type {() => void} */ listener) => listeners.add(listener),
    removeEventListener: (/** @type {string} */ _event, /** @type {() => void} */ listener) =>
      listeners.delete(listener),
  };
  const dispatch = () => {
    for (const listener of [...listeners]) {
      listener();
    }
  };
  const wire = new Wire({ holds: () => true });
  const call = rejectionOf(clientOf(wire, { signal: /** @type {any} */ (signal) }).getFindings(1, "topics"));
  await vi.waitUntil(() => wire.open.length === 1);
  for (let time = 0; time < 3; time++) {
    dispatch();
    await pause(0);
  }
  Object.assign(signal, { aborted: true, reason: "enough" });
  dispatch();
  expect(await call).toBe("enough");
  expect(listeners.size).toBe(0);
});

/**
 * The number of tasks of the event loop that end before a promise settles.
 * @param {Promise<unknown>} promise
 */
async function tasksUntil(promise) {
  let isSettled = false;
  const settled = promise.finally(() => {
    isSettled = true;
  });
  let tasks = 0;
  const { port1, port2 } = new MessageChannel();
  while (!isSettled) {
    await new Promise((resolve) => {
      port1.onmessage = resolve;
      port2.postMessage(tasks++);
    });
  }
  port1.close();
  await settled;
  return tasks;
}
