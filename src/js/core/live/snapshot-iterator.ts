// An iterator over the snapshots of a live table.

import type { LiveSnapshot } from "./live-table-types.js";

/** Calls `wake` at the next change at the latest, until the returned function is called. */
type AwaitChange = (wake: () => void) => () => void;

/**
 * Iterates over the current snapshot, then the latest one after each change, until a snapshot is no longer `loading`.
 * Only a pending `next()` waits for changes.
 */
export function snapshotsOf<Finding>(
  live: { getSnapshot(): LiveSnapshot<Finding> },
  awaitChange: AwaitChange,
): AsyncGenerator<LiveSnapshot<Finding>, undefined> {
  let hasLeft = false;
  let wake = () => {};
  async function* iterate(): AsyncGenerator<LiveSnapshot<Finding>, undefined> {
    let last: LiveSnapshot<Finding> | undefined;
    while (!hasLeft) {
      const snapshot = live.getSnapshot();
      if (snapshot !== last) {
        last = snapshot;
        yield snapshot;
      } else if (snapshot.state === "loading") {
        let forget = () => {};
        await new Promise<void>((resolve) => {
          wake = resolve;
          forget = awaitChange(resolve);
        });
        forget();
      } else {
        return;
      }
    }
  }
  const snapshots = iterate();
  const finish = snapshots.return.bind(snapshots);
  // A generator would return only after the pending `next()`, which waits for a change.
  snapshots.return = (value) => {
    hasLeft = true;
    wake();
    return finish(value);
  };
  return snapshots;
}
