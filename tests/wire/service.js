/** The service of a test: opened on the wire for it, and closed after it. */

import { afterEach, beforeEach, expect, vi } from "vitest";
import { commands } from "vitest/browser";

/** @typedef {import("inspection-findings").Options} Options */
/** @typedef {import("./server/manner.js").Settings} Settings */
/** @typedef {import("./server/manner.js").Manner} Manner */
/** @typedef {import("./server/manner.js").Visit} Visit */
/** @typedef {import("./server/wire.js").Sight} Sight */

/**
 * @typedef {object} WireCommands
 * @property {(settings: Settings) => Promise<string>} openWire
 * @property {(baseUrl: string) => Promise<Sight>} lookAtWire
 * @property {(baseUrl: string) => Promise<void>} closeWire
 * @property {(page: string, baseUrl: string) => Promise<import("./server/offline.js").Seen[]>} callOffline
 */
const { openWire, lookAtWire, closeWire, callOffline } = /** @type {WireCommands} */ (
  /** @type {unknown} */ (commands)
);

/**
 * Milliseconds in which a service learns at the latest that a connection is closed: mostly at once, but Chromium may wait
 * 5 s for the rest of an answer that is no longer wanted, in the hope to use the connection again.
 */
const noticed = 12_000;

/** @type {Set<Service>} */
const opened = new Set();

beforeEach(() => {
  const random = Math.random;
  // Backoffs stay short. Not 0 at all, for the test runner draws names for its messages from it.
  vi.spyOn(Math, "random").mockImplementation(() => random() / 10);
});

afterEach(async () => {
  for (const service of opened) {
    await service.close();
  }
  vi.restoreAllMocks();
});

/** A service on a port of its own. */
export class Service {
  /** @param {string} baseUrl */
  constructor(baseUrl) {
    this.baseUrl = baseUrl;
  }

  /** What it has seen so far. */
  look() {
    return lookAtWire(this.baseUrl);
  }

  /** Every request so far. */
  async visits() {
    return (await this.look()).visits;
  }

  /** What became of every request so far, preflights included, as `index state` (`counts` in place of −1). */
  async story() {
    const visits = await this.visits();
    return visits.map(({ method, index, state }) => {
      const asked = index < 0 ? "counts" : String(index);
      return method === "GET" ? `${asked} ${state}` : `${method} ${asked} ${state}`;
    });
  }

  /** How often each partition was asked for, in the order of their indexes. */
  async timesAsked() {
    /** @type {number[]} */
    const times = [];
    for (const { method, index } of await this.visits()) {
      if (method === "GET" && index >= 0) {
        times[index] = (times[index] ?? 0) + 1;
      }
    }
    return times;
  }

  /** Waits until no request is in flight: all are answered, broken or given up. */
  async settled() {
    const isOpen = (/** @type {Visit} */ { state }) => state === "open";
    await vi.waitUntil(async () => !(await this.visits()).some(isOpen), { timeout: noticed, interval: 20 });
    return this.story();
  }

  /** Closes its port and all connections. */
  async close() {
    opened.delete(this);
    await closeWire(this.baseUrl);
  }
}

/**
 * Opens a service for this test.
 * @param {Settings} [settings]
 */
export async function serve(settings = {}) {
  const service = new Service(await openWire(settings));
  opened.add(service);
  return service;
}

/**
 * Opens a service for this test that answers every request for a partition in that manner, or only the first ones.
 * @param {Manner} manner
 * @param {number} [times]
 */
export function servePartition(manner, times) {
  return serve({ rules: [0, 1, 2, 3].map((index) => ({ index, times, manner })) });
}

/**
 * What another page sees that asks for a partition online, offline, and online again.
 * @param {string} baseUrl
 */
export function askOffline(baseUrl) {
  return callOffline(location.origin, baseUrl);
}

/** Milliseconds in which an answer comes even from a busy machine: a `timeout` for attempts that are to succeed. */
export const ampleTimeout = 2_000;

/** Milliseconds that a busy machine may take in addition. Whoever waits where nothing is to be waited for waits longer. */
const busy = 8_000;

/**
 * Expects that so many milliseconds have passed since then, and not many more.
 * @param {number} start
 * @param {number} milliseconds
 */
export function expectElapsed(start, milliseconds) {
  const elapsed = performance.now() - start;
  expect(elapsed).toBeGreaterThanOrEqual(milliseconds - 2);
  expect(elapsed).toBeLessThan(milliseconds + busy);
}
