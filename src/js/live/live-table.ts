// The live table: a table that grows while its call runs.

import type { ResumeOptions } from "../client/options.js";
import type { Progress } from "../client/progress.js";
import type { LiveSource } from "../engine/engine.js";
import { FindingsError } from "../error/error.js";
import { wrongType } from "../error/refusal.js";
import { tagInstances } from "../host/receiver.js";
import { DISPOSE } from "../table/dispose.js";
import { emptyColumns } from "../table/empty-columns.js";
import { LiveResults } from "../table/shared-results.js";
import { type FindingsTable, SHARE_RESULTS, tableOf } from "../table/table.js";
import { type Origin, SOURCE } from "../table/table-source.js";
import { atNextFrame } from "./frame.js";
import type { LiveSnapshot, LiveTable } from "./live-table-types.js";
import { snapshotsOf } from "./snapshot-iterator.js";

/** A call behind a live table, which fetches the partitions that its source lacks. */
export interface LiveCall {
  /** Resolves like `loadTable`. */
  readonly promise: Promise<FindingsTable<never>>;
  /** Whether the caller has aborted the call with this reason. */
  isAborted(reason: unknown): boolean;
}

/** The calls behind live tables. */
export interface LiveCalls<Finding> {
  /** Begins the first call. */
  begin(live: Live<Finding>): LiveCall;
  /** Begins a call for what is missing. Without options, signals that have been aborted no longer count. */
  resume(live: Live<Finding>, more: ResumeOptions | undefined): LiveCall;
}

/** The accumulator in Rust, and what belongs to its dictionary. */
interface Backing {
  readonly source: LiveSource;
  readonly results: LiveResults;
}

/** What a live table does. The snapshot has the state of one that does not load. */
type Phase =
  | {
      readonly isLoading: true;
      /** How many of its calls run: resumed calls can overlap. */
      running: number;
      /** The state after an error that says nothing else. */
      readonly otherwise: "failed" | "partial";
      /** Whether something has changed since the snapshot. */
      isStale: boolean;
    }
  | { readonly isLoading: false };

const NOTHING_YET: Progress = Object.freeze({
  partitionsDone: 0,
  partitions: 0,
  findingsDone: 0,
  findings: null,
  bytes: 0,
  retries: 0,
});

/** A subscriber of a live table. */
interface Subscription {
  readonly onChange: () => void;
  /** Called by `free()`. Must not call user code. */
  readonly onFree?: () => void;
}

type State = LiveSnapshot["state"];

/** A live table over the calls of a client. */
export class Live<Finding> implements LiveTable<Finding> {
  /** The origin of the next table. Replaced, never changed, because earlier tables have it. */
  origin: Origin;
  readonly #calls: LiveCalls<Finding>;
  readonly #subscriptions = new Set<Subscription>();
  #isFreed = false;
  /** Aborted by `cancel()` and `free()`. The next call after `cancel()` has a new one. */
  #running = new AbortController();
  /** From the loading of the `.wasm` file until all has arrived, or `free()`. */
  #backing: Backing | undefined;
  /** Whether it has had a backing, which alone begins with an earlier table. */
  #hasBegun = false;
  #phase: Phase = { isLoading: true, running: 0, otherwise: "failed", isStale: false };
  #snapshot: LiveSnapshot<Finding>;
  /** The backing of the snapshot's table; undefined for the first table. */
  #shown: Backing | undefined;
  #cancelFrame: (() => void) | undefined;
  #done: Promise<FindingsTable<Finding>>;

  /** @param first the table that it shows until a partition arrives; none shows an empty table */
  constructor(calls: LiveCalls<Finding>, origin: Origin, first: FindingsTable<Finding> | undefined) {
    this.#calls = calls;
    this.origin = origin;
    const progress = first === undefined ? NOTHING_YET : progressOf(first);
    this.#snapshot = snapshotOf("loading", first ?? tableOf(emptyColumns(), origin), progress);
    this.#done = this.#follow(calls.begin(this));
  }

  get done(): Promise<FindingsTable<Finding>> {
    return this.#done;
  }

