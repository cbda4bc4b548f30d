// The types of live tables.

import type { DISPOSE } from "./dispose.js";
import type { InspectionFinding } from "./finding.js";
import type { Progress } from "./progress.js";
import type { FindingsTable } from "./table.js";

/** What every snapshot has. */
interface Received<Finding> {
  /**
   * The findings of exactly the partitions received so far, in index order. The same object until another partition arrives. It
   * shares its columns with other snapshots, and you need not free it: garbage collection does.
   *
   * Until all partitions have arrived, a column that none of them has brought is missing in every finding. After that, its name is
   * a `RangeError`.
   */
  readonly table: FindingsTable<Finding>;
  /** The progress at the same moment. */
  readonly progress: Progress;
}

interface SnapshotWithoutError<Finding> extends Received<Finding> {
  /**
   * How far loading is:
   *
   * - `loading`: partitions are still being fetched
   * - `complete`: all findings are there, and their number is the total
   */
  readonly state: "loading" | "complete";
  readonly error?: undefined;
}

interface SnapshotWithError<Finding> extends Received<Finding> {
  /**
   * - `partial`: partitions are missing, and `resume()` fetches them; only with `failurePolicy: "collect"`
   * - `failed`: loading failed with `error`
   * - `aborted`: the signal, `free()` of the client or `free()` of the live table ended loading; `error` is the reason
   */
  readonly state: "partial" | "failed" | "aborted";
  /** Why loading ended: what `done` rejects with. Absent while it is loading, and once it is complete. */
  readonly error: unknown;
}

/**
 * What a {@link LiveTable} has received at one moment. It never changes. Check `state` to narrow the type: a `partial`, `failed` or
 * `aborted` snapshot has an `error`.
 *
 * @example
 * const snapshot = client.watchTable(42, "topics").getSnapshot();
 * if (snapshot.state === "failed") console.error(snapshot.error);
 */
export type LiveSnapshot<Finding = InspectionFinding> = SnapshotWithoutError<Finding> | SnapshotWithError<Finding>;

/**
 * A table that grows while its partitions arrive, returned by {@link FindingsClient.watchTable}.
 *
 * Loading starts with the call, and goes on whether anyone subscribes or not. {@link free}, `using`, the signal and
 * {@link FindingsClient.free} end it. All methods are bound: you can pass `live.subscribe` around.
 *
 * Partitions arrive in any order and are shown in index order, so a row moves when a partition before it arrives. To keep a
 * selection, remember the keys of findings, such as `StringKey`, and not the indexes of rows.
 *
 * A live table is an async iterable of its snapshots, too: the current one, then one after each change, until loading ends. A loop
 * that takes long gets the latest snapshot next, and skips those between. Leaving the loop frees nothing.
 *
 * @example
 * using live = client.watchTable(42, "sentiment");
 * for await (const { state, table, progress } of live) {
 *   console.log(state, `${progress.partitionsDone} of ${progress.partitions} partitions`, table.countBy("TopicGroup"));
 * }
 */
export interface LiveTable<Finding = InspectionFinding> {
  /**
   * Calls a function after changes, until you call the returned function: at most once per animation frame, every 250 ms in a
   * hidden page, every 16 ms where there is no page, and once more at the end, before {@link done} settles. Never calls it
   * synchronously.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * const unsubscribe = live.subscribe(() => console.log(live.getSnapshot().table.length));
   */
  subscribe(onChange: () => void): () => void;
  /**
   * Returns what has been received so far: the same object until something changes. Takes a few microseconds.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * const { table, progress } = live.getSnapshot();
   * console.log(table.length, progress.partitionsDone);
   */
  getSnapshot(): LiveSnapshot<Finding>;
  /**
   * Iterates over the snapshots. The loop ends after the snapshot with which loading ends; a `partial` one, too, unless the loop
   * calls {@link resume}.
   *
   * @example
   * using live = client.watchTable(42, "topics");
   * for await (const { state, table } of live) console.log(state, table.length);
   */
  [Symbol.asyncIterator](): AsyncGenerator<LiveSnapshot<Finding>, undefined>;
  /**
   * Resolves with the complete table, or rejects, as {@link FindingsClient.loadTable} does. {@link resume} replaces the promise.
   * It never causes an `unhandledrejection`. You free the table, which does not affect the snapshots.
   *
   * @example
   * using live = client.watchTable(42, "topics");
   * using table = await live.done;
   */
  readonly done: Promise<FindingsTable<Finding>>;
  /**
   * Fetches the missing partitions of a table whose state is `"partial"`, into the same live table. If that fails, the state is
   * `"partial"` again, with the new error. Has no effect in any other state.
   *
   * @example
   * const live = client.watchTable(42, "topics", { failurePolicy: "collect" });
   * const again = document.createElement("button");
   * live.subscribe(() => {
   *   again.hidden = live.getSnapshot().state !== "partial";
   * });
   * again.onclick = () => live.resume();
   */
  resume(): void;
  /**
   * Ends loading and all notifications. While it is loading, the state becomes `"aborted"`, and `done` rejects with a `TypeError`.
   * Snapshots and the table of `done` stay usable. Calling it again has no effect.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * addEventListener("pagehide", () => live.free());
   */
  free(): void;
  /**
   * Frees the live table, as {@link free} does, at the end of a block with `using`.
   *
   * @example
   * using live = client.watchTable(42, "topics");
   */
  [DISPOSE](): void;
}
