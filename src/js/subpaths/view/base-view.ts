// What all views do: they load live tables for their arguments, one after the other.

import { refusal, wrongType } from "../../core/argument/refusal.js";
import { unauthorizedIn } from "../../core/error/unauthorized.js";
import { CallerContext } from "../../core/host/caller-context.js";
import { isObject } from "../../core/host/member.js";
import { notify, type Subscriber } from "../../core/host/notify.js";
import type { LiveSnapshot, LiveTable } from "../../core/live/live-table-types.js";
import type { FindingsTable } from "../../core/table/table.js";
import { isFor, type Load, loadOf, MAX_NEW_CLIENTS, type Manner, read, type Wanted, wantedOf, watch } from "./load.js";
import { TRANSITIONS, type ViewEffect, type ViewEvent, type ViewState } from "./view-state.js";
import type { LoadControls, Shown } from "./view-types.js";

/** A view: a store of the live tables that are loaded for one component, one after the other. */
export abstract class BaseView<Finding, State> {
  readonly #subscribers = new Set<Subscriber>();
  readonly #controls: LoadControls = {
    cancel: () => this.#on("cancel"),
    resume: () => this.resume(),
    reload: () => this.reload(),
  };
  #state: ViewState = "idle";
  /** What the component wanted last. */
  #wanted: Wanted | undefined;
  /** The clients that it has wanted. */
  readonly #clients = new WeakSet<object>();
  /** How many times in a row it wanted another new client. */
  #newClients = 0;
  /** Exists unless the view is idle. */
  #load: Load<Finding> | undefined;
  /** What was complete before a reload, which is shown until the reload is complete. */
  #earlier: LiveSnapshot<Finding> | undefined;
  /** Whether a load begins, which is told once. */
  #isBeginning = false;
  #waiting: State | undefined;
  /** The state, and the snapshot of the load that it was made of; forgotten after a change. */
  #shown: { readonly of: LiveSnapshot<Finding> | undefined; readonly state: State } | undefined;

  /** @param passed the arguments of the function that creates it, which takes none */
  constructor(creator: string, passed: readonly unknown[]) {
    if (passed.length > 0) throw refusal(`${creator}() takes no arguments: pass them to show() of the view`);
  }

  readonly subscribe = (onChange: () => void): (() => void) => {
    if (typeof onChange !== "function") throw wrongType("onChange", "a function", onChange);
    const subscriber = { onChange, context: new CallerContext() };
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
    const { client, inspectionKey } = wanted;
    const isFor = this.#isFor(wanted);
    const isNew = isObject(client) && !this.#clients.has(client);
    if (isNew) this.#clients.add(client);
    this.#newClients = isNew ? this.#newClients + 1 : 0;
    this.#wanted = wanted;
    if (inspectionKey === undefined || inspectionKey === null) this.#on("wait");
    else this.#on(isFor ? "show" : "want");
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
    const load = this.#load;
    if (!load?.isLoop) return load !== undefined && isFor(load.wanted, wanted);
    // A client that comes again is no new one.
    return !this.#clients.has(wanted.client) && isFor({ ...load.wanted, client: wanted.client }, wanted);
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
    begin: () => this.#begin("first"),
    again: () => this.#begin(this.#load?.manner === "reload" ? "reload" : "again"),
    reload: () => this.#begin("reload"),
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
    tell: () => {
      if (!this.#isBeginning) this.changed();
    },
  };

  /** Begins a load of what is wanted, unless that is refused. */
  #begin(manner: Manner): void {
    const load = loadOf<Finding>(this.#wanted as Wanted, manner, this.#newClients > MAX_NEW_CLIENTS);
    this.#load = load;
    this.#isBeginning = true;
    if (load.failed !== undefined) this.#on("refuse");
    else if (load.store === undefined) this.#opened(load, watch(load));
    else void this.#read(load);
    this.#isBeginning = false;
  }

  /** Opens a load whose store has to be read. */
  async #read(load: Load<Finding>): Promise<void> {
    const context = new CallerContext();
    try {
      // Strict mode of React ends the first load of a component at once, before it has read anything.
      const live = await context.run(() => (load === this.#load ? read(load) : undefined));
      if (live !== undefined) this.#opened(load, live);
    } catch (error) {
      // What `onError` of the store has thrown.
      if (load === this.#load) this.#opened(load, await context.run(() => watch(load)));
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
    const { state, error, progress } = live.getSnapshot();
    if (progress.bytes > 0) this.#newClients = 0;
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
