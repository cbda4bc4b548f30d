/** The listeners on a signal: how many there are, whichever way they are taken away again. */

/** @typedef {{ type: string, listener: unknown, until: AbortSignal | undefined }} Listener */

/**
 * Counts the listeners of a signal from now on.
 * @param {AbortSignal} signal
 */
export function countListeners(signal) {
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
    /** How many there are now. */
    get left() {
      listeners = listeners.filter(({ until }) => !until?.aborted);
      return listeners.length + (signal.onabort === null ? 0 : 1);
    },
    /** How many there ever were. */
    get added() {
      return added;
    },
  };
}
