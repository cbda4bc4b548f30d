/** The shared listener: calls that share a signal have one listener, and each is aborted. */

import { FindingsClient } from "inspection-findings";
import { afterEach, expect, test, vi } from "vitest";
import { never, pause, rejectionOf } from "./outcome.js";
import { fetchOf, likelyFinding } from "./tables.js";

afterEach(() => vi.restoreAllMocks());

const some = [likelyFinding(0), likelyFinding(1)];

/** Counts the abort listeners on all signals, including the package's own. */
function countOnEverySignal() {
  /** @type {Map<EventTarget, Set<unknown>>} */
  const listeners = new Map();
  let most = 0;
  const { addEventListener, removeEventListener } = EventTarget.prototype;
  vi.spyOn(EventTarget.prototype, "addEventListener").mockImplementation(
    /** @this {EventTarget} @param {string} type @param {any} listener @param {any} options */ function (
      type,
      listener,
      options,
    ) {
      if (type === "abort") {
        const ofTarget = listeners.get(this) ?? new Set();
        listeners.set(this, ofTarget.add(listener));
        most = Math.max(most, ofTarget.size);
      }
      return addEventListener.call(this, type, listener, options);
    },
  );
  vi.spyOn(EventTarget.prototype, "removeEventListener").mockImplementation(
    /** @this {EventTarget} @param {string} type @param {any} listener @param {any} options */ function (
      type,
      listener,
      options,
    ) {
      listeners.get(this)?.delete(listener);
      return removeEventListener.call(this, type, listener, options);
    },
  );
  return {
    get most() {
      return most;
    },
    get left() {
      return [...listeners.values()].reduce((sum, { size }) => sum + size, 0);
    },
  };
}

test("forty parallel calls and streams have one listener per signal, and afterwards none", async () => {
  const listeners = countOnEverySignal();
  const respond = fetchOf([some, some]);
  const fetch = (/** @type {string} */ href) => pause(5).then(() => respond(href));
  const client = new FindingsClient({ fetch: /** @type {any} */ (fetch) });
  const { signal } = new AbortController();
  const streamed = async (/** @type {number} */ key) => {
    for await (const { findings } of client.streamPartitions(key, "topics", { signal })) {
      expect(findings).toEqual(some);
    }
  };
  await Promise.all([
    ...Array.from({ length: 40 }, (_, key) => client.getFindings(key, "topics", { signal })),
    ...Array.from({ length: 40 }, (_, key) => client.getFindings(key, "topics")),
    ...Array.from({ length: 40 }, (_, key) => streamed(key)),
  ]);
  expect(listeners.most).toBe(1);
  client.free();
  await pause(0);
  // Each stream has an internal signal with one listener.
  expect(listeners.left).toBeLessThanOrEqual(40);
});

test("an abort of a shared signal rejects all its calls, later ones too", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const client = new FindingsClient({ fetch: /** @type {any} */ (never) });
  const calls = Array.from({ length: 40 }, (_, key) => rejectionOf(client.getFindings(key, "topics", { signal })));
  await pause(5);
  controller.abort("enough");
  calls.push(rejectionOf(client.getFindings(40, "topics", { signal })));
  expect(await Promise.all(calls)).toEqual(Array(41).fill("enough"));
  client.free();
});

test("a call that ends does not affect the others with its signal", async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const client = new FindingsClient({ fetch: fetchOf([some]) });
  const waiting = rejectionOf(client.getFindings(1, "topics", { signal, fetch: /** @type {any} */ (never) }));
  for (let key = 0; key < 3; key++) {
    expect(await client.getFindings(key, "topics", { signal })).toEqual(some);
  }
  controller.abort("enough");
  expect(await waiting).toBe("enough");
  client.free();
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
  const client = new FindingsClient({ fetch: /** @type {any} */ (never), signal: /** @type {any} */ (signal) });
  const call = rejectionOf(client.getFindings(1, "topics"));
  await pause(20);
  for (let time = 0; time < 3; time++) {
    dispatch();
    await pause(0);
  }
  Object.assign(signal, { aborted: true, reason: "enough" });
  dispatch();
  expect(await call).toBe("enough");
  expect(listeners.size).toBe(0);
  client.free();
});
