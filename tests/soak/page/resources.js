/**
 * The resources of the page or of a worker, watched from here on: pending timers, live objects of the WebAssembly module, and its memory.
 * Evaluated before the package uses them.
 */

import { memorySize, watchMemories } from "../../benchmark/page/memories.js";

const { setTimeout, setInterval, clearTimeout, clearInterval } = globalThis;
const Registry = /** @type {new (collect: (held: any) => void) => FinalizationRegistry<any>} */ (FinalizationRegistry);

/** @type {Set<any>} */
const timers = new Set();
/** @type {Map<any, () => void>} */
const intervals = new Map();
let timersSeen = 0;
let objects = 0;

/** @param {any} timer either function ends either kind of timer */
function clear(timer) {
  timers.delete(timer);
  intervals.delete(timer);
  clearTimeout(timer);
  clearInterval(timer);
}

/** Counts the registered objects of the module. Objects are registered so that garbage collection frees them. */
class CountingRegistry extends Registry {
  /** @param {(held: any) => void} collect */
  constructor(collect) {
    super((held) => {
      objects -= 1;
      collect(held);
    });
  }

  /**
   * @override
   * @param {[target: WeakKey, held: any, token?: WeakKey]} parameters
   */
  register(...parameters) {
    objects += 1;
    super.register(...parameters);
  }

  /**
   * @override
   * @param {WeakKey} token
   */
  unregister(token) {
    const was = super.unregister(token);
    objects -= was ? 1 : 0;
    return was;
  }
}

watchMemories();
Object.assign(globalThis, {
  setTimeout(/** @type {(...args: any[]) => void} */ ring, /** @type {number} */ after, /** @type {any[]} */ ...args) {
    const timer = setTimeout(() => {
      timers.delete(timer);
      ring(...args);
    }, after);
    timers.add(timer);
    timersSeen += 1;
    return timer;
  },
  setInterval(/** @type {() => void} */ ring, /** @type {number} */ every) {
    const timer = setInterval(ring, every);
    intervals.set(timer, ring);
    return timer;
  },
  clearTimeout: clear,
  clearInterval: clear,
  FinalizationRegistry: CountingRegistry,
});

export const resources = {
  /** Calls the callback of each interval at once. */
  ringIntervals() {
    for (const ring of [...intervals.values()]) ring();
  },
  held: () => ({ timers: timers.size, timersSeen, intervals: intervals.size, objects, memory: memorySize() }),
};

/**
 * Waits without a timer that counts as the package's.
 * @param {number} milliseconds
 */
export function pause(milliseconds) {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}
