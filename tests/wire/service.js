/** The service of a test on a real connection, closed after the test. */

import { afterEach, beforeEach, vi } from "vitest";
import { commands } from "vitest/browser";
import { withoutBackoff } from "../browser/timers.js";
import { Clock } from "./clock.js";

/** @typedef {import("./server/manner.js").Settings} Settings */
/** @typedef {import("./server/manner.js").Manner} Manner */
/** @typedef {import("./server/wire.js").Sight} Sight */

/**
 * @typedef {object} WireCommands
 * @property {(settings: Settings) => Promise<string>} openWire
 * @property {(baseUrl: string, action: "look" | "release" | "close") => Promise<any>} controlWire
 */
const { openWire, controlWire } = /** @type {WireCommands} */ (/** @type {unknown} */ (commands));

/**
 * The limit and the interval of a wait for something certain. Chromium may take 5 s to close the connection of a cancelled
 * response, because it tries to keep the connection.
 */
const patience = { timeout: 50_000, interval: 10 };

/** An hour, in milliseconds: longer than any wait in these tests. */
const long = 3_600_000;

/** @type {Set<Service>} */
const opened = new Set();

/** @type {Clock} the clock of the page in this test */
export let clock;

beforeEach(() => {
  withoutBackoff();
  clock = new Clock();
});

afterEach(async () => {
  for (const service of opened) await service.close();
});

/** A service with its own port. */
export class Service {
  /** @param {string} baseUrl */
  constructor(baseUrl) {
    this.baseUrl = baseUrl;
  }

  /**
   * The record of the service so far.
   * @returns {Promise<Sight>}
   */
  look() {
    return controlWire(this.baseUrl, "look");
  }

  /** All requests so far. */
  async visits() {
    return (await this.look()).visits;
  }

  /** The states of all requests so far, including preflights, as `index state` (`counts` in place of −1). */
  async story() {
    const visits = await this.visits();
    return visits.map(({ method, index, state }) => {
      const asked = index < 0 ? "counts" : String(index);
      return method === "GET" ? `${asked} ${state}` : `${method} ${asked} ${state}`;
    });
  }

  /** The number of requests for each partition, in index order. */
  async requestsPerPartition() {
    /** @type {number[]} */
    const times = [];
    for (const { method, index } of await this.visits()) {
      if (method === "GET" && index >= 0) times[index] = (times[index] ?? 0) + 1;
    }
    return times;
  }

  /** The requests that are in flight. */
  async open() {
    return (await this.visits()).filter(({ state }) => state === "open");
  }

  /**
   * Waits until this number of requests is in flight.
   * @param {number} count
   */
  async hasOpen(count) {
    await vi.waitUntil(async () => (await this.open()).length === count, patience);
  }

  /**
   * Waits until this number of responses has been sent in full.
   * @param {number} count
   */
  async hasStalled(count) {
    await vi.waitUntil(async () => (await this.visits()).filter(({ stalled }) => stalled).length === count, patience);
  }

  /** Releases all held requests. */
  async release() {
    await controlWire(this.baseUrl, "release");
  }

  /** Waits until no request is in flight: all are responded to, broken or cancelled. */
  async settled() {
    await this.hasOpen(0);
    return this.story();
  }

  /** Waits until no connection is open. */
  async isLeftAlone() {
    await vi.waitUntil(async () => (await this.look()).connections === 0, patience);
  }

  /** Waits until everything has arrived that the page sends now or within the next hour of the fake clock. Needs a free connection. */
  async quiet() {
    clock.pass(long);
    await vi.waitUntil(() => clock.isAtRest, patience);
    await fetch(new URL("/fence", this.baseUrl));
    return this.story();
  }

  /** Closes the port and all connections. */
  async close() {
    opened.delete(this);
    await controlWire(this.baseUrl, "close");
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
 * Opens a service for this test that responds to every request for a partition in this manner, or only the first ones.
 * @param {Manner} manner
 * @param {number} [times]
 */
export function servePartition(manner, times) {
  return serve({ rules: [0, 1, 2, 3].map((index) => ({ index, times, manner })) });
}

/**
 * Makes a call, and advances the clock whenever all its attempts in flight have stalled, so that no attempt times out while its response is being
 * sent.
 * @template Value
 * @param {(reports: { onPartition: (change: { state: string }) => void }) => Promise<Value>} begin makes the call with these options
 * @param {Service} service
 * @param {number} timeout of the call, in milliseconds
 * @returns {Promise<Value>}
 */
export async function outrun(begin, service, timeout) {
  let [isOver, rung] = [false, 0];
  const over = () => {
    isOver = true;
  };
  /** The number of reports of each state. @type {Record<string, number>} */
  const reported = { requested: 0, retrying: 0, received: 0, failed: 0 };
  const call = begin({
    onPartition: ({ state }) => {
      reported[state] = (reported[state] ?? 0) + 1;
    },
  });
  call.then(over, over);
  const goOn = async () => {
    const visits = (await service.visits()).filter(({ method }) => method === "GET");
    const { requested = 0, retrying = 0, received = 0, failed = 0 } = reported;
    const inFlight = requested - received - failed;
    const stalled = visits.filter((visit) => visit.stalled).length - rung;
    if (inFlight > 0 && inFlight === stalled && visits.length === requested + retrying) {
      rung += inFlight;
      clock.pass(timeout);
    }
    return isOver;
  };
  await vi.waitUntil(goOn, patience);
  return call;
}
