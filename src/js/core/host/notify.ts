// The subscribers of a store, and how they are notified.

import type { CallerContext } from "./caller-context.js";

/** A subscriber. */
export interface Subscriber {
  readonly onChange: () => void;
  /** Where a caller has subscribed; undefined for the package. */
  readonly context?: CallerContext | undefined;
}

/** Calls each subscriber, also after one has thrown: its error is reported like that of an event listener. */
export function notify(subscribers: ReadonlySet<Subscriber>): void {
  for (const subscriber of [...subscribers]) {
    const tell = () => {
      // An earlier subscriber may have removed this one.
      if (!subscribers.has(subscriber)) return;
      try {
        subscriber.onChange();
      } catch (thrown) {
        report(thrown);
      }
    };
    if (subscriber.context === undefined) tell();
    else subscriber.context.send(tell);
  }
}

/** Reports an error like that of an event listener. */
function report(thrown: unknown): void {
  queueMicrotask(() => {
    throw thrown;
  });
}
