/**
 * The clock of the page: it stands still until a test lets time pass. What the package waits for then depends on no machine: one
 * that is slow, or stands still itself, delays a test and changes nothing about it.
 */

import { vi } from "vitest";

/** Milliseconds of a wait that ends by itself: the back-offs of these tests, and whatever is to be done in the next turn. */
const soon = 20;

const { setTimeout, clearTimeout } = globalThis;

/**
 * @typedef {object} Timer
 * @property {number} delay that it was set for
 * @property {number} due
 * @property {() => void} ring
 */

export class Clock {
  #now = performance.now();
  /** @type {Map<unknown, Timer>} */
  #timers = new Map();
  /** @type {number[]} the delays of all timers so far that do not end by themselves */
  #set = [];
  #soon = new Set();
  #last = 0;

  /** Takes the place of the page's own clock, until all mocks are restored. */
  constructor() {
    vi.spyOn(performance, "now").mockImplementation(() => this.#now);
    vi.spyOn(globalThis, "setTimeout").mockImplementation(
      /** @type {any} */ (
        (/** @type {(...args: unknown[]) => void} */ act, delay = 0, /** @type {unknown[]} */ ...args) =>
          this.#start(() => act(...args), delay)
      ),
    );
    vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => this.#clear(timer));
  }

  /**
   * How many timers were set for that many milliseconds so far, whatever became of them.
   * @param {number} delay
   */
  timersSet(delay) {
    return this.#set.filter((set) => set === delay).length;
  }

  /**
   * How many timers that were set for that many milliseconds have neither rung nor been cleared.
   * @param {number} delay
   */
  timersLeft(delay) {
    return [...this.#timers.values()].filter((timer) => timer.delay === delay).length;
  }

  /** The delays of all timers that have neither rung nor been cleared. */
  get waits() {
    return [...this.#timers.values()].map(({ delay }) => delay);
  }

  /**
   * Waits until the delays of those timers are these, in whatever order.
   * @param {...number} delays
   */
  async hasWaits(...delays) {
    const wanted = delays.toSorted().join();
    await until(() => this.waits.toSorted().join() === wanted).catch(() => {
      throw new Error(`The waits are ${this.waits} and not ${delays}.`);
    });
  }

  /** Whether nothing is left that ends by itself. */
  get isAtRest() {
    return this.#soon.size === 0;
  }

  /**
   * Lets that many milliseconds pass.
   * @param {number} milliseconds
   */
  pass(milliseconds) {
    this.#now += milliseconds;
    const due = [...this.#timers].filter(([, timer]) => timer.due <= this.#now);
    for (const [name, { ring }] of due.toSorted(([, one], [, other]) => one.due - other.due)) {
      if (this.#timers.delete(name)) {
        ring();
      }
    }
  }

  /**
   * @param {() => void} act
   * @param {number} delay
   */
  #start(act, delay) {
    if (delay <= soon) {
      const timer = setTimeout(() => {
        this.#soon.delete(timer);
        act();
      }, delay);
      this.#soon.add(timer);
      return timer;
    }
    this.#set.push(delay);
    // Below zero, where no timer of the page's own is.
    const timer = --this.#last;
    this.#timers.set(timer, { delay, due: this.#now + delay, ring: act });
    return timer;
  }

  /** @param {any} timer */
  #clear(timer) {
    this.#timers.delete(timer);
    this.#soon.delete(timer);
    clearTimeout(timer);
  }
}

/**
 * Waits for what is certain to come, in whatever time that takes.
 * @param {() => boolean} condition
 */
export function until(condition) {
  return vi.waitUntil(condition, { timeout: 50_000, interval: 5 });
}
