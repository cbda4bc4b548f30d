/** The service of a test on a real connection, closed after the test. */

import { afterEach, beforeEach, vi } from "vitest";
import { commands } from "vitest/browser";
import { withoutBackoff } from "../page/timers.js";
import { Clock } from "./clock.ts";
import type { Manner, Settings, Visit } from "./server/manner.ts";
import type { Sight } from "./server/wire.ts";

interface WireCommands {
  openWire(settings: Settings): Promise<string>;
  controlWire(baseUrl: string, action: "look" | "release" | "close"): Promise<any>;
}

const { openWire, controlWire } = commands as unknown as WireCommands;

/**
 * The limit and the interval of a wait for something certain. Chromium may take 5 s to close the connection of a cancelled
 * response, because it tries to keep the connection.
 */
const patience = { timeout: 50_000, interval: 10 };

/** An hour, in milliseconds: longer than any wait in these tests. */
const long = 3_600_000;

const opened = new Set<Service>();

/** The clock of the page in this test. */
export let clock: Clock;

beforeEach(() => {
  withoutBackoff();
  clock = new Clock();
});

afterEach(async () => {
  for (const service of opened) await service.close();
});

/** A service with its own port. */
export class Service {
  readonly baseUrl: string;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  /** The record of the service so far. */
  look(): Promise<Sight> {
    return controlWire(this.baseUrl, "look");
  }

  /** All requests so far. */
  async visits(): Promise<Visit[]> {
    return (await this.look()).visits;
  }

  /** The states of all requests so far, including preflights, as `index state` (`counts` in place of −1). */
  async story(): Promise<string[]> {
    return (await this.visits()).map(({ method, index, state }) => {
      const asked = index < 0 ? "counts" : String(index);
      return method === "GET" ? `${asked} ${state}` : `${method} ${asked} ${state}`;
    });
  }

  /** The number of requests for each partition, in index order. */
  async requestsPerPartition(): Promise<number[]> {
    const times: number[] = [];
    for (const { method, index } of await this.visits()) {
      if (method === "GET" && index >= 0) times[index] = (times[index] ?? 0) + 1;
    }
    return times;
  }

  /** Waits until this number of requests is in flight. */
  async hasOpen(count: number): Promise<void> {
    await this.#has(count, ({ state }) => state === "open");
  }

  /** Waits until this number of responses has been sent in full. */
  async hasStalled(count: number): Promise<void> {
    await this.#has(count, ({ stalled }) => stalled);
  }

  /** Releases all held requests. */
  async release(): Promise<void> {
    await controlWire(this.baseUrl, "release");
  }

  /** Waits until no request is in flight: all are responded to, broken or cancelled. */
  async settled(): Promise<string[]> {
    await this.hasOpen(0);
    return this.story();
  }

  /** Waits until no connection is open. */
  async isLeftAlone(): Promise<void> {
    await vi.waitUntil(async () => (await this.look()).connections === 0, patience);
  }

  /** Waits until everything has arrived that the page sends now or within the next hour of the fake clock. Needs a free connection. */
  async quiet(): Promise<string[]> {
    clock.pass(long);
    await vi.waitUntil(() => clock.isAtRest, patience);
    await fetch(new URL("/fence", this.baseUrl));
    return this.story();
  }

  /** Closes the port and all connections. */
  async close(): Promise<void> {
    opened.delete(this);
    await controlWire(this.baseUrl, "close");
  }

  async #has(count: number, isCounted: (visit: Visit) => boolean): Promise<void> {
    await vi.waitUntil(async () => (await this.visits()).filter(isCounted).length === count, patience);
  }
}

/** Opens a service for this test. */
export async function serve(settings: Settings = {}): Promise<Service> {
  const service = new Service(await openWire(settings));
  opened.add(service);
  return service;
}

/** Opens a service for this test that responds to every request for a partition in this manner, or only the first ones. */
export function servePartition(manner: Manner, times?: number): Promise<Service> {
  return serve({ rules: [0, 1, 2, 3].map((index) => ({ index, times, manner })) });
}

interface Reports {
  onPartition(change: { state: string }): void;
}

/**
 * Makes a call with these options, and advances the clock by its `timeout` whenever all its attempts in flight have stalled, so that no
 * attempt times out while its response is being sent.
 */
export async function outrun<Value>(
  begin: (reports: Reports) => Promise<Value>,
  service: Service,
  timeout: number,
): Promise<Value> {
  let [isOver, rung] = [false, 0];
  const over = () => {
    isOver = true;
  };
  /** The number of reports of each state. */
  const reported = { requested: 0, retrying: 0, received: 0, failed: 0 };
  const call = begin({
    onPartition: ({ state }) => {
      reported[state as keyof typeof reported]++;
    },
  });
  call.then(over, over);
  const goOn = async () => {
    const visits = (await service.visits()).filter(({ method }) => method === "GET");
    const inFlight = reported.requested - reported.received - reported.failed;
    const stalled = visits.filter((visit) => visit.stalled).length - rung;
    if (inFlight > 0 && inFlight === stalled && visits.length === reported.requested + reported.retrying) {
      rung += inFlight;
      clock.pass(timeout);
    }
    return isOver;
  };
  await vi.waitUntil(goOn, patience);
  return call;
}
