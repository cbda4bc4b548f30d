/** The timers of the page: advanced by a test, shortened, or watched. */

import { expect, vi } from "vitest";

/** Lets time pass only when a test advances it, until real timers are used and all mocks are restored. */
export function useFakeClock() {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
  // Code that WebKit has compiled still reads the old `performance` when Vitest replaces the object.
  vi.spyOn(performance, "now").mockImplementation(() => Date.now());
}

/** Makes backoffs as short as chance can make them, until all mocks are restored. */
export function withoutBackoff() {
  vi.spyOn(Math, "random").mockReturnValue(0.001);
}

/** The pending timers of the page, watched until all mocks are restored. */
export function watchTimers() {
  /** @type {Set<unknown>} */
  const timers = new Set();
  const { setTimeout, clearTimeout } = window;
  vi.spyOn(window, "setTimeout").mockImplementation(
    /** @type {any} */ (
      (/** @type {any} */ act, /** @type {number} */ milliseconds, /** @type {unknown[]} */ ...args) => {
        const timer = setTimeout(() => {
          timers.delete(timer);
          act(...args);
        }, milliseconds);
        timers.add(timer);
        return timer;
      }
    ),
  );
  vi.spyOn(window, "clearTimeout").mockImplementation((timer) => {
    timers.delete(timer);
    clearTimeout(timer);
  });
  vi.spyOn(window, "setInterval").mockImplementation(() => expect.fail("an interval"));
  return timers;
}
