// The next turn on the thread, for work that gives it up in between.

/**
 * Resolves when everybody else has had a turn. A timer would be held back in a hidden page, and `scheduler.yield` would
 * come back before the timers and messages of others, an abort among them.
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
