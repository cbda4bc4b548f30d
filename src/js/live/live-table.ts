// The live table: a table that grows while its call runs.

import { wrongType } from "../client/options/refusal.js";
import type { ResumeOptions } from "../client/options.js";
import type { Progress } from "../client/progress.js";
import { FindingsError } from "../error/error.js";
import { tagInstances } from "../host/receiver.js";
import type { LiveSource } from "../inspection_findings.js";
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

/** Begins a call, or resumes it with more options. */
export type BeginLiveCall<Finding> = (live: Live<Finding>, more?: ResumeOptions) => LiveCall;

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
  /** Aborted by `free()`. */
  readonly ended = new AbortController();
  /** The accumulator in Rust: from the loading of the `.wasm` file until nothing more can arrive. */
  source: LiveSource | undefined;
  readonly #begin: BeginLiveCall<Finding>;
  /** The origin of all its tables. */
  readonly #origin: Origin;
  readonly #subscriptions = new Set<Subscription>();
  readonly #results = new LiveResults();
  #snapshot: LiveSnapshot<Finding>;
  /** Whether the snapshot's table was made before the `.wasm` file had loaded. */
  #isUnbacked = true;
  /** Whether something has changed since the snapshot. */
  #isStale = false;
  #cancelFrame: (() => void) | undefined;
  #done: Promise<FindingsTable<Finding>>;
  /** How many of its calls run: resumed calls can overlap. */
  #running = 0;
  /** Whether a call has been resumed. */
  #isResumed = false;

  constructor(begin: BeginLiveCall<Finding>, origin: Origin) {
    this.#begin = begin;
    this.#origin = origin;
    this.#snapshot = snapshotOf("loading", tableOf(emptyColumns(), origin), NOTHING_YET);
    this.#done = this.#run();
  }

  get done(): Promise<FindingsTable<Finding>> {
    return this.#done;
  }

  readonly subscribe = (onChange: () => void): (() => void) => {
    if (typeof onChange !== "function") throw wrongType("onChange", "a function", onChange);
    return this.#add({ onChange });
  };

  readonly getSnapshot = (): LiveSnapshot<Finding> => {
    if (this.#isStale) this.#refresh();
    return this.#snapshot;
  };

  readonly resume = (): void => {
    if (this.#snapshot.state === "partial" && !this.ended.signal.aborted) this.resumeWith();
  };

  readonly free = (): void => {
    if (this.ended.signal.aborted) return;
    const reason = new TypeError("this LiveTable has been freed");
    if (this.#snapshot.state === "loading") this.#refresh("aborted", reason);
    this.ended.abort(reason);
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
    this.#isResumed = true;
    const done = this.#run(more);
    this.#done = done;
    this.noteChange();
    this.#refresh("loading");
    return done;
  }

  /** Called from inside Rust: must not call Rust or user code. Only sets a flag and schedules a frame. */
  noteChange(): void {
    if (this.ended.signal.aborted) return;
    this.#isStale = true;
    if (this.#subscriptions.size > 0) this.#cancelFrame ??= atNextFrame(() => this.#notify());
  }

  #run(more?: ResumeOptions): Promise<FindingsTable<Finding>> {
    const call = this.#begin(this, more);
    this.#running++;
    const done = call.promise.then(
      (table) => {
        this.#running--;
        table[SHARE_RESULTS](this.#results);
        this.#origin.total = table[SOURCE]().origin.total;
        if (this.#snapshot.state === "loading") {
          this.#done = done;
          this.#end("complete");
        }
        return table as FindingsTable<Finding>;
      },
      (reason) => {
        // Another call may still get what this one has not.
        if (--this.#running === 0 && this.#snapshot.state === "loading")
          this.#end(this.#stateAfter(reason, call), reason);
        throw reason;
      },
    );
    done.catch(() => {});
    return done;
  }

  /** Returns the state after a failed call. After a failed `resume()`, the table is still partial. */
  #stateAfter(reason: unknown, call: LiveCall): State {
    if (call.isAborted(reason)) return "aborted";
    const isPartial = this.#isResumed || (reason instanceof FindingsError && reason.resume !== undefined);
    return isPartial && this.#canReceive() ? "partial" : "failed";
  }

  /** Whether a further call can add partitions: not after the module has stopped. */
  #canReceive(): boolean {
    try {
      this.source?.check();
      return this.source !== undefined;
    } catch {
      return false;
    }
  }

  /** Ends a call. Notifies subscribers at once, so that they learn of the end before `done` settles. */
  #end(state: State, error?: unknown): void {
    if (this.ended.signal.aborted) return;
    this.#refresh(state, error);
    // Only a partial table can receive more.
    if (state !== "partial") this.#release();
    this.#forgetFrame();
    this.#notify();
  }

  /** Takes a snapshot. */
  #refresh(state = this.#snapshot.state, error = this.#snapshot.error): void {
    let { table, progress } = this.#snapshot;
    try {
      if (this.source !== undefined) {
        const now = this.source.progress();
        if (this.#isUnbacked || now.partitionsDone !== progress.partitionsDone) {
          table = tableOf(this.source.table(), this.#origin, this.#results);
          this.#isUnbacked = false;
        }
        this.#origin.counts = { partitions: now.partitions, findings: now.findings };
        progress = Object.freeze(now);
      }
    } catch {
      // Out of memory, or WebAssembly has stopped: the last table remains, with its progress.
    }
    this.#isStale = false;
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
    if (!this.ended.signal.aborted) this.#subscriptions.add(subscription);
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
    const source = this.source;
    this.source = undefined;
    this.#results.release();
    // Deferred, because the caller's code may free the live table while one of its calls begins.
    queueMicrotask(() => source?.free());
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
