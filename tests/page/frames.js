/** The frames of the page, which come when a test says so. */

import { vi } from "vitest";

/** The delay of the timer that stands in for frames where there are none, in milliseconds. */
const timerDelay = 250;

/**
 * Takes over the frames, and the timer that stands in for them, until all mocks are restored.
 * @param {{ isHidden?: boolean }} [page]
 */
export function takeFrames({ isHidden = false } = {}) {
  /** @type {Map<unknown, () => void>} */
  const frames = new Map();
  /** @type {Map<unknown, () => void>} */
  const timers = new Map();
  let last = 0;
  const { setTimeout, clearTimeout } = globalThis;
  vi.spyOn(document, "hidden", "get").mockReturnValue(isHidden);
  vi.spyOn(globalThis, "requestAnimationFrame").mockImplementation(
    /** @type {any} */ ((/** @type {() => void} */ callback) => frames.set(--last, callback) && last),
  );
  vi.spyOn(globalThis, "cancelAnimationFrame").mockImplementation((id) => void frames.delete(id));
  vi.spyOn(globalThis, "setTimeout").mockImplementation(
    /** @type {any} */ (
      (/** @type {() => void} */ callback, /** @type {number} */ delay, /** @type {unknown[]} */ ...rest) => {
        if (delay !== timerDelay) return setTimeout(callback, delay, ...rest);
        timers.set(--last, callback);
        return last;
      }
    ),
  );
  vi.spyOn(globalThis, "clearTimeout").mockImplementation((id) => {
    if (!timers.delete(id)) clearTimeout(id);
  });
  const run = (/** @type {Map<unknown, () => void>} */ callbacks) => {
    const due = [...callbacks];
    for (const [id, callback] of due) {
      callbacks.delete(id);
      callback();
    }
  };
  return {
    /** The number of frames that are waited for. */
    get requested() {
      return frames.size;
    },
    /** The number of timers that are waited for. */
    get timed() {
      return timers.size;
    },
    /** Lets one frame come. */
    frame: () => run(frames),
    /** Lets the time of the timers pass. */
    time: () => run(timers),
  };
}
