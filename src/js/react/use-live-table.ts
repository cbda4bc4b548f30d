// The hook that shows a live table.

import { useEffect, useMemo, useRef, useState, useSyncExternalStore } from "react";
import type { FindingsClient } from "../client/client.js";
import type { WithColumns } from "../client/options.js";
import type { LiveSnapshot, LiveTable } from "../live/live-table-types.js";
import type { Picked } from "../table/column-name.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import { type HookOptions, Load, refusalOf } from "./load.js";

/** Functions for buttons, which the hooks return. They are the same in every render. */
export interface LoadControls {
  /** Stops loading, and keeps what has arrived: the state becomes `"aborted"`. Has no effect unless it loads. */
  cancel(this: void): void;
  /**
   * If the state is `"partial"`, `"failed"` or `"aborted"`, tries again, and fetches only what is missing. You can
   * cancel that, too. Has no effect in any other state.
   */
  resume(this: void): void;
  /** Loads everything again from the beginning, in any state, and although a store keeps the table. */
  again(this: void): void;
}

/** What {@link useLiveTable} returns: the latest snapshot of the live table, and functions for buttons. */
export type LiveTableState<Finding = InspectionFinding> = LoadControls &
  (
    | LiveSnapshot<Finding>
    /** On a server, before the component is mounted, without a key, and while a store is read. */
    | { state: "loading"; table?: undefined; progress?: undefined; error?: undefined }
  );

/** What a render of the hook shows, and the arguments that it was loaded for. */
interface Shown<Finding> {
  readonly live: Pick<LiveTable<Finding>, "subscribe"> & { getSnapshot(): LiveSnapshot<Finding> | undefined };
  /** The client, then the other arguments. */
  readonly client: unknown;
  readonly others: readonly unknown[];
  /** How often `again()` had been called. */
  readonly round: number;
  /** Whether loading has stopped because every render had a new client: it applies to any client. */
  readonly isRefused: boolean;
}

/** What outlives the renders of a component. */
interface Mounted {
  client: unknown;
  /** How many renders in a row had a new client. */
  newClients: number;
  /** What the buttons control. */
  load: Pick<Load, "cancel" | "resume"> | undefined;
  /** Whether the next load requests everything. */
  reloads: boolean;
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
 * @returns the latest snapshot, and `cancel`, `resume` and `again`. The same object until something changes.
 * @example
 * import { useLiveTable } from "inspection-findings/react";
 *
 * function Total({ client, inspectionKey }: { client: FindingsClient; inspectionKey: string }) {
 *   const { state, table } = useLiveTable(client, inspectionKey, "sentiment");
 *   return state === "failed" ? "Failed" : `${table?.length ?? 0} findings`;
 * }
 */
export function useLiveTable<Finding, Column extends string, const Name extends string = Column>(
  client: FindingsClient<Finding, Column>,
  inspectionKey: InspectionKey | null | undefined,
  kind: FindingKind,
  options?: WithColumns<HookOptions, Finding, Name>,
): LiveTableState<Picked<Finding, Name>> {
  const [shown, show] = useState<Shown<Picked<Finding, Name>>>();
  const [round, setRound] = useState(0);
  const { current: mounted } = useRef<Mounted>({ client, newClients: 0, load: undefined, reloads: false });
  const [controls] = useState<LoadControls>(() => ({
    cancel: () => mounted.load?.cancel(),
    resume: () => mounted.load?.resume(),
    again: () => {
      mounted.reloads = true;
      setRound((round) => round + 1);
    },
  }));
  const columns = textOfColumns(options);
  const others = [inspectionKey, kind, columns];
  const isFor = ({ others: loaded }: { others: readonly unknown[] }) =>
    loaded.every((value, index) => Object.is(value, others[index]));
  // After a change, the effect has not run yet.
  const isCurrent = shown !== undefined && isFor(shown) && (shown.isRefused || shown.client === client);
  useEffect(() => {
    mounted.newClients = mounted.client === client ? 0 : mounted.newClients + 1;
    mounted.client = client;
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: most components pass new options in each render.
  useEffect(() => {
    const reload = mounted.reloads;
    mounted.reloads = false;
    if (inspectionKey === undefined || inspectionKey === null) return;
    const isRefused = mounted.newClients >= MAX_NEW_CLIENTS;
    if (isRefused && shown?.isRefused && isFor(shown)) return;
    // React runs the effect again for an `Activity` that was hidden, and after Fast Refresh: what is complete stays.
    if (isCurrent && shown.round === round && shown.live.getSnapshot()?.state === "complete") return;
    const loaded = { client, inspectionKey, kind, options };
    const refusal = isRefused ? tooManyClients() : refusalOf(loaded);
    if (refusal !== undefined) {
      const fail = (failed?: LiveSnapshot<Picked<Finding, Name>>) => {
        const snapshot = Object.freeze({ ...failed, state: "failed", error: refusal }) as typeof failed;
        show({ live: { getSnapshot: () => snapshot, subscribe: withoutChanges }, client, others, round, isRefused });
      };
      if (typeof client?.watchTable !== "function") fail();
      else
        Load.begin<Finding, Column, Name>({ ...loaded, options: undefined }, false, (live) =>
          fail(live.getSnapshot()),
        ).end();
      return;
    }
    const load = Load.begin(loaded, reload, (live) => show({ live, client, others, round, isRefused }));
    mounted.load = load;
    return () => {
      // React renders a hidden `Activity` once more before the effect runs again: the freed table would be "aborted".
      if (load.end()) show(undefined);
    };
  }, [client, inspectionKey, kind, columns, round]);
  const { getSnapshot, subscribe } = isCurrent ? shown.live : NOTHING;
  const snapshot = useSyncExternalStore<LiveSnapshot<Picked<Finding, Name>> | undefined>(
    subscribe,
    getSnapshot,
    getSnapshot,
  );
  return useMemo(() => ({ ...(snapshot ?? WAITING), ...controls }), [snapshot, controls]);
}

const WAITING = { state: "loading" } as const;

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
