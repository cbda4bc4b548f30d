// What a component shows of an inspection: a live table that is loaded for its arguments, for any framework.

import type { FindingsClient } from "../client/client.js";
import type { TableOptions, WithColumns } from "../client/options.js";
import type { FindingsStore } from "../keep/findings-store.js";
import type { LiveSnapshot, LiveTable } from "../live/live-table-types.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";

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
  /** Loads everything again from the beginning, in any state, and although a store keeps the table. */
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
  /** Whether it fails because every render had a new client: it applies to any client. */
  readonly isRefused: boolean;
  live?: LiveTable<Finding>;
  /** What is shown without a live table. */
  snapshot?: LiveSnapshot<Finding> | undefined;
  isCancelled: boolean;
  isOver: boolean;
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
    cancel: () => {
      if (this.#load === undefined) return;
      this.#load.isCancelled = true;
      this.#load.live?.cancel();
    },
    resume: () => this.resume(),
    reload: () => this.reload(),
  };
  /** What the component wanted last. */
  #wanted: Wanted | undefined;
  /** How many times in a row it wanted a new client. */
  #newClients = 0;
  #load: Load<Finding> | undefined;
  #waiting: State | undefined;
  /** The state, and the snapshot that it was made of; forgotten after a change. */
  #shown: { readonly of: LiveSnapshot<Finding> | undefined; readonly state: State } | undefined;

  /** Calls `onChange` after each change, until the returned function is called. */
  readonly subscribe = (onChange: () => void): (() => void) => {
    this.#subscribers.add(onChange);
    return () => this.#subscribers.delete(onChange);
  };

  /** Returns the state: the same object until something changes. */
  readonly getState = (): State => {
    const of = this.snapshot;
    if (of === undefined) return this.waiting;
    if (this.#shown?.of !== of) this.#shown = { of, state: this.present(of, this.#controls) };
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
    const load = this.#load;
    if (load !== undefined && isFor(load, wanted)) {
      if (!load.isOver) return;
      if (this.snapshot?.state === "complete") {
        load.isOver = false;
        this.changed();
        return;
      }
    }
    this.stop();
    if (wanted.inspectionKey !== undefined && wanted.inspectionKey !== null) this.#begin(wanted, false);
    else if (load !== undefined) this.#replace(undefined);
  }

  /** Stops loading. What is complete stays. */
  readonly stop = (): void => {
    const load = this.#load;
    if (load === undefined || load.isOver) return;
    load.isOver = true;
    load.unsubscribe?.();
    const { state } = this.snapshot ?? WAITING;
    load.live?.free();
    // A live table that is freed while it loads says "aborted".
    if (state === "loading") this.#load = undefined;
    this.ended();
  };

  /** Makes a state of a snapshot. */
  protected abstract present(snapshot: LiveSnapshot<Finding> | undefined, controls: LoadControls): State;

  /** Notes that loading has stopped. */
  protected ended(): void {}

  /** The latest snapshot. */
  protected get snapshot(): LiveSnapshot<Finding> | undefined {
    return this.#load?.live?.getSnapshot() ?? this.#load?.snapshot;
  }

  protected resume(): void {
    if (this.#load === undefined) return;
    this.#load.isCancelled = false;
    this.#load.live?.resume();
  }

  protected reload(): void {
    const load = this.#load;
    if (load === undefined || load.isOver || this.#wanted === undefined) return;
    this.stop();
    this.#begin(this.#wanted, true);
  }

  /** Notes that something has changed. */
  protected changed(): void {
    this.#shown = undefined;
    for (const subscriber of [...this.#subscribers]) subscriber();
  }

  #replace(load: Load<Finding> | undefined): void {
    this.#load = load;
    this.changed();
  }

  /** Begins a load. One that follows another of the same arguments shows what that has shown until it has something. */
  #begin(wanted: Wanted, reload: boolean): void {
    const isRefused = this.#newClients >= MAX_NEW_CLIENTS;
    const snapshot = reload ? this.snapshot : undefined;
    const load: Load<Finding> = { wanted, isRefused, snapshot, isCancelled: false, isOver: false };
    const { store, rest } = split(wanted.options);
    const refusal = isRefused ? tooManyClients() : refusalOf(wanted, store);
    const watch = (options: object | undefined) =>
      wanted.client.watchTable(
        wanted.inspectionKey as InspectionKey,
        wanted.kind,
        options as TableOptions,
      ) as unknown as LiveTable<Finding>;
    if (refusal === undefined) {
      this.#replace(load);
      void this.#open(
        load,
        store &&
          (() => store.load(wanted.client, wanted.inspectionKey as InspectionKey, wanted.kind, { ...rest, reload })),
        () => watch(rest),
      );
      return;
    }
    const ended = new AbortController();
    ended.abort();
    const hasTable = typeof wanted.client?.watchTable === "function";
    load.snapshot = failed(refusal, hasTable ? () => watch({ signal: ended.signal }) : undefined);
    this.#replace(load);
  }

  async #open(
    load: Load<Finding>,
    watchKept: (() => Promise<unknown>) | undefined,
    watch: () => LiveTable<Finding>,
  ): Promise<void> {
    // Strict mode of React ends the first load of a component at once, before it has sent or read anything.
    await undefined;
    if (load.isOver) return;
    try {
      this.#follow(load, watchKept === undefined ? watch() : ((await watchKept()) as LiveTable<Finding>));
    } catch (error) {
      // What `onError` of the store has thrown.
      this.#follow(load, watch());
      throw error;
    }
  }

  #follow(load: Load<Finding>, live: LiveTable<Finding>): void {
    // Nobody else gets this table.
    live.done.then((table) => table.free()).catch(() => {});
    if (load.isOver) {
      live.free();
      return;
    }
    load.live = live;
    if (load.isCancelled) live.cancel();
    load.unsubscribe = live.subscribe(() => this.changed());
    this.changed();
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
}

/** Whether a load is for what is wanted. */
function isFor<Finding>({ wanted: loaded, isRefused }: Load<Finding>, wanted: Wanted): boolean {
  const members = ["inspectionKey", "kind", "columns"] as const;
  return (
    members.every((name) => Object.is(loaded[name], wanted[name])) && (isRefused || loaded.client === wanted.client)
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
      "client must be a FindingsClient of inspection-findings (that of inspection-findings/light has no tables)";
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
function failed<Finding>(error: TypeError, watch: (() => LiveTable<Finding>) | undefined): LiveSnapshot<Finding> {
  const live = watch?.();
  const { table, progress } = live?.getSnapshot() ?? {};
  live?.free();
  return Object.freeze({ state: "failed", table, progress, error }) as LiveSnapshot<Finding>;
}