  /** Ends the calls that run. */
  get signal(): AbortSignal {
    return this.#running.signal;
  }

  /** Whether another call can add to what has arrived. */
  get canContinue(): boolean {
    return isUsable(this.#backing);
  }

  readonly subscribe = (onChange: () => void): (() => void) => {
    if (typeof onChange !== "function") throw wrongType("onChange", "a function", onChange);
    return this.#add({ onChange });
  };

  readonly getSnapshot = (): LiveSnapshot<Finding> => {
    if (this.#phase.isLoading && this.#phase.isStale) this.#refresh();
    return this.#snapshot;
  };

  readonly cancel = (): void => {
    if (this.#phase.isLoading) this.#running.abort();
  };

  readonly resume = (): void => {
    const { state } = this.#snapshot;
    if (state !== "loading" && state !== "complete" && !this.#isFreed) this.resumeWith();
  };

  readonly free = (): void => {
    if (this.#isFreed) return;
    this.#isFreed = true;
    const reason = new TypeError("this LiveTable has been freed");
    if (this.#phase.isLoading) this.#finish("aborted", reason);
    this.#running.abort(reason);
    for (const { onFree } of this.#subscriptions) onFree?.();
    this.#subscriptions.clear();
    this.#forgetFrame();
    this.#release();
  };

  [Symbol.asyncIterator](): AsyncGenerator<LiveSnapshot<Finding>, undefined> {
    return snapshotsOf(this, (wake) => this.#add({ onChange: wake, onFree: wake }));
  }

  [DISPOSE](): void {
    this.free();
  }

  /** Begins another call for the missing partitions. Returns the new `done`. */
  resumeWith(more?: ResumeOptions): Promise<FindingsTable<Finding>> {
    if (!this.#phase.isLoading) {
      const otherwise = this.#snapshot.state === "partial" ? "partial" : "failed";
      this.#phase = { isLoading: true, running: 0, otherwise, isStale: false };
    }
    if (this.signal.aborted && !this.#isFreed) this.#running = new AbortController();
    const done = this.#follow(this.#calls.resume(this, more));
    this.#done = done;
    this.noteChange();
    this.#refresh();
    return done;
  }

  /** Called from inside Rust: must not call Rust or user code. Only sets a flag and schedules a frame. */
  noteChange(): void {
    if (!this.#phase.isLoading) return;
    this.#phase.isStale = true;
    if (this.#subscriptions.size > 0) this.#cancelFrame ??= atNextFrame(() => this.#notify());
  }

  /**
   * Returns the accumulator in Rust. Creates it for the first call, and again if WebAssembly has stopped.
   *
   * @param create creates it with the earlier table, unless it replaces another one
   */
  sourceFrom(create: (isFirst: boolean) => LiveSource): LiveSource {
    if (!isUsable(this.#backing)) {
      this.#backing = { source: create(!this.#hasBegun), results: new LiveResults() };
      this.#hasBegun = true;
    }
    return this.#backing.source;
  }

  /** Shows nothing any more of what has arrived, after a call that has failed. The next call begins with nothing. */
  forget(): void {
    this.#release();
    this.#shown = undefined;
    const { error } = this.#snapshot;
    this.#snapshot = snapshotOf("failed", tableOf(emptyColumns(), this.origin), NOTHING_YET, error);
  }

  /** Follows a call to its end. */
  #follow({ promise, isAborted }: LiveCall): Promise<FindingsTable<Finding>> {
    const phase = this.#phase as Phase & { isLoading: true };
    phase.running++;
    const done = promise.then(
      (table) => {
        phase.running--;
        if (this.#backing !== undefined) table[SHARE_RESULTS](this.#backing.results);
        this.origin = { ...this.origin, total: table[SOURCE]().origin.total };
        if (this.#phase.isLoading) {
          this.#done = done;
          this.#end("complete");
        }
        return table as FindingsTable<Finding>;
      },
      (reason) => {
        // Another call may still get what this one has not.
        if (--phase.running === 0 && this.#phase === phase) {
          this.#end(isAborted(reason) ? "aborted" : this.#stateAfter(reason, phase.otherwise), reason);
        }
        throw reason;
      },
    );
    done.catch(() => {});
    return done;
  }

  /** Returns the state after a failed call. After a failed `resume()`, a partial table is still partial. */
  #stateAfter(reason: unknown, otherwise: "failed" | "partial"): State {
    const isPartial = otherwise === "partial" || (reason instanceof FindingsError && reason.resume !== undefined);
    return isPartial && this.canContinue ? "partial" : "failed";
  }

  /** Ends loading. Notifies subscribers at once, so that they learn of the end before `done` settles. */
  #end(state: State, error?: unknown): void {
    this.#finish(state, error);
    // Any other table can receive more.
    if (state === "complete") this.#release();
    this.#forgetFrame();
    this.#notify();
  }

  /** Takes the last snapshot. */
  #finish(state: State, error: unknown): void {
    this.#refresh(state, error);
    this.#phase = { isLoading: false };
  }

  /** Takes a snapshot. */
  #refresh(state: State = "loading", error?: unknown): void {
    let { table, progress } = this.#snapshot;
    const backing = this.#backing;
    try {
      if (backing !== undefined) {
        const now = backing.source.progress();
        this.origin = { ...this.origin, counts: { partitions: now.partitions, findings: now.findings } };
        const isOther = backing !== this.#shown || now.partitionsDone !== progress.partitionsDone;
        // The first table stays until it is known that there is something else to show. Only the last one can be complete.
        if (state === "complete" || (isOther && now.partitionsDone > 0)) {
          table = tableOf(backing.source.table(), this.origin, backing.results);
          this.#shown = backing;
        }
        // Until the counts are known, the numbers are those of the first table.
        const isFirst = this.#shown === undefined && now.partitions === 0 && state !== "complete";
        const { bytes, retries } = now;
        progress = Object.freeze(isFirst ? { ...progress, bytes, retries } : now);
      }
    } catch {
      // Out of memory, or WebAssembly has stopped: the last table remains, with its progress.
    }
    if (this.#phase.isLoading) this.#phase.isStale = false;
    this.#snapshot = snapshotOf(state, table, progress, error);
  }

  #notify(): void {
    this.#cancelFrame = undefined;
    for (const subscription of [...this.#subscriptions]) {
      // An earlier subscriber may have removed this one.
      if (!this.#subscriptions.has(subscription)) continue;
      try {
        subscription.onChange();
      } catch (thrown) {
        // Reported like the error of an event listener; the others are still called.
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }

  #add(subscription: Subscription): () => void {
    this.#subscriptions.add(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size === 0) this.#forgetFrame();
    };
  }

  #forgetFrame(): void {
    this.#cancelFrame?.();
    this.#cancelFrame = undefined;
  }

  #release(): void {
    const backing = this.#backing;
    this.#backing = undefined;
    backing?.results.release();
    // Deferred, because the caller's code may free the live table while one of its calls begins.
    queueMicrotask(() => backing?.source.free());
  }
}

/** The progress of a call that begins with a table, before it has read the counts. */
function progressOf<Finding>(table: FindingsTable<Finding>): Progress {
  const { partitions = 0, findings = null } = table[SOURCE]().origin.counts ?? {};
  const { length, partitions: received } = table;
  return Object.freeze({ ...NOTHING_YET, partitionsDone: received.length, partitions, findingsDone: length, findings });
}

/** Whether the instance of a source runs. */
function isUsable(backing: Backing | undefined): backing is Backing {
  try {
    backing?.source.check();
    return backing !== undefined;
  } catch {
    return false;
  }
}

tagInstances(Live.prototype, "LiveTable");

function snapshotOf<Finding>(
  state: State,
  table: FindingsTable<Finding>,
  progress: Progress,
  error?: unknown,
): LiveSnapshot<Finding> {
  const hasError = state !== "loading" && state !== "complete";
  return Object.freeze(hasError ? { state, table, progress, error } : { state, table, progress });
}
