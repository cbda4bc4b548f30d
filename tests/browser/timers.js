/** The pending timers of the page. */

import { expect, vi } from "vitest";

/** Watches them until all mocks are restored. */
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
