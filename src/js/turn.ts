// The next turn on the thread, for work that gives it up in between.

/** The scheduler of hosts that have one. */
declare const scheduler: { yield?: () => Promise<void> } | undefined;

/** Resolves when everybody else has had a turn; unlike a timer's, it comes as soon in a hidden page. */
export function nextTurn(): Promise<void> {
  if (typeof scheduler === "object" && scheduler.yield) return scheduler.yield();
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(undefined);
  });
}
