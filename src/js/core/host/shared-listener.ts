// One listener per event target, shared by all calls: Node warns if a signal has many listeners.

/** What has events. */
export interface Listenable {
  addEventListener(event: string, listener: () => void): void;
  removeEventListener(event: string, listener: () => void): void;
}

/** The callbacks of each target, and the listener that calls them. Each target is listened to for one kind of event. */
const shared = new WeakMap<Listenable, { callbacks: Set<() => void>; listener: () => void }>();

/**
 * Calls `callback`, which must not throw, at each event of a target until the returned function is called.
 *
 * @throws what the target's `addEventListener` throws
 */
export function listen(target: Listenable, event: string, callback: () => void): () => void {
  const known = shared.get(target);
  const { callbacks, listener } = known ?? made();
  const end = () => {
    callbacks.delete(callback);
    if (callbacks.size > 0 || shared.get(target)?.callbacks !== callbacks) return;
    shared.delete(target);
    try {
      target.removeEventListener(event, listener);
    } catch {
      // A custom signal: without callbacks, its listener does nothing.
    }
  };
  try {
    callbacks.add(callback);
    if (known === undefined) {
      shared.set(target, { callbacks, listener });
      target.addEventListener(event, listener);
    }
  } catch (thrown) {
    end();
    throw thrown;
  }
  return end;
}

function made(): { callbacks: Set<() => void>; listener: () => void } {
  const callbacks = new Set<() => void>();
  const listener = () => {
    for (const callback of callbacks) callback();
  };
  return { callbacks, listener };
}
