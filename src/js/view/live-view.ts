// What a component shows of an inspection: a live table that is loaded for its arguments, for any framework.

import type { FindingsClient } from "../client/client.js";
import type { TableOptions, WithColumns } from "../client/options.js";
import { unauthorizedIn } from "../error/unauthorized.js";
import type { FindingsStore } from "../keep/findings-store.js";
import type { LiveSnapshot, LiveTable } from "../live/live-table-types.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { TRANSITIONS, type ViewEffect, type ViewEvent, type ViewState } from "./view-state.js";

/** The options of the hooks: {@link TableOptions} and `store`. */
export interface HookOptions extends Pick<TableOptions, keyof TableOptions> {
  /**
   * The store of `inspection-findings/keep` that keeps the table for the next visit. Create it outside of components. The
   * option `from` has no effect then.
   *
   * @default none
   */
  store?: FindingsStore | undefined;
}

/** Functions for buttons. They are always the same. */
export interface LoadControls {
  /** Stops loading, and keeps what has arrived: the state becomes `"aborted"`. Has no effect unless it loads. */
  cancel(this: void): void;
  /**
   * If the state is `"partial"`, `"failed"` or `"aborted"`, tries again, and fetches only what is missing. You can
   * cancel that, too. Has no effect in any other state.
   */
  resume(this: void): void;
  /**
   * Loads everything again from the beginning, in any state, and although a store keeps the table. What is complete is
   * shown until the reload is complete, too, also if the reload fails; but no longer after status 401 or 403.
   */
  reload(this: void): void;
}

/** Before anything is loaded: on a server, before a component is mounted, without a key, and while a store is read. */
export interface Waiting {
  state: "loading";
  table?: undefined;
  findings?: undefined;
  progress?: undefined;
  error?: undefined;
}

/** The latest snapshot of a live table, and functions for buttons. */
export type LiveTableState<Finding = InspectionFinding> = LoadControls & (LiveSnapshot<Finding> | Waiting);

/** What a component wants to show. */
export interface Wanted {
  readonly client: FindingsClient;
  readonly inspectionKey: InspectionKey | null | undefined;
  readonly kind: FindingKind;
  readonly options: HookOptions | undefined;
  /** The names of the columns as text, because most components write a new list in each render. */
  readonly columns: string | undefined;
}

/** Loads of a view follow each other: each is one live table, which a store may have to be read for. */
interface Load<Finding> {
  readonly wanted: Wanted;
  /** Whether it requests everything, although a store keeps the table. */
  readonly reload: boolean;
  /** Why it cannot begin. */
  readonly refusal: TypeError | undefined;
  /** Whether it cannot begin because every render had a new client: it applies to any client. */
  readonly isForAnyClient: boolean;
  live?: LiveTable<Finding>;
  /** What is shown instead of the live table of a load that cannot begin. */
  failed?: LiveSnapshot<Finding>;
  unsubscribe?: () => void;
}

/** How many renders in a row may each have a new client. */
const MAX_NEW_CLIENTS = 5;

const WAITING: Waiting = { state: "loading" };

/** Returns what a component wants to show. Throws nothing. */
export function wantedOf<Finding, Names extends readonly string[]>(
  client: FindingsClient<Finding>,
  inspectionKey: InspectionKey | null | undefined,
  kind: FindingKind,
  options: WithColumns<HookOptions, Finding, Names> | undefined,
): Wanted {
  const wanted = { client: client as unknown as FindingsClient, inspectionKey, kind, options };
  try {
    return { ...wanted, columns: JSON.stringify(options?.columns) };
  } catch {
    // The live table fails with the error. A hook must not throw while it renders.
    return { ...wanted, columns: "unreadable" };
  }
}

