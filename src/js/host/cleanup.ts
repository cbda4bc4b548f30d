// Clean-up after a trap: the module stops without running its destructors, so JavaScript releases what it held.

import { type Listenable, listen } from "./shared-listener.js";

/** Handlers to call if the module stops, each under a key. */
const handlers = new Map<object, () => void>();

/** Registers a handler to call if the module stops, unless {@link offModuleStop} removes it first. */
export function onModuleStop(key: object, handler: () => void): void {
  handlers.set(key, handler);
}

/** A registered listener. */
export interface ListenerHandle {
  /** Removes the listener. */
  end(): void;
}

/**
 * Calls `callback` at each event of a target until the listener is removed or the module stops.
 *
 * @throws what the target's `addEventListener` throws
 */
export function listenUntilStop(target: Listenable, event: string, callback: () => void): ListenerHandle {
  const end = listen(target, event, callback);
  const handle = {
    end() {
      offModuleStop(handle);
      end();
    },
  };
  onModuleStop(handle, end);
  return handle;
}

/** Removes the handler of a key. */
export function offModuleStop(key: object): void {
  handlers.delete(key);
}

/** How often the module has stopped. */
let stops = 0;

/** How often the module has stopped: a table of before may be lost. */
export function moduleStops(): number {
  return stops;
}

/** Calls all handlers, also after one of them throws. */
export function runStopHandlers(): void {
  stops++;
  const registered = [...handlers.values()];
  handlers.clear();
  for (const handler of registered) {
    try {
      handler();
    } catch {
      // No call is left to report the error.
    }
  }
}
