/**
 * The number of listeners on a signal and on its dependent signals.
 *
 * The package listens to a dependent signal, because the caller's listeners can hide an event of their signal.
 */

/** @typedef {{ type: string, listener: unknown, until: AbortSignal | undefined }} Listener */

/** @type {WeakMap<AbortSignal, (follower: AbortSignal) => void>} what to do with a follower of a signal */
const counting = new WeakMap();
/** @type {WeakSet<object>} classes of signals whose followers are noted */
const noted = new WeakSet();

/**
 * Starts to count the listeners of a signal.
 * @param {AbortSignal} signal
 * @param {Window & typeof globalThis} [realm] where the package runs
 */
export function countListeners(signal, realm = window) {
  noteFollowers(realm.AbortSignal);
  const all = [countOwnListeners(signal)];
  counting.set(signal, (follower) => all.push(countOwnListeners(follower)));
  return {
    /** The current number. */
    get left() {
      return all.reduce((sum, { left }) => sum + left, 0);
    },
    /** The number of all listeners so far. */
    get added() {
      return all.reduce((sum, { added }) => sum + added, 0);
    },
  };
}

/** @param {typeof AbortSignal} signals */
function noteFollowers(signals) {
  if (noted.has(signals)) {
    return;
  }
  noted.add(signals);
  const { any } = signals;
  signals.any = (followed) => {
    const follower = any.call(signals, followed);
    for (const signal of followed) {
      counting.get(signal)?.(follower);
    }
    return follower;
  };
}

/** @param {AbortSignal} signal */
function countOwnListeners(signal) {
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
    get left() {
      listeners = listeners.filter(({ until }) => !until?.aborted);
      return listeners.length + (signal.onabort === null ? 0 : 1);
    },
    get added() {
      return added;
    },
  };
}
