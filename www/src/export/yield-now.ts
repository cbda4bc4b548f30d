/** A time slice: other tasks of the main thread run before the work continues. */

/**
 * Resolves when everybody else has had a turn. A timer would be slowed down in a page that is not looked at, and
 * `scheduler.yield` would come back before the timers and messages of others.
 */
export function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
