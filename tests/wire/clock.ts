/** The fake clock of the page: time passes only when a test advances it. So no test depends on the speed of the machine. */

import { vi } from "vitest";

/** The longest delay, in milliseconds, that ends without the test: backoffs of these tests, and the next time slice. */
const soon = 20;

const { setTimeout, clearTimeout } = globalThis;

interface Timer {
  /** In milliseconds. */
  readonly delay: number;
  readonly due: number;
  readonly ring: () => void;
}

export class Clock {
  /** Whole milliseconds, because differences of fractions are not exact. */
  #now = Math.ceil(performance.now());
  /** Each is its own id, so that what an earlier test has left clears none of them. */
  readonly #timers = new Set<Timer>();
  readonly #soon = new Set<unknown>();

  /** Replaces the page's clock until all mocks are restored. */
  constructor() {
    vi.spyOn(performance, "now").mockImplementation(() => this.#now);
    const start = (act: (...args: unknown[]) => void, delay = 0, ...args: unknown[]) =>
      this.#start(() => act(...args), delay);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(start as typeof setTimeout);
    vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => this.#clear(timer));
  }

  /** The delays of all pending timers. */
  get waits(): number[] {
    return [...this.#timers].map(({ delay }) => delay);
  }

  /** Whether no timer is left that ends without the test. */
  get isAtRest(): boolean {
    return this.#soon.size === 0;
  }

  /** Advances the clock by this many milliseconds. */
  pass(milliseconds: number): void {
    this.#now += milliseconds;
    const due = [...this.#timers].filter((timer) => timer.due <= this.#now);
    for (const timer of due.toSorted((one, other) => one.due - other.due)) {
      if (this.#timers.delete(timer)) timer.ring();
    }
  }

  #start(act: () => void, delay: number): unknown {
    if (delay <= soon) {
      const timer = setTimeout(() => {
        this.#soon.delete(timer);
        act();
      }, delay);
      this.#soon.add(timer);
      return timer;
    }
    const timer = { delay, due: this.#now + delay, ring: act };
    this.#timers.add(timer);
    return timer;
  }

  #clear(timer: any): void {
    this.#timers.delete(timer);
    if (typeof timer === "object") return;
    this.#soon.delete(timer);
    clearTimeout(timer);
  }
}
