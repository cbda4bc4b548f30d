// The types of live tables.

import type { DISPOSE } from "./dispose.js";
import type { InspectionFinding, Progress } from "./inspection_findings.js";
import type { FindingsTable } from "./table.js";

/** What a {@link LiveTable} has received at one moment. It never changes. */
export interface LiveSnapshot<Finding = InspectionFinding> {
  /**
   * How far the loading is:
   *
   * - `loading`: partitions are still being fetched
   * - `complete`: all findings are there, and their number is the total
   * - `partial`: partitions are missing, and `resume()` fetches them; only with `failurePolicy: "collect"`
   * - `failed`: the loading has ended with `error`
   * - `aborted`: the signal was aborted or the client freed; `error` is the reason
   */
  readonly state: "loading" | "complete" | "partial" | "failed" | "aborted";
  /**
   * The findings of exactly the partitions received so far, in index order. The same object as long as no further partition has
   * arrived. It shares its columns with other snapshots, and need not be freed: garbage collection frees it.
   */
  readonly table: FindingsTable<Finding>;
  /** The progress at the same moment. */
  readonly progress: Progress;
  /** Why the loading has ended: what `done` rejects with. Absent while it is loading and once it is complete. */
  readonly error?: unknown;
}

/**
 * A table that grows while its partitions arrive, returned by {@link FindingsClient.watchTable}.
 *
 * The loading starts with the call, and goes on whether anyone subscribes or not. {@link free}, `using`, the signal and
 * {@link FindingsClient.free} end it. All methods can be passed on as plain functions.
 *
 * Partitions arrive in any order and are shown in index order, so a row moves when a partition before it arrives. To keep a
 * selection, remember the keys of findings, such as `StringKey`, and not the indexes of rows.
 *
 * @example
 * using live = client.watchTable(42, "sentiment");
 * live.subscribe(() => {
 *   const { state, table, progress } = live.getSnapshot();
 *   console.log(state, `${progress.partitionsDone} of ${progress.partitions} partitions`, table.countBy("TopicGroup"));
 * });
 * using table = await live.done;
 */
export interface LiveTable<Finding = InspectionFinding> {
  /**
   * Calls a function after changes, until the returned function is called: at most once in each animation frame, every 250 ms in a
   * hidden page, every 16 ms outside of pages, and once more after the end. Never calls it synchronously.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * const unsubscribe = live.subscribe(() => console.log(live.getSnapshot().table.length));
   */
  subscribe(onChange: () => void): () => void;
  /**
   * Returns what has been received so far: the same object until something has changed. Takes a few microseconds. After
   * {@link free} it is the last one.
   *
   * @example
   * const live = client.watchTable(42, "topics");
   * const { table, progress } = live.getSnapshot();
   * console.log(table.length, progress.partitionsDone);
   */
  getSnapshot(): LiveSnapshot<Finding>;
  /**
   * Resolves with the complete table, or rejects, as {@link FindingsClient.loadTable} does. After {@link resume} it is another
   * promise. It never causes an `unhandledrejection`. The caller frees the table, which does not affect the snapshots.
   *
   * @example
   * using live = client.watchTable(42, "topics");
   * using table = await live.done;
   */
  readonly done: Promise<FindingsTable<Finding>>;
  /**
   * Fetches the missing partitions of a call whose state is `"partial"`, into the same live table. Has no effect in any other state.
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
   * Ends the loading and all notifications; `done` rejects with a `TypeError` unless it has settled. Snapshots and what `done`
   * resolved with stay usable. Calling it again has no effect.
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
