/** The timers of the page: advanced by a test, or watched. */

import { expect, vi } from "vitest";

/**
 * Lets time pass only when a test advances it, until real timers are used and all mocks are restored.
 * @param {("setTimeout" | "clearTimeout" | "setInterval" | "clearInterval")[]} timers
 */
export function useFakeClock(...timers) {
  vi.useFakeTimers({ toFake: [...timers, "Date"] });
  // Code that WebKit has compiled still reads the old `performance` when Vitest replaces the object.
  vi.spyOn(performance, "now").mockImplementation(() => Date.now());
}

/** The pending timers, watched until all mocks are restored. */
export function watchTimers() {
  /** @type {Set<unknown>} */
  const timers = new Set();
  const { setTimeout, clearTimeout } = globalThis;
  vi.spyOn(globalThis, "setTimeout").mockImplementation(
    /** @type {any} */ (
      (
        /** @type {(...args: unknown[]) => void} */ act,
        /** @type {number} */ milliseconds,
        /** @type {unknown[]} */ ...args
      ) => {
        const timer = setTimeout(() => {
          timers.delete(timer);
          act(...args);
        }, milliseconds);
        timers.add(timer);
        return timer;
      }
    ),
  );
  vi.spyOn(globalThis, "clearTimeout").mockImplementation((timer) => {
    timers.delete(timer);
    clearTimeout(timer);
  });
  vi.spyOn(globalThis, "setInterval").mockImplementation(() => expect.fail("an interval"));
  return timers;
}
