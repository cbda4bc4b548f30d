// Yields to the event loop, between the time slices of long work.

/**
 * Resolves after the tasks that are already queued. A timer would be throttled in a hidden page, and `scheduler.yield` would
 * resolve before queued timers and messages, an abort among them.
 */
export function yieldNow(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
