// What a component shows of an inspection as objects, which are built of the live table of a view.

import type { Progress } from "../client/progress.js";
import type { LiveSnapshot } from "../live/live-table-types.js";
import type { InspectionFinding } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { type LoadControls, View, type Waiting } from "./live-view.js";

/** The findings as objects, and functions for buttons. */
export type FindingsState<Finding = InspectionFinding> = LoadControls & (Waiting | Loaded<Finding>);

type Loaded<Finding> =
  /** Still loading. */
  | { state: "loading"; findings?: undefined; error?: undefined; progress: Progress }
  /** All findings have arrived. */
  | { state: "complete"; findings: Finding[]; error?: undefined; progress: Progress }
  /** Some partitions are missing, with `failurePolicy: "collect"`: `resume()` fetches them. */
  | { state: "partial"; findings: Finding[]; error: unknown; progress: Progress }
  /** The call has failed, or the objects could not be built: `resume()` tries again. */
  | { state: "failed"; findings?: undefined; error: unknown; progress: Progress }
  /** `cancel()`, the signal or the client has ended the call: `resume()` continues. */
  | { state: "aborted"; findings?: undefined; error: unknown; progress: Progress };

/** The findings of a table, or why they could not be built. */
interface Built<Finding> {
  readonly table: FindingsTable<Finding>;
  readonly findings?: Finding[];
  readonly error?: unknown;
}

/** How many findings are built without a pause. */
const BATCH = 4096;

/** The view of a component that shows objects. It frees their table. */
export class FindingsView<Finding> extends View<Finding, FindingsState<Finding>> {
  /** The table whose findings are wanted: another object for each time that they are built. */
  #wanted: { readonly table: FindingsTable<Finding> } | undefined;
  #built: Built<Finding> | undefined;

  protected override present(
    snapshot: LiveSnapshot<Finding> | undefined,
    controls: LoadControls,
  ): FindingsState<Finding> {
    if (snapshot === undefined) return { state: "loading", ...controls };
    const { state, table, progress, error } = snapshot;
    if (state === "failed" || state === "aborted") return { state, error, progress, ...controls };
    if (state === "loading" || this.#built?.table !== table) return { state: "loading", progress, ...controls };
    const { findings, error: reason } = this.#built;
    if (findings === undefined) return { state: "failed", error: reason, progress, ...controls };
    if (state === "complete") return { state, findings, progress, ...controls };
    return { state, findings, error, progress, ...controls };
  }

  /** While findings could not be built, builds them again; loads again if their table can no longer be read. */
  protected override resume(): void {
    const { table, findings } = this.#built ?? {};
    if (table === undefined || findings !== undefined || table !== this.#wanted?.table) super.resume();
    else if (!isReadable(table)) this.reload();
    else {
      this.#wanted = undefined;
      this.#built = undefined;
      this.changed();
    }
  }

  protected override changed(): void {
    const { state, table: received } = this.snapshot ?? {};
    const table = state === "complete" || state === "partial" ? received : undefined;
    if (table !== this.#wanted?.table) {
      this.#wanted = table && { table };
      if (table !== undefined && this.#built?.table !== table) void this.#build(table);
    }
    super.changed();
  }

  /** What is half built is built again when the component is shown again. */
  protected override ended(): void {
    this.#wanted = undefined;
  }

  async #build(table: FindingsTable<Finding>): Promise<void> {
    const wanted = this.#wanted;
    const isOver = () => this.#wanted !== wanted;
    try {
      const findings: Finding[] = [];
      const { length } = table;
      for (let from = 0; from < length && !isOver(); from += BATCH) {
        if (from > 0) await new Promise((resolve) => setTimeout(resolve));
        findings.push(...table.slice(from, from + BATCH));
      }
      if (isOver()) return;
      this.#built = { table, findings };
      // Otherwise another render may still show this table; garbage collection frees it.
      table.free();
    } catch (error) {
      if (isOver()) return;
      this.#built = { table, error };
    }
    this.changed();
  }
}

/** Whether the module that has a table still runs. */
function isReadable<Finding>(table: FindingsTable<Finding>): boolean {
  try {
    return table.length >= 0;
  } catch {
    return false;
  }
}
