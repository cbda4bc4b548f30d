/** The number of listeners on a signal. */

import { vi } from "vitest";

/** Starts to count the listeners of a signal. */
export function countListeners(/** @type {AbortSignal} */ signal) {
  const added = vi.spyOn(signal, "addEventListener").mock.calls;
  const removed = vi.spyOn(signal, "removeEventListener").mock.calls;
  return {
    /** The current number. */
    get left() {
      const gone = removed.map(([, listener]) => listener);
      const left = added.filter(([, listener, options]) => {
        const place = gone.indexOf(listener);
        if (place >= 0) gone.splice(place, 1);
        return place < 0 && !(/** @type {AddEventListenerOptions} */ (options)?.signal?.aborted);
      });
      return left.length + (signal.onabort === null ? 0 : 1);
    },
    /** The number of all listeners so far. */
    get added() {
      return added.length;
    },
  };
}