/** A store for frameworks of the live tables that are loaded for one component, one after the other. */
export abstract class View<Finding, State> {
  readonly #subscribers = new Set<() => void>();
  readonly #controls: LoadControls = {
    cancel: () => this.#on("cancel"),
    resume: () => this.resume(),
    reload: () => this.reload(),
  };
  #state: ViewState = "idle";
  /** What the component wanted last. */
  #wanted: Wanted | undefined;
  /** How many times in a row it wanted a new client. */
  #newClients = 0;
  /** Exists unless the view is idle. */
  #load: Load<Finding> | undefined;
  /** What was complete before a reload, which is shown until the reload is complete. */
  #earlier: LiveSnapshot<Finding> | undefined;
  #waiting: State | undefined;
  /** The state, and the snapshot of the load that it was made of; forgotten after a change. */
  #shown: { readonly of: LiveSnapshot<Finding> | undefined; readonly state: State } | undefined;

  /** Calls `onChange` after each change, until the returned function is called. */
  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#subscribers.add(onChange);
    return () => this.#subscribers.delete(onChange);
  };

  /** Returns the state: the same object until something changes. */
  readonly getState = (): State => {
    const of = this.#snapshotOfLoad;
    if (this.#shown === undefined || this.#shown.of !== of) {
      const { snapshot } = this;
      const state = snapshot === undefined ? this.waiting : this.present(snapshot, this.#controls);
      this.#shown = { of, state };
    }
    return this.#shown.state;
  };

  /** The state before anything is loaded. */
  get waiting(): State {
    this.#waiting ??= this.present(undefined, this.#controls);
    return this.#waiting;
  }

  /** Whether the state is that of what is wanted. */
  isFor(wanted: Wanted): boolean {
    return this.#load !== undefined && isFor(this.#load, wanted);
  }

  /**
   * Loads what a component wants. Call it after each render that may have changed it. Has no effect while that is loaded
   * already; what is complete stays when a component that was stopped is shown again.
   */
  show(wanted: Wanted): void {
    const isNew = this.#wanted !== undefined && this.#wanted.client !== wanted.client;
    this.#newClients = isNew ? this.#newClients + 1 : 0;
    this.#wanted = wanted;
    const { inspectionKey } = wanted;
    if (inspectionKey === undefined || inspectionKey === null) this.#on("wait");
    else this.#on(this.isFor(wanted) ? "show" : "want");
  }

  /** Stops loading. What is complete stays. */
  readonly stop = (): void => this.#on("stop");

  /** Makes a state of a snapshot. */
  protected abstract present(snapshot: LiveSnapshot<Finding> | undefined, controls: LoadControls): State;

  /** Whether the component can still show the table of a snapshot that is complete. */
  protected abstract canShow(snapshot: LiveSnapshot<Finding>): boolean;

  /** Notes that loading has stopped. */
  protected ended(): void {}

  /** What is shown: the latest snapshot of the load. While a reload is not complete, it has the table of before. */
  protected get snapshot(): LiveSnapshot<Finding> | undefined {
    const snapshot = this.#snapshotOfLoad;
    const earlier = this.#earlier;
    if (earlier === undefined || !this.canShow(earlier)) return snapshot;
    return Object.freeze({ ...earlier, state: "loading", ...snapshot, table: earlier.table }) as LiveSnapshot<Finding>;
  }

  protected resume(): void {
    this.#on("resume");
  }

  protected reload(): void {
    this.#on("reload");
  }

  /** Notes that something has changed. */
  protected changed(): void {
    this.#shown = undefined;
    for (const subscriber of [...this.#subscribers]) subscriber();
  }

  get #snapshotOfLoad(): LiveSnapshot<Finding> | undefined {
    // A live table that was freed while it loaded says "aborted".
    return this.#state === "stopped" ? undefined : (this.#load?.live?.getSnapshot() ?? this.#load?.failed);
  }

  /** Goes from state to state. The detail is the live table of a load. */
  #on(event: ViewEvent, detail?: LiveTable<Finding>): void {
    const [state, ...effects] = TRANSITIONS[this.#state][event];
    this.#state = state;
    for (const effect of effects) this.#effects[effect](detail);
  }

  readonly #effects: Record<ViewEffect, (detail: unknown) => void> = {
    keep: () => {
      const snapshot = this.#snapshotOfLoad;
      if (snapshot !== undefined && this.canShow(snapshot)) this.#earlier = snapshot;
    },
    forget: () => {
      this.#earlier = undefined;
    },
    end: () => {
      const load = this.#load;
      load?.unsubscribe?.();
      load?.live?.free();
      // What opens it still is too late.
      this.#load = load && { ...load };
      this.ended();
    },
    begin: () => this.#begin(false),
    again: () => this.#begin(this.#load?.reload === true),
    reload: () => this.#begin(true),
    fail: () => {
      if (this.#load?.refusal !== undefined) this.#load.failed = failed(this.#load.refusal, this.#load.wanted);
    },
    drop: () => {
      this.#load = undefined;
    },
    follow: (detail) => {
      const load = this.#load;
      if (load === undefined) return;
      const live = detail as LiveTable<Finding>;
      load.live = live;
      load.unsubscribe = live.subscribe(() => this.#follow(live));
      this.#follow(live);
    },
    cancel: () => this.#load?.live?.cancel(),
    resume: () => this.#load?.live?.resume(),
    tell: () => this.changed(),
  };

  /** Begins a load of what is wanted, unless that is refused. */
  #begin(reload: boolean): void {
    const wanted = this.#wanted as Wanted;
    const { store, rest } = split(wanted.options);
    const isForAnyClient = this.#newClients >= MAX_NEW_CLIENTS;
    const refusal = isForAnyClient ? tooManyClients() : refusalOf(wanted, store);
    const load: Load<Finding> = { wanted, reload, refusal, isForAnyClient };
    this.#load = load;
    if (refusal === undefined) void this.#open(load, store, rest);
    else this.#on("refuse");
  }

  async #open(load: Load<Finding>, store: FindingsStore | undefined, options: object | undefined): Promise<void> {
    const { wanted, reload } = load;
    const watch = () => watchTable<Finding>(wanted, options);
    // Strict mode of React ends the first load of a component at once, before it has sent or read anything.
    await undefined;
    if (load !== this.#load) return;
    if (store === undefined) {
      this.#opened(load, watch());
      return;
    }
    const { client, inspectionKey, kind } = wanted;
    try {
      const live: unknown = await store.load(client, inspectionKey as InspectionKey, kind, { ...options, reload });
      this.#opened(load, live as LiveTable<Finding>);
    } catch (error) {
      // What `onError` of the store has thrown.
      if (load === this.#load) this.#opened(load, watch());
      throw error;
    }
  }

  #opened(load: Load<Finding>, live: LiveTable<Finding>): void {
    // Nobody else gets this table.
    live.done.then((table) => table.free()).catch(() => {});
    if (load === this.#load) this.#on("open", live);
    else live.free();
  }

  /** Notes a change of the live table. */
  #follow(live: LiveTable<Finding>): void {
    const { state, error } = live.getSnapshot();
    const other = unauthorizedIn(error) === undefined ? "change" : "deny";
    this.#on(state === "complete" ? "complete" : other);
  }
}

/** The view of a component that shows a live table. */
export class LiveView<Finding> extends View<Finding, LiveTableState<Finding>> {
  protected override present(
    snapshot: LiveSnapshot<Finding> | undefined,
    controls: LoadControls,
  ): LiveTableState<Finding> {
    return { ...(snapshot ?? WAITING), ...controls };
  }

  protected override canShow({ table }: LiveSnapshot<Finding>): boolean {
    return isReadable(table);
  }
}

/** Whether the module that has a table still runs, and nobody has freed the table. */
export function isReadable<Finding>(table: FindingsTable<Finding>): boolean {
  try {
    return table.length >= 0;
  } catch {
    return false;
  }
}

/** Whether a load is for what is wanted. */
function isFor<Finding>({ wanted: loaded, isForAnyClient }: Load<Finding>, wanted: Wanted): boolean {
  const members = ["inspectionKey", "kind", "columns"] as const;
  return (
    members.every((name) => Object.is(loaded[name], wanted[name])) &&
    (isForAnyClient || loaded.client === wanted.client)
  );
}

/** Separates the store from the options of the call. */
function split(options: HookOptions | undefined): { store?: FindingsStore | undefined; rest: object | undefined } {
  try {
    if (options === undefined || !("store" in options)) return { rest: options };
    const { store, ...rest } = options;
    return { store: store ?? undefined, rest };
  } catch {
    // The live table fails with the error. A hook must not throw.
    return { rest: options };
  }
}

/** Returns the error of a load whose client or store is none. */
function refusalOf({ client }: Wanted, store: FindingsStore | undefined): TypeError | undefined {
  if (typeof client?.watchTable !== "function") {
    const rule =
      "client must be a FindingsClient of inspection-findings (that of inspection-findings/objects has no tables)";
    return wrongType(rule, client);
  }
  const isStore = store === undefined || typeof store.load === "function";
  return isStore ? undefined : wrongType("store must be what openStore() returns", store);
}

function wrongType(rule: string, value: unknown): TypeError {
  return new TypeError(`${rule}; got ${value === null ? null : typeof value}`);
}

function tooManyClients(): TypeError {
  return new TypeError(
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

function watchTable<Finding>({ client, inspectionKey, kind }: Wanted, options: object | undefined): LiveTable<Finding> {
  const live: unknown = client.watchTable(inspectionKey as InspectionKey, kind, options as TableOptions);
  return live as LiveTable<Finding>;
}
