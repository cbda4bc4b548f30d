/** The resources of the page: pending timers, live objects of the WebAssembly module, and its memory. */

/** Starts to watch resources. Must be called before the package is loaded. */
export function watchResources() {
  const timers = watchTimers();
  const objects = watchObjects();
  const memories = watchMemories();
  return {
    held: () => ({
      timers: timers.pending.size,
      timersSeen: timers.seen,
      objects: objects.alive,
      memory: memories.size,
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
  const { setTimeout, clearTimeout } = globalThis;
  const watched = { pending: new Set(), seen: 0 };
  const { pending } = watched;
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
    clearTimeout(/** @type {any} */ timer) {
      pending.delete(timer);
      clearTimeout(timer);
    },
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

function watchMemories() {
  /** @type {WebAssembly.Memory[]} */
  const memories = [];
  const { instantiate } = WebAssembly;
  WebAssembly.instantiate = /** @type {any} */ (
    async (/** @type {any} */ module, /** @type {any} */ imports) => {
      const instance = await instantiate(module, imports);
      memories.push(/** @type {any} */ (instance).exports.memory);
      return instance;
    }
  );
  return {
    /** The total size in bytes. Memories never shrink. */
    get size() {
      return memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0);
    },
  };
}
