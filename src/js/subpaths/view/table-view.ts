// The view of a live table.

import type { LiveSnapshot } from "../../core/live/live-table-types.js";
import type { InspectionFinding } from "../../core/table/finding.js";
import { BaseView, isReadable } from "./base-view.js";
import type { LiveTableState, LoadControls, TableView } from "./view-types.js";

/**
 * Creates a view of a table that grows while it loads. Call queries such as `countBy` on the table of its snapshots while you render. Do not free this
 * table: another component may still render an earlier snapshot, and garbage collection frees it.
 *
 * @returns the view, which loads nothing before {@link InspectionView.show}
 * @example
 * import { createTableView } from "inspection-findings/view";
 *
 * const view = createTableView();
 * view.subscribe(() => {
 *   const { state, table } = view.getSnapshot();
 *   console.log(state, table?.countBy("TopicGroup"));
 * });
 * view.show(client, 42, "sentiment");
 */
export function createTableView<Finding = InspectionFinding>(): TableView<Finding>;
export function createTableView<Finding>(...passed: unknown[]): TableView<Finding> {
  return new LiveView<Finding>("createTableView", passed);
}

class LiveView<Finding> extends BaseView<Finding, LiveTableState<Finding>> {
  protected override present(
    snapshot: LiveSnapshot<Finding> | undefined,
    controls: LoadControls,
  ): LiveTableState<Finding> {
    return { state: "loading", ...snapshot, ...controls };
  }

  protected override canShow({ table }: LiveSnapshot<Finding>): boolean {
    return isReadable(table);
  }
}
