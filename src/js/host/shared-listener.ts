// One listener per event target, shared by all calls: Node warns if a signal has many listeners.

/** The callbacks of each target and the listener that calls them, by event. */
const shared: Record<string, WeakMap<EventTarget, { callbacks: Set<() => void>; listener: () => void }>> = {};

/**
 * Calls `callback`, which must not throw, at each event of a target until the returned function is called.
 *
 * @throws what the target's `addEventListener` throws
 */
export function listen(target: EventTarget, event: string, callback: () => void): () => void {
  shared[event] ??= new WeakMap();
  const targets = shared[event];
  const { callbacks, listener } = targets.get(target) ?? start(target, event);
  targets.set(target, { callbacks, listener });
  callbacks.add(callback);
  return () => {
    if (!callbacks.delete(callback) || callbacks.size > 0) return;
    targets.delete(target);
    target.removeEventListener(event, listener);
  };
}

function start(target: EventTarget, event: string): { callbacks: Set<() => void>; listener: () => void } {
  const callbacks = new Set<() => void>();
  const listener = () => callbacks.forEach((callback) => void callback());
  target.addEventListener(event, listener);
  return { callbacks, listener };
}
