// One listener per event target, shared by all calls: Node warns if a signal has many listeners.

import { nowOrSoon } from "./microtask.js";

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
  const { callbacks, listener } = shared.get(target) ?? start(target, event);
  shared.set(target, { callbacks, listener });
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    shared.delete(target);
    try {
      target.removeEventListener(event, listener);
    } catch {
      // A custom signal: without callbacks, its listener does nothing.
    }
  };
}

function start(target: Listenable, event: string): { callbacks: Set<() => void>; listener: () => void } {
  const callbacks = new Set<() => void>();
  const listener = () => callbacks.forEach(nowOrSoon);
  target.addEventListener(event, listener);
  return { callbacks, listener };
}
