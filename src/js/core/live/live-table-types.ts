// The types of live tables.

import type { Progress } from "../client/progress.js";
import type { DISPOSE } from "../table/dispose.js";
import type { InspectionFinding } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";

/** The progress of a live table. Until the counts are known, `partitions` and `findings` are undefined. */
export type LiveProgress = Progress | Uncounted;

interface Uncounted extends Omit<Progress, "partitions" | "findings"> {
  readonly partitions?: undefined;
  readonly findings?: undefined;
}

/** The members of every snapshot. */
interface InSnapshot<Finding> {
  /**
   * The findings of all partitions received so far, in index order. The same object until another partition
   * arrives, or the table is complete. It shares its columns with other snapshots. You do not have to free it: garbage collection does.
   *
   * While it loads, you can use any column name that the option `columns` does not leave out: if no partition has the
   * column yet, its values are missing. Once all partitions have arrived, an unknown name throws a `RangeError`, unless
   * it is a documented field of this kind. `filter` checks the types of values then, too. `"Sentiment"` among topic findings
   * throws as soon as the table has a finding.
   */
  readonly table: FindingsTable<Finding>;
  /** The progress at the same moment. */
  readonly progress: LiveProgress;
}

/** A snapshot without an error. One member for each state, so that each comparison narrows the type. */
interface Fine<Finding, State> extends InSnapshot<Finding> {
  /**
   * How far loading is:
   *
   * - `loading`: partitions are still being fetched
   * - `complete`: all partitions have arrived; the number of findings is the total, unless `completeness` accepts
   *   another one
   */
  readonly state: State;
  readonly error?: undefined;
}

interface Ended<Finding, State> extends InSnapshot<Finding> {
  /**
   * - `partial`: partitions are missing; only with `failurePolicy: "collect"`
   * - `failed`: loading failed with `error`
   * - `aborted`: the signal, `cancel()`, `free()` of the client or `free()` of the live table ended loading; `error` is
   *   the reason
   *
   * `resume()` tries again, except after `free()`.
   */
  readonly state: State;
  /** Why loading ended: the reason that `done` rejects with. Absent while loading and once complete. */
  readonly error: unknown;
}

/**
 * The content of a {@link LiveTable} at one moment. It never changes. Check `state` to narrow the type: a `partial`,
 * `failed` or `aborted` snapshot has an `error`.
 *
 * @example
 * const snapshot = client.watchTable(42, "topics").getSnapshot();
 * if (snapshot.state === "failed") console.error(snapshot.error);
 */
export type LiveSnapshot<Finding = InspectionFinding> =
  | Fine<Finding, "loading">
  | Fine<Finding, "complete">
  | Ended<Finding, "partial">
  | Ended<Finding, "failed">
  | Ended<Finding, "aborted">;

/**
 * A table that grows while its partitions arrive, returned by {@link FindingsClient.watchTable}.
 *
 * Loading starts with the call and needs no subscribers. {@link free}, `using`, the signal and
 * {@link FindingsClient.free} end it. All methods are bound: you can pass `live.subscribe` around.
 *
 * Partitions arrive in any order, but the table shows them in index order. So a row moves when a partition before it
 * arrives. To keep a selection while loading, remember what identifies its findings, not row indexes.
 *
 * A live table is also an async iterable of its snapshots: the current one, then one after each change, until loading
 * ends. A slow loop skips snapshots and gets the latest. If you leave the loop, loading goes on.
 *
 * @example
 * using live = client.watchTable(42, "sentiment");
 * for await (const { state, table, progress } of live) {
 *   console.log(state, `${progress.partitionsDone} of ${progress.partitions ?? "?"} partitions`, table.countBy("TopicGroup"));
 * }
 */
export interface LiveTable<Finding = InspectionFinding> {
  /**
   * Calls a function after changes, until you call the returned function: at most once per animation frame, every 250
   * ms in a hidden page, every 16 ms where there is no page, and once more at the end, before {@link done} settles.
   * Never calls it synchronously.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * const unsubscribe = live.subscribe(() => console.log(live.getSnapshot().table.length));
   */
  subscribe(this: void, onChange: () => void): () => void;
  /**
   * Returns the current snapshot: the same object until something changes. Takes a few microseconds.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * const { table, progress } = live.getSnapshot();
   * console.log(table.length, progress.partitionsDone);
   */
  getSnapshot(this: void): LiveSnapshot<Finding>;
  /**
   * Iterates over the snapshots. The loop ends after the last snapshot, unless the loop calls {@link resume}.
   *
   * @example
   * using live = client.watchTable(42, "topics");
   * for await (const { state, table } of live) console.log(state, table.length);
   */
  [Symbol.asyncIterator](): AsyncGenerator<LiveSnapshot<Finding>, undefined>;
  /**
   * Resolves with the complete table, or rejects with the error of the call. {@link resume} replaces the promise. It
   * never causes an `unhandledrejection`. Free the table when you no longer need it; the snapshots stay usable.
   *
   * @example
   * using live = client.watchTable(42, "topics");
   * using table = await live.done;
   */
  readonly done: Promise<FindingsTable<Finding>>;
  /**
   * Stops loading, and keeps what has arrived: the state becomes `"aborted"`, and `done` rejects with an `AbortError`.
   * {@link resume} fetches the rest. Has no effect unless the state is `"loading"`.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * const cancel = document.createElement("button");
   * cancel.onclick = () => live.cancel();
   */
  cancel(this: void): void;
  /**
   * If the state is `"partial"`, `"failed"` or `"aborted"`, tries again: fetches the missing partitions into the same
   * live table. If that fails, the state is `"partial"` again if it was, otherwise `"failed"`, with the new error. A
   * signal that has been aborted no longer counts, but {@link cancel} works again. Has no effect in any other state, or
   * after {@link free}.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * const again = document.createElement("button");
   * live.subscribe(() => {
   *   again.hidden = ["loading", "complete"].includes(live.getSnapshot().state);
   * });
   * again.onclick = () => live.resume();
   */
  resume(this: void): void;
  /**
   * Ends loading and all notifications. While it is loading, the state becomes `"aborted"`, and `done` rejects with a
   * `TypeError`. Snapshots and the table of `done` stay usable. Calling it again has no effect.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * addEventListener("pagehide", () => live.free());
   */
  free(this: void): void;
  /**
   * Frees the live table, as {@link free} does, at the end of a block with `using`.
   *
   * @example
   * using live = client.watchTable(42, "topics");
   */
  [DISPOSE](): void;
}
