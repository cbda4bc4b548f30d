/** The service of a test: opened on the wire for it, and closed after it. */

import { afterEach, beforeEach, vi } from "vitest";
import { commands } from "vitest/browser";
import { Clock } from "../browser/clock.js";

/** @typedef {import("inspection-findings").Options} Options */
/** @typedef {import("./server/manner.js").Settings} Settings */
/** @typedef {import("./server/manner.js").Manner} Manner */
/** @typedef {import("./server/manner.js").Visit} Visit */
/** @typedef {import("./server/wire.js").Sight} Sight */

/**
 * @typedef {object} WireCommands
 * @property {(settings: Settings) => Promise<string>} openWire
 * @property {(baseUrl: string) => Promise<Sight>} lookAtWire
 * @property {(baseUrl: string) => Promise<void>} releaseWire
 * @property {(baseUrl: string) => Promise<void>} closeWire
 * @property {(page: string, baseUrl: string) => Promise<import("./server/offline.js").Seen[]>} callOffline
 */
const { openWire, lookAtWire, releaseWire, closeWire, callOffline } = /** @type {WireCommands} */ (
  /** @type {unknown} */ (commands)
);

/**
 * How long something is waited for that is certain to come, and how often it is looked for. Chromium alone may take 5 s until it
 * closes the connection of an answer that is no longer wanted, in the hope to use it again.
 */
const patience = { timeout: 50_000, interval: 10 };

/** An hour, in milliseconds: longer than anything in these tests may wait. */
const long = 3_600_000;

/** @type {Set<Service>} */
const opened = new Set();

/** @type {Clock} the clock of the page in this test */
export let clock;

beforeEach(() => {
  const random = Math.random;
  // Back-offs end by themselves. Not 0 at all, for the test runner draws names for its messages from it.
  vi.spyOn(Math, "random").mockImplementation(() => random() / 200);
  clock = new Clock();
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

  /** The requests that are in flight. */
  async open() {
    return (await this.visits()).filter(({ state }) => state === "open");
  }

  /**
   * Waits until that number of requests is in flight.
   * @param {number} count
   */
  async hasOpen(count) {
    await vi.waitUntil(async () => (await this.open()).length === count, patience);
  }

  /**
   * Waits until that number of requests has been sent the rest of their answers.
   * @param {number} count
   */
  async hasStalled(count) {
    await vi.waitUntil(async () => (await this.visits()).filter(({ stalled }) => stalled).length === count, patience);
  }

  /** Lets all requests go on that are held now. */
  async release() {
    await releaseWire(this.baseUrl);
  }

  /** Waits until no request is in flight: all are answered, broken or given up. */
  async settled() {
    await this.hasOpen(0);
    return this.story();
  }

  /** Waits until no connection is open. */
  async isLeftAlone() {
    await vi.waitUntil(async () => (await this.look()).connections === 0, patience);
  }

  /** Waits until whatever is still to be sent has been sent, an hour from now included. Needs a free connection. */
  async quiet() {
    clock.pass(long);
    await vi.waitUntil(() => clock.isAtRest, patience);
    await fetch(new URL("/fence", this.baseUrl));
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

/**
 * Lets the time of attempts pass for as long as a call is under way: always when all attempts in flight have stalled, so that none
 * runs out of time whose answer is on its way.
 * @template Value
 * @param {Promise<Value>} call
 * @param {Service} service
 * @param {number} timeout of the call, in milliseconds
 * @returns {Promise<Value>}
 */
export async function outrun(call, service, timeout) {
  let [isOver, rung] = [false, 0];
  const over = () => {
    isOver = true;
  };
  call.then(over, over);
  const goOn = async () => {
    const visits = (await service.visits()).filter(({ method }) => method === "GET");
    const left = clock.timersLeft(timeout);
    const stalled = visits.filter((visit) => visit.stalled).length - rung;
    if (left > 0 && left === stalled && clock.timersSet(timeout) === visits.length) {
      clock.pass(timeout);
      rung += left;
    }
    return isOver;
  };
  await vi.waitUntil(goOn, patience);
  return call;
}
