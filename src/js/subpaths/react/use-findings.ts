// The hook that loads findings as objects.

import type { FindingsClient } from "../../core/client/client.js";
import type { WithColumns } from "../../core/client/options.js";
import type { CallFinding } from "../../core/table/column-name.js";
import type { FindingKind, InspectionKey } from "../../core/table/finding.js";
import { createFindingsView } from "../view/findings-view.js";
import type { FindingsState, ViewOptions } from "../view/view-types.js";
import { useView } from "./use-view.js";

/**
 * Loads all findings of an inspection as objects while the component is mounted. Starts, stops and reloads like
 * {@link useLiveTable}. Builds the findings in time slices when all have arrived, and frees their table.
 *
 * @param client create it outside of components, or keep it in state. If each of several renders has a new client, the
 * hook stops loading, and the state is `"failed"`
 * @param inspectionKey undefined or null to wait, for example until a route or another query has the key
 * @param options read when loading starts. Later changes have no effect, except a change of the names in `columns`
 * @returns the state, with `findings` or `error`, and the progress; and `cancel`, `resume` and `reload`. The same object
 * until something changes.
 * @example
 * import { useFindings } from "inspection-findings/react";
 *
 * function Comments({ client, inspectionKey }: { client: FindingsClient; inspectionKey: string }) {
 *   const { state, findings, error } = useFindings(client, inspectionKey, "topics");
 *   if (state === "failed") return String(error);
 *   return findings?.map(({ Comment }) => Comment).join("\n") ?? "Loading …";
 * }
 */
export function useFindings<
  Finding,
  const Names extends readonly string[] = never,
  Kind extends FindingKind = FindingKind,
>(
  client: FindingsClient<Finding>,
  inspectionKey: InspectionKey | null | undefined,
  kind: Kind,
  options?: WithColumns<ViewOptions, Finding, Names>,
): FindingsState<CallFinding<Finding, Kind, Names>> {
  return useView(createFindingsView<CallFinding<Finding, Kind, Names>>, client, inspectionKey, kind, options);
}
