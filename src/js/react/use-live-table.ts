// The hook that shows a live table.

import { useEffect, useRef, useState, useSyncExternalStore } from "react";
import type { FindingsClient } from "../client/client.js";
import type { TableOptions, WithColumns } from "../client/options.js";
import type { LiveSnapshot, LiveTable } from "../live/live-table-types.js";
import type { Picked } from "../table/column-name.js";
import type { FindingKind, InspectionKey } from "../table/finding.js";

/** What a render of the hook shows, and the arguments that it was loaded for. */
interface Shown<Finding> {
  readonly store: Pick<LiveTable<Finding>, "getSnapshot" | "subscribe">;
  /** The client, then the other arguments. */
  readonly client: unknown;
  readonly others: readonly unknown[];
  /** Whether loading has stopped because every render had a new client: it applies to any client. */
  readonly isRefused: boolean;
}

/** How many renders in a row may each have a new client. */
const MAX_NEW_CLIENTS = 5;

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
 * @returns the latest snapshot; undefined on a server, before the component is mounted, and without a key
 * @example
 * import { useLiveTable } from "inspection-findings/react";
 *
 * function Total({ client, inspectionKey }: { client: FindingsClient; inspectionKey: string }) {
 *   const snapshot = useLiveTable(client, inspectionKey, "sentiment");
 *   return snapshot?.state === "failed" ? "Failed" : `${snapshot?.table.length ?? 0} findings`;
 * }
 */
export function useLiveTable<Finding, Column extends string, const Name extends string = Column>(
  client: FindingsClient<Finding, Column>,
  inspectionKey: InspectionKey | null | undefined,
  kind: FindingKind,
  options?: WithColumns<TableOptions, Finding, Name>,
): LiveSnapshot<Picked<Finding, Name>> | undefined {
  const [shown, show] = useState<Shown<Picked<Finding, Name>>>();
  const columns = textOfColumns(options);
  const others = [inspectionKey, kind, columns];
  const isFor = ({ others: loaded }: { others: readonly unknown[] }) =>
    loaded.every((value, index) => Object.is(value, others[index]));
  const rendered = useRef({ client, newClients: 0 });
  useEffect(() => {
    const { current } = rendered;
    current.newClients = current.client === client ? 0 : current.newClients + 1;
    current.client = client;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: most components pass new options in each render.
  useEffect(() => {
    if (inspectionKey === undefined || inspectionKey === null) return;
    const isRefused = rendered.current.newClients >= MAX_NEW_CLIENTS;
    if (isRefused && shown?.isRefused && isFor(shown)) return;
    const live = client.watchTable<Name>(inspectionKey, kind, options);
    // Nobody else gets this table.
    live.done.then((table) => table.free()).catch(() => {});
    if (isRefused) {
      const { table, progress } = live.getSnapshot();
      live.free();
      const snapshot = Object.freeze({ state: "failed", table, progress, error: tooManyClients() } as const);
      show({ store: { getSnapshot: () => snapshot, subscribe: withoutChanges }, client, others, isRefused });
      return;
    }
    show({ store: live, client, others, isRefused });
    return () => {
      // React renders a hidden `Activity` once more before the effect runs again: the freed table would be "aborted".
      if (live.getSnapshot().state === "loading") show(undefined);
      live.free();
    };
  }, [client, inspectionKey, kind, columns]);
  // After a change, the effect has not run yet.
  const isCurrent = shown !== undefined && isFor(shown) && (shown.isRefused || shown.client === client);
  const { getSnapshot, subscribe } = isCurrent ? shown.store : NOTHING;
  return useSyncExternalStore(subscribe, getSnapshot, getSnapshot);
}

const NOTHING = { getSnapshot: () => undefined, subscribe: withoutChanges };

function withoutChanges(): () => void {
  return () => {};
}

/** Writes the names of columns as text to compare, because most components write a new list in each render. */
function textOfColumns(options: { columns?: readonly unknown[] | undefined } | undefined): string | undefined {
  try {
    return JSON.stringify(options?.columns);
  } catch {
    // The live table fails with the error. A hook must not throw while it renders.
    return "unreadable";
  }
}

function tooManyClients(): TypeError {
  return new TypeError(
    `client was a new object in each of ${MAX_NEW_CLIENTS} renders, so loading has stopped: create the client ` +
      "outside of components, or keep it in state",
  );
}
