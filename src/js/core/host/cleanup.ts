// Clean-up after a trap: the module stops without running its destructors, so JavaScript releases what it held.

/** Handlers to call if the module stops. */
const handlers = new Set<() => void>();

/** Calls a handler if the module stops, unless the returned function is called first. */
export function onModuleStop(handler: () => void): () => void {
  handlers.add(handler);
  return () => void handlers.delete(handler);
}

/** How often the module has stopped. */
let stops = 0;

/** How often the module has stopped: a table of before may be lost. */
export function moduleStops(): number {
  return stops;
}

/** Calls all handlers, which must not throw. */
export function runStopHandlers(): void {
  stops++;
  for (const handler of handlers) handler();
  handlers.clear();
}
