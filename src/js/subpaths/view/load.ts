// A load of a view: what a component wants, the manner in which it is loaded, and the call that follows from both.

import { refusal, wrongType } from "../../core/argument/refusal.js";
import type { TableOptions } from "../../core/client/options.js";
import type { LiveSnapshot, LiveTable } from "../../core/live/live-table-types.js";
import type { InspectionKey } from "../../core/table/finding.js";
import type { FindingsStore } from "../keep/findings-store.js";
import type { Shown, ViewOptions } from "./view-types.js";

/** How many renders in a row may each have a new client, before anything has arrived. */
export const MAX_NEW_CLIENTS = 5;

/** What a component wants to show. */
export interface Wanted {
  readonly client: Shown[0];
  readonly inspectionKey: Shown[1];
  readonly kind: Shown[2];
  readonly options: Shown[3];
  /** The names of the columns as text, because most components write a new list in each render. */
  readonly columns: string | undefined;
}

/** How a load begins: because its arguments are new, because its component is shown again, or to request everything. */
export type Manner = "first" | "again" | "reload";

/** The call of a load, as its options say. */
interface Call {
  /** The store that has the table of before. */
  readonly store: FindingsStore | undefined;
  /** The options of `watchTable`. Those of `load` of the store also have `reload`. */
  readonly options: object | undefined;
}

/** Loads of a view follow each other: each is one live table, which a store may have to be read for. */
export interface Load<Finding> extends Call {
  readonly wanted: Wanted;
  readonly manner: Manner;
  /** Whether every render has had a new client: then it cannot begin, and applies to each further one. */
  readonly isLoop: boolean;
  /** What is shown instead of the live table of a load that cannot begin. */
  readonly failed: LiveSnapshot<Finding> | undefined;
  live?: LiveTable<Finding>;
  unsubscribe?: () => void;
}

/** Returns what a component wants to show. Throws nothing. */
export function wantedOf(...[client, inspectionKey, kind, options]: Shown): Wanted {
  const wanted = { client, inspectionKey, kind, options };
  try {
    return { ...wanted, columns: JSON.stringify((options as { columns?: unknown } | undefined)?.columns) };
  } catch {
    // The live table fails with the error. A hook must not throw while it renders.
    return { ...wanted, columns: "unreadable" };
  }
}

/** Whether a load of one is a load of the other. */
export function isFor(loaded: Wanted, wanted: Wanted): boolean {
  const members = ["client", "inspectionKey", "kind", "columns"] as const;
  return members.every((name) => Object.is(loaded[name], wanted[name]));
}

/** Returns a load, which has not begun. */
export function loadOf<Finding>(wanted: Wanted, manner: Manner, isLoop: boolean): Load<Finding> {
  const call = callOf(wanted.options, manner);
  const refusal = isLoop ? tooManyClients() : refusalOf(wanted, call.store);
  return { ...call, wanted, manner, isLoop, failed: refusal && failed(refusal, wanted) };
}

/** Begins the call of a load. */
export function watch<Finding>({ wanted, options }: Load<Finding>): LiveTable<Finding> {
  return watchTable(wanted, options);
}

/** Begins the call of a load once its store has been read. */
export async function read<Finding>({ wanted, manner, store, options }: Load<Finding>): Promise<LiveTable<Finding>> {
  const { client, inspectionKey, kind } = wanted;
  const reload = { value: manner === "reload", enumerable: true };
  const ofStore = Object.create(options as object, { ...Object.getOwnPropertyDescriptors(options), reload });
  const live: unknown = await store?.load(client, inspectionKey as InspectionKey, kind, ofStore);
  return live as LiveTable<Finding>;
}

function tooManyClients(): TypeError {
  return refusal(
    `client was a new object in each of ${MAX_NEW_CLIENTS} renders, so loading has stopped: create the client ` +
      "outside of components, or keep it in state",
  );
}

/** Returns the snapshot of a load that does not begin, with the table of one that ends at once. */
function failed<Finding>(error: TypeError, wanted: Wanted): LiveSnapshot<Finding> {
  const hasTable = typeof wanted.client?.watchTable === "function";
  const live = hasTable ? watchTable<Finding>(wanted, { signal: AbortSignal.abort() }) : undefined;
  const { table, progress } = live?.getSnapshot() ?? {};
  live?.free();
  return Object.freeze({ state: "failed", table, progress, error }) as LiveSnapshot<Finding>;
}

/**
 * Returns the call of a load. A reload requests everything, so it has no `from`; that somebody has aborted a call before does not end it. A load that
 * begins again has no `from` that the caller has freed meanwhile.
 */
function callOf(passed: ViewOptions | undefined, manner: Manner): Call {
  try {
    const { store, from, signal } = (passed ?? {}) as OptionsOfCall;
    const isReload = manner === "reload";
    const isFromLeftOut = isReload || (manner === "again" && from?.freed === true);
    const changes = {
      ...(!store && isFromLeftOut && { from: undefined }),
      ...(isReload && signal?.aborted && { signal: null }),
    };
    return { store: store ?? undefined, options: changed(passed, changes) };
  } catch {
    // The live table fails with the error. A hook must not throw.
    return { store: undefined, options: passed };
  }
}

type OptionsOfCall = Pick<TableOptions, "from" | "signal"> & { readonly store?: FindingsStore | null | undefined };

/** Returns options without the store, and with changes. They inherit what the passed ones inherit. */
function changed(passed: object | undefined, changes: object): object | undefined {
  if (passed === undefined || (!("store" in passed) && Object.keys(changes).length === 0)) return passed;
  const { store, ...own } = passed as OptionsOfCall;
  return Object.create(passed, Object.getOwnPropertyDescriptors({ ...own, ...changes }));
}

/** Returns the error of a load whose client or store is none. */
function refusalOf({ client }: Wanted, store: FindingsStore | undefined): TypeError | undefined {
  if (typeof client?.watchTable !== "function") {
    const rule = "a FindingsClient of inspection-findings (that of inspection-findings/objects has no tables)";
    return wrongType("client", rule, client);
  }
  const isStore = store === undefined || typeof store.load === "function";
  return isStore ? undefined : wrongType("store", "what openStore() returns", store);
}

function watchTable<Finding>({ client, inspectionKey, kind }: Wanted, options: object | undefined): LiveTable<Finding> {
  const live: unknown = client.watchTable(inspectionKey as InspectionKey, kind, options as TableOptions);
  return live as LiveTable<Finding>;
}
