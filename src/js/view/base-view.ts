// What all views do: they load live tables for their arguments, one after the other.

import type { TableOptions } from "../client/options.js";
import { refusal, wrongType } from "../error/refusal.js";
import { unauthorizedIn } from "../error/unauthorized.js";
import { notify } from "../host/notify.js";
import type { FindingsStore } from "../keep/findings-store.js";
import type { LiveSnapshot, LiveTable } from "../live/live-table-types.js";
import type { InspectionKey } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { TRANSITIONS, type ViewEffect, type ViewEvent, type ViewState } from "./view-state.js";
import type { LoadControls, Shown, ViewOptions } from "./view-types.js";

/** What a component wants to show. */
interface Wanted {
  readonly client: Shown[0];
  readonly inspectionKey: Shown[1];
  readonly kind: Shown[2];
  readonly options: Shown[3];
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

/** A view: a store of the live tables that are loaded for one component, one after the other. */
export abstract class BaseView<Finding, State> {
  readonly #subscribers = new Set<{ readonly onChange: () => void }>();
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

  readonly subscribe = (onChange: () => void): (() => void) => {
    if (typeof onChange !== "function") throw wrongType("onChange", "a function", onChange);
    const subscriber = { onChange };
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  };

  readonly getSnapshot = (): State => {
    const of = this.#snapshotOfLoad;
    if (this.#shown === undefined || this.#shown.of !== of) {
      const { snapshot } = this;
      const state = snapshot === undefined ? this.getServerSnapshot() : this.present(snapshot, this.#controls);
      this.#shown = { of, state };
    }
    return this.#shown.state;
  };

  readonly getServerSnapshot = (): State => {
    this.#waiting ??= this.present(undefined, this.#controls);
    return this.#waiting;
  };

  readonly isShowing = (...shown: Shown): boolean => this.#isFor(wantedOf(...shown));

  readonly show = (...shown: Shown): void => {
    const wanted = wantedOf(...shown);
    const isNew = this.#wanted !== undefined && this.#wanted.client !== wanted.client;
    this.#newClients = isNew ? this.#newClients + 1 : 0;
    this.#wanted = wanted;
    const { inspectionKey } = wanted;
    if (inspectionKey === undefined || inspectionKey === null) this.#on("wait");
    else this.#on(this.#isFor(wanted) ? "show" : "want");
  };

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
    notify(this.#subscribers);
  }

  #isFor(wanted: Wanted): boolean {
    return this.#load !== undefined && isFor(this.#load, wanted);
  }

  get #snapshotOfLoad(): LiveSnapshot<Finding> | undefined {
    // A live table that was freed while it loaded says "aborted".
    return this.#state === "stopped" ? undefined : (this.#load?.live?.getSnapshot() ?? this.#load?.failed);
  }

  /** Goes from state to state. The detail is the live table of a load. */
  #on(event: ViewEvent, detail?: LiveTable<Finding>): void {
    const [state, ...effects] = TRANSITIONS[this.#state][event] ?? [this.#state];
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

/** Whether the module that has a table still runs, and nobody has freed the table. */
export function isReadable<Finding>(table: FindingsTable<Finding>): boolean {
  try {
    return table.length >= 0;
  } catch {
    return false;
  }
}

/** Returns what a component wants to show. Throws nothing. */
function wantedOf(...[client, inspectionKey, kind, options]: Shown): Wanted {
  const wanted = { client, inspectionKey, kind, options };
  try {
    return { ...wanted, columns: JSON.stringify((options as { columns?: unknown } | undefined)?.columns) };
  } catch {
    // The live table fails with the error. A hook must not throw while it renders.
    return { ...wanted, columns: "unreadable" };
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
function split(options: ViewOptions | undefined): { store?: FindingsStore | undefined; rest: object | undefined } {
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
    const rule = "a FindingsClient of inspection-findings (that of inspection-findings/objects has no tables)";
    return wrongType("client", rule, client);
  }
  const isStore = store === undefined || typeof store.load === "function";
  return isStore ? undefined : wrongType("store", "what openStore() returns", store);
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

function watchTable<Finding>({ client, inspectionKey, kind }: Wanted, options: object | undefined): LiveTable<Finding> {
  const live: unknown = client.watchTable(inspectionKey as InspectionKey, kind, options as TableOptions);
  return live as LiveTable<Finding>;
}
