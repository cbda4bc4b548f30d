// The subscribers of a store, and how they are notified.

/** A subscriber. */
interface Subscriber {
  readonly onChange: () => void;
}

/** Calls each subscriber, also after one has thrown: its error is reported like that of an event listener. */
export function notify(subscribers: ReadonlySet<Subscriber>): void {
  for (const subscriber of [...subscribers]) {
    // An earlier subscriber may have removed this one.
    if (!subscribers.has(subscriber)) continue;
    try {
      subscriber.onChange();
    } catch (thrown) {
      report(thrown);
    }
  }
}

/** Reports an error like that of an event listener. */
function report(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}
