// The view of findings as objects, which are built of the live table of a view.

import { yieldNow } from "../../core/host/yield-now.js";
import type { LiveSnapshot } from "../../core/live/live-table-types.js";
import type { InspectionFinding } from "../../core/table/finding.js";
import type { FindingsTable } from "../../core/table/table.js";
import { BaseView, isReadable } from "./base-view.js";
import type { FindingsState, FindingsView, LoadControls } from "./view-types.js";

/** The findings of a table. */
interface Built<Finding> {
  readonly table: FindingsTable<Finding>;
  readonly findings: Finding[];
}

/** Why the findings of a table could not be built. */
interface Unbuilt<Finding> {
  readonly table: FindingsTable<Finding>;
  readonly error: unknown;
}

/** How many findings are built without a pause. */
const BATCH = 4096;

/**
 * Creates a view of findings as objects. It builds them in time slices when all have arrived, and frees their table.
 *
 * @returns the view, which loads nothing before {@link InspectionView.show}
 * @example
 * import { createFindingsView } from "inspection-findings/view";
 *
 * const view = createFindingsView();
 * view.subscribe(() => console.log(view.getSnapshot().findings?.length));
 * view.show(client, 42, "topics");
 */
export function createFindingsView<Finding = InspectionFinding>(): FindingsView<Finding>;
export function createFindingsView<Finding>(...passed: unknown[]): FindingsView<Finding> {
  return new ObjectsView<Finding>("createFindingsView", passed);
}

class ObjectsView<Finding> extends BaseView<Finding, FindingsState<Finding>> {
  /** The table whose findings are wanted: another object for each time that they are built. */
  #wanted: { readonly table: FindingsTable<Finding> } | undefined;
  /** The findings that are shown. */
  #built: Built<Finding> | undefined;
  #unbuilt: Unbuilt<Finding> | undefined;

  protected override present(
    snapshot: LiveSnapshot<Finding> | undefined,
    controls: LoadControls,
  ): FindingsState<Finding> {
    if (snapshot === undefined) return { state: "loading", ...controls };
    const { state, table, progress, error } = snapshot;
    const findings = this.#shows(snapshot) ? this.#built?.findings : undefined;
    const shown = findings === undefined ? {} : { findings };
    if (state === "failed" || state === "aborted") return { state, ...shown, error, progress, ...controls };
    if (state === "loading") return { state, ...shown, progress, ...controls };
    if (this.#unbuilt?.table === table) {
      return { state: "failed", ...shown, error: this.#unbuilt.error, progress, ...controls };
    }
    if (findings === undefined || this.#built?.table !== table)
      return { state: "loading", ...shown, progress, ...controls };
    if (state === "complete") return { state, findings, progress, ...controls };
    return { state, findings, error, progress, ...controls };
  }

  /** Its table has been freed, but not its findings. */
  protected override canShow({ table }: LiveSnapshot<Finding>): boolean {
    return this.#built?.table === table;
  }

  /** While findings could not be built, builds them again; loads again if their table can no longer be read. */
  protected override resume(): void {
    const table = this.#unbuilt?.table;
    if (table === undefined || table !== this.#wanted?.table) super.resume();
    else if (!isReadable(table)) this.reload();
    else {
      this.#wanted = undefined;
      this.#unbuilt = undefined;
      this.changed();
    }
  }

  protected override changed(): void {
    const { snapshot } = this;
    if (!this.#shows(snapshot)) this.#built = undefined;
    const { state, table: received } = snapshot ?? {};
    const table = state === "complete" || state === "partial" ? received : undefined;
    if (table !== this.#wanted?.table) {
      this.#wanted = table && { table };
      this.#unbuilt = undefined;
      if (table !== undefined && this.#built?.table !== table) void this.#build(table);
    }
    super.changed();
  }

  /** What is half built is built again when the component is shown again. */
  protected override ended(): void {
    this.#wanted = undefined;
  }

  /** Whether the findings that are built can be shown: they are those of the table, or it will take their place. */
  #shows(snapshot: LiveSnapshot<Finding> | undefined): boolean {
    const { state, table } = snapshot ?? {};
    return state === "complete" || state === "partial" || this.#built?.table === table;
  }

  async #build(table: FindingsTable<Finding>): Promise<void> {
    const wanted = this.#wanted;
    const isOver = () => this.#wanted !== wanted;
    try {
      const findings: Finding[] = [];
      const { length } = table;
      for (let from = 0; from < length && !isOver(); from += BATCH) {
        if (from > 0) await yieldNow();
        findings.push(...table.slice(from, from + BATCH));
      }
      if (isOver()) return;
      this.#built = { table, findings };
      // Otherwise another render may still show this table; garbage collection frees it.
      table.free();
    } catch (error) {
      if (isOver()) return;
      this.#unbuilt = { table, error };
    }
    this.changed();
  }
}
