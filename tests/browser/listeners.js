/** The number of listeners on a signal. */

/** @typedef {{ type: string, listener: unknown, until: AbortSignal | undefined }} Listener */

/** Starts to count the listeners of a signal. */
export function countListeners(/** @type {AbortSignal} */ signal) {
  /** @type {Listener[]} */
  let listeners = [];
  let added = 0;
  const { addEventListener, removeEventListener } = signal;
  Object.assign(signal, {
    addEventListener(/** @type {string} */ type, /** @type {any} */ listener, /** @type {any} */ options) {
      listeners.push({ type, listener, until: options?.signal });
      added += 1;
      addEventListener.call(signal, type, listener, options);
    },
    removeEventListener(/** @type {string} */ type, /** @type {any} */ listener, /** @type {any} */ options) {
      listeners = listeners.filter((one) => one.type !== type || one.listener !== listener);
      removeEventListener.call(signal, type, listener, options);
    },
  });
  return {
    /** The current number. */
    get left() {
      listeners = listeners.filter(({ until }) => !until?.aborted);
      return listeners.length + (signal.onabort === null ? 0 : 1);
    },
    /** The number of all listeners so far. */
    get added() {
      return added;
    },
  };
}
