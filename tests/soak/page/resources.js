/** The resources of the page or of a worker: pending timers, live objects of the WebAssembly module, and its memory. */

import { memorySize, watchMemories } from "../../benchmark/page/memories.js";

/** Starts to watch resources. Must be called before the package is loaded. */
export function watchResources() {
  const timers = watchTimers();
  const objects = watchObjects();
  watchMemories();
  return {
    /** Calls the callback of each interval at once. */
    ringIntervals() {
      for (const ring of [...timers.intervals.values()]) ring();
    },
    held: () => ({
      timers: timers.pending.size,
      timersSeen: timers.seen,
      intervals: timers.intervals.size,
      objects: objects.alive,
      memory: memorySize(),
    }),
  };
}

/** Waits without a timer that counts as the package's. */
export const pause = pauseBy(globalThis.setTimeout.bind(globalThis));

/** @param {typeof setTimeout} start */
function pauseBy(start) {
  return (/** @type {number} */ milliseconds) => new Promise((resolve) => start(resolve, milliseconds));
}

function watchTimers() {
  const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
  const watched = { pending: new Set(), seen: 0, intervals: /** @type {Map<any, () => void>} */ (new Map()) };
  const { pending, intervals } = watched;
  /** @param {any} timer either function ends either kind of timer */
  const clear = (timer) => {
    pending.delete(timer);
    intervals.delete(timer);
    clearTimeout(timer);
    clearInterval(timer);
  };
  Object.assign(globalThis, {
    setTimeout(
      /** @type {(...args: any[]) => void} */ ring,
      /** @type {number} */ after,
      /** @type {any[]} */ ...args
    ) {
      const timer = setTimeout(() => {
        pending.delete(timer);
        ring(...args);
      }, after);
      pending.add(timer);
      watched.seen += 1;
      return timer;
    },
    setInterval(/** @type {() => void} */ ring, /** @type {number} */ every) {
      const timer = setInterval(ring, every);
      intervals.set(timer, ring);
      return timer;
    },
    clearTimeout: clear,
    clearInterval: clear,
  });
  return watched;
}

/** Counts the registered objects of the module. Objects are registered so that garbage collection frees them. */
function watchObjects() {
  const watched = { alive: 0 };
  const Registry = /** @type {new (collect: (held: any) => void) => FinalizationRegistry<any>} */ (
    FinalizationRegistry
  );
  globalThis.FinalizationRegistry = /** @type {any} */ (
    class extends Registry {
      /** @param {(held: any) => void} collect */
      constructor(collect) {
        super((held) => {
          watched.alive -= 1;
          collect(held);
        });
      }

      /**
       * @override
       * @param {WeakKey} target
       * @param {any} held
       * @param {WeakKey} [token]
       */
      register(target, held, token) {
        watched.alive += 1;
        super.register(target, held, token);
      }

      /**
       * @override
       * @param {WeakKey} token
       */
      unregister(token) {
        const was = super.unregister(token);
        watched.alive -= was ? 1 : 0;
        return was;
      }
    }
  );
  return watched;
}
