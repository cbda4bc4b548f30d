// The hook that shows a live table.

import type { FindingsClient } from "../../core/client/client.js";
import type { WithColumns } from "../../core/client/options.js";
import type { TableFinding } from "../../core/table/column-name.js";
import type { FindingKind, InspectionKey } from "../../core/table/finding.js";
import { createTableView } from "../view/table-view.js";
import type { LiveTableState, ViewOptions } from "../view/view-types.js";
import { useView } from "./use-view.js";

/**
 * Loads the findings of an inspection while the component is mounted, and renders it again whenever more have arrived.
 * A React hook for {@link FindingsClient.watchTable}. It loads once, even in `StrictMode`, loads nothing on a server,
 * and stops when the component unmounts. It loads again if the inspection, the kind, the client or the names in
 * `columns` change.
 *
 * Do not free the table of a snapshot: React may still render an earlier one. Garbage collection frees it.
 *
 * @param client create it outside of components, or keep it in state. If each of several renders has a new client, the
 * hook stops loading, and the state is `"failed"`
 * @param inspectionKey undefined or null to wait, for example until a route or another query has the key
 * @param options read when loading starts. Later changes have no effect, except a change of the names in `columns`. You
 * can pass a new list in each render.
 * @returns the latest snapshot, and `cancel`, `resume` and `reload`. The same object until something changes.
 * @example
 * import { useLiveTable } from "inspection-findings/react";
 *
 * function Total({ client, inspectionKey }: { client: FindingsClient; inspectionKey: string }) {
 *   const { state, table } = useLiveTable(client, inspectionKey, "sentiment");
 *   return state === "failed" ? "Failed" : `${table?.length ?? 0} findings`;
 * }
 */
export function useLiveTable<
  Finding,
  const Names extends readonly string[] = never,
  Kind extends FindingKind = FindingKind,
>(
  client: FindingsClient<Finding>,
  inspectionKey: InspectionKey | null | undefined,
  kind: Kind,
  options?: WithColumns<ViewOptions, Finding, Names>,
): LiveTableState<TableFinding<Finding, Kind, Names>> {
  return useView(createTableView<TableFinding<Finding, Kind, Names>>, client, inspectionKey, kind, options);
}
