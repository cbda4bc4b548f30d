// The hook that shows a live table.

import { useEffect, useState, useSyncExternalStore } from "react";
import type { FindingsClient } from "../client/client.js";
import type { FindingsOptions, WithColumns } from "../client/options.js";
import type { LiveSnapshot, LiveTable } from "../live/live-table-types.js";
import type { NamedColumn, Picked } from "../table/column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";

/** A live table, and what it was created for. */
interface Held<Finding> {
  readonly live: LiveTable<Finding>;
  readonly of: readonly unknown[];
}

/**
 * Loads the findings of an inspection while the component is mounted, and renders it again whenever more have arrived.
 * A React hook for {@link FindingsClient.watchTable}. It loads once, even in `StrictMode`, loads nothing on a server,
 * and stops when the component unmounts. It loads again if the inspection, the kind, the client or the names in
 * `columns` change.
 *
 * Do not free the table of a snapshot: React may still render an earlier one. Garbage collection frees it.
 *
 * @param client create it outside of components, or keep it in state
 * @param options read when loading starts. Later changes have no effect, except a change of the names in `columns`. You
 * can pass a new list in each render.
 * @returns the latest snapshot; undefined on a server and before the component is mounted
 * @example
 * import { useLiveTable } from "inspection-findings/react";
 *
 * function Total({ client, inspectionKey }: { client: FindingsClient; inspectionKey: string }) {
 *   const snapshot = useLiveTable(client, inspectionKey, "sentiment");
 *   return snapshot?.state === "failed" ? "Failed" : `${snapshot?.table.length ?? 0} findings`;
 * }
 */
export function useLiveTable<Finding = InspectionFinding, const Name extends NamedColumn<Finding> = string>(
  client: FindingsClient,
  inspectionKey: InspectionKey,
  kind: FindingKind,
  options?: WithColumns<FindingsOptions, Name>,
): LiveSnapshot<Picked<Finding, Name>> | undefined {
  const [held, hold] = useState<Held<Picked<Finding, Name>>>();
  // Most components write a new list in each render.
  const columns = JSON.stringify(options?.columns);
  const of = [client, inspectionKey, kind, columns];
  // biome-ignore lint/correctness/useExhaustiveDependencies: most components pass new options in each render.
  useEffect(() => {
    const live = client.watchTable<Finding, Name>(inspectionKey, kind, options);
    // Nobody else gets this table.
    live.done.then((table) => table.free()).catch(() => {});
    hold({ live, of });
    return () => {
      // React renders a hidden `Activity` once more before the effect runs again: the freed table would be "aborted".
      if (live.getSnapshot().state === "loading") hold(undefined);
      live.free();
    };
  }, [client, inspectionKey, kind, columns]);
  // After a change, the effect has not run yet.
  const live = held?.of.every((value, index) => Object.is(value, of[index])) ? held.live : undefined;
  const getSnapshot = () => live?.getSnapshot();
  return useSyncExternalStore(live?.subscribe ?? withoutChanges, getSnapshot, getSnapshot);
}

function withoutChanges(): () => void {
  return () => {};
}
