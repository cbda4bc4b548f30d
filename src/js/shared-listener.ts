// One listener per event target, shared by all calls: hosts such as Node warn of many listeners on one signal.

/** The callbacks for one event of a target, and the one listener that calls them. */
class SharedListener {
  readonly #target: EventTarget;
  readonly #event: string;
  readonly #callbacks = new Set<() => void>();
  #listener: () => void = () => {};

  /** @throws what the target's `addEventListener` throws */
  constructor(target: EventTarget, event: string) {
    this.#target = target;
    this.#event = event;
    this.#listen();
  }

  get isEmpty(): boolean {
    return this.#callbacks.size === 0;
  }

  add(callback: () => void): void {
    this.#callbacks.add(callback);
  }

  /** Removes a callback, and with the last one the listener. */
  delete(callback: () => void): void {
    if (this.#callbacks.delete(callback) && this.isEmpty) this.#unlisten();
  }

  #listen(): void {
    const event = new Promise<void>((resolve) => {
      // The host's own function needs no stack. The code that dispatches the event may have none left, and an error of a
      // listener ends a Node process.
      this.#listener = resolve.bind(undefined, undefined);
    });
    this.#target.addEventListener(this.#event, this.#listener);
    event.then(() => this.#callAll());
  }

  #unlisten(): void {
    try {
      this.#target.removeEventListener(this.#event, this.#listener);
    } catch {
      // The listener stays, without callbacks.
    }
  }

  #callAll(): void {
    for (const callback of [...this.#callbacks]) {
      // An earlier callback may have removed this one, and a target may call a listener that was removed.
      if (this.#callbacks.has(callback)) callback();
    }
    if (this.isEmpty) return;
    // The promise resolves only once, but a target other than a signal may dispatch more events.
    this.#unlisten();
    try {
      this.#listen();
    } catch {
      // The target refuses a listener that it accepted before, so its later events are lost.
    }
  }
}

/** The listeners by event, then by target. */
const listeners: Record<string, WeakMap<EventTarget, SharedListener>> = {};

/**
 * Calls `callback` after each event of a target, on a fresh stack, until the returned function is called. `callback` must not
 * throw.
 *
 * @throws what the target's `addEventListener` throws
 */
export function listen(target: EventTarget, event: string, callback: () => void): () => void {
  listeners[event] ??= new WeakMap();
  const ofEvent = listeners[event];
  const shared = ofEvent.get(target) ?? new SharedListener(target, event);
  ofEvent.set(target, shared);
  shared.add(callback);
  return () => {
    shared.delete(callback);
    if (shared.isEmpty && ofEvent.get(target) === shared) ofEvent.delete(target);
  };
}
