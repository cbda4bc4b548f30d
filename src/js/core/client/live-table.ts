// The live table: a table that grows while its call runs.

import { wrongType } from "../argument/refusal.js";
import type { Client, LiveSource, Settings } from "../engine/engine.js";
import { FindingsError } from "../error/error.js";
import { freed } from "../error/freed.js";
import { unauthorizedIn } from "../error/unauthorized.js";
import { CallerContext } from "../host/caller-context.js";
import { inMicrotask } from "../host/microtask.js";
import { notify, type Subscriber } from "../host/notify.js";
import { isAborted, isReasonOf, type Signals } from "../host/signal.js";
import { tagInstances } from "../host/tag.js";
import { weakly } from "../host/weak.js";
import { atNextFrame, type Frame } from "../live/frame.js";
import { type LiveEffect, type LiveEvent, type LiveState, SHOWN, TRANSITIONS } from "../live/live-state.js";
import type { LiveProgress, LiveSnapshot, LiveTable } from "../live/live-table-types.js";
import { snapshotsOf } from "../live/snapshot-iterator.js";
import { DISPOSE } from "../table/dispose.js";
import { emptyColumns } from "../table/empty-columns.js";
import { type OfCall, ofCall, totalOf } from "../table/origin.js";
import { LiveResults } from "../table/shared-results.js";
import { type FindingsTable, SHARE_RESULTS, tableOf } from "../table/table.js";
import { SOURCE } from "../table/table-source.js";
import type { AllFindings, Call } from "./call.js";
import { CallEnd } from "./call-end.js";
import type { Calls, Resume } from "./calls.js";

/** A call that runs. */
interface Running {
  /** Resolves like `loadTable`. */
  readonly promise: Promise<FindingsTable<never>>;
  /** The signals that end it. */
  readonly signals: Signals;
}

/** The accumulator in Rust, and what belongs to its catalog. */
interface Backing {
  readonly source: LiveSource;
  readonly results: LiveResults;
}

const NOTHING_YET: LiveProgress = Object.freeze({ partitionsDone: 0, findingsDone: 0, bytes: 0, retries: 0 });

/** Kept findings that a live table began with. */
interface Kept {
  /** The error with which the service has refused a call: nothing may be shown any more of what had arrived. */
  refusal?: unknown;
}

/** A subscriber of a live table. */
interface Subscription extends Subscriber {
  /** Called by `free()`. Must not call user code. */
  readonly onFree?: () => void;
}

/** A live table over the calls of a client. */
export class Live<Finding> implements LiveTable<Finding> {
  readonly #calls: Calls;
  readonly #call: Call<AllFindings>;
  /** The origin of the next table. Replaced, never changed, because earlier tables have it. */
  #origin: OfCall;
  readonly #subscriptions = new Set<Subscription>();
  #state: LiveState = "loading";
  /** The calls that run: resumed calls can overlap. */
  readonly #running = new Set<Running>();
  /** Aborted by `cancel()` and `free()`. The next call after `cancel()` has a new one. */
  #ending = new CallEnd();
  /** From the loading of the `.wasm` file until all has arrived, or `free()`. */
  #backing: Backing | undefined;
  /** Whether it has had a backing, which alone begins with an earlier table. */
  #hasBegun = false;
  #snapshot: LiveSnapshot<Finding>;
  /** Whether something has changed since the snapshot. */
  #isStale = false;
  /** The backing of the snapshot's table; undefined for the first table. */
  #shown: Backing | undefined;
  #frame: Frame | undefined;
  #done: Promise<FindingsTable<Finding>>;
  /** Exists if it began with kept findings. */
  readonly #kept: Kept | undefined;

  /**
   * @param first the table that it shows until a partition arrives; none shows an empty table
   * @param isKept whether a store has kept the first table, maybe for somebody else
   */
  constructor(calls: Calls, call: Call<AllFindings>, first: FindingsTable<Finding> | undefined, isKept: boolean) {
    this.#calls = calls;
    this.#call = call;
    this.#origin = ofCall(call.target);
    this.#kept = isKept ? {} : undefined;
    const progress = first === undefined ? NOTHING_YET : progressOf(first);
    this.#snapshot = snapshotOf("loading", first ?? tableOf(emptyColumns(), this.#origin), progress);
    this.#done = this.#run(call);
  }

  get done(): Promise<FindingsTable<Finding>> {
    return this.#done;
  }

  readonly subscribe = (onChange: () => void): (() => void) => {
    if (typeof onChange !== "function") throw wrongType("onChange", "a function", onChange);
    return this.#add({ onChange, context: new CallerContext() });
  };

  readonly getSnapshot = (): LiveSnapshot<Finding> => {
    if (this.#isStale) this.#show();
    return this.#snapshot;
  };

  readonly cancel = (): void => this.#on("cancel");

  readonly resume = (): void => {
    if (this.#areCallsEnded) this.#on("continue");
  };

  readonly free = (): void => this.#on("free", freed("LiveTable"));

  [Symbol.asyncIterator](): AsyncGenerator<LiveSnapshot<Finding>, undefined> {
    return snapshotsOf(this, (wake) => this.#add({ onChange: wake, onFree: wake }));
  }

  [DISPOSE](): void {
    this.free();
  }

  /** Goes from state to state. The detail is an error, or the call that continues. */
  #on(event: LiveEvent, detail?: unknown): void {
    const [state, ...effects] = TRANSITIONS[this.#state][event] ?? [this.#state];
    this.#state = state;
    for (const effect of effects) this.#effects[effect](detail);
  }

  readonly #effects: Record<LiveEffect, (detail: unknown) => void> = {
    begin: (next) => {
      if (this.#ending.aborted) this.#ending = new CallEnd();
      const call = next instanceof Object ? next : this.#call.again(this.#calls.signalOf(this.#call));
      this.#done = this.#run(call as Call<AllFindings>);
    },
    stop: (reason = new DOMException("This operation was aborted", "AbortError")) => this.#ending.abort(reason),
    // Called from inside Rust: must not call Rust or user code.
    note: () => {
      this.#isStale = true;
      if (this.#frame?.isLost) this.#forgetFrame();
      if (this.#subscriptions.size > 0) this.#frame ??= atNextFrame(() => this.#notify());
    },
    show: (error) => this.#show(error),
    empty: (error) => {
      this.#shown = undefined;
      this.#isStale = false;
      this.#snapshot = snapshotOf(SHOWN[this.#state], tableOf(emptyColumns(), this.#origin), NOTHING_YET, error);
    },
    release: () => {
      const backing = this.#backing;
      this.#backing = undefined;
      backing?.results.release();
      // Deferred, because the caller's code may free the live table while one of its calls begins.
      inMicrotask(() => backing?.source.free());
    },
    tell: () => {
      this.#forgetFrame();
      this.#notify();
    },
    leave: () => {
      for (const { onFree } of this.#subscriptions) onFree?.();
      this.#subscriptions.clear();
      this.#forgetFrame();
    },
  };

  /** Runs a call, and follows it. */
  #run(call: Call<AllFindings>): Promise<FindingsTable<Finding>> {
    const ended = this.#ending;
    const resume = Live.#resumption(weakly(this as Live<Finding>), this.#kept, call, this.#calls.resumption(call));
    const promise = this.#calls.all<FindingsTable<never>>(
      call,
      (client, settings) => {
        this.#origin = { ...this.#origin, baseUrl: settings.baseUrl };
        return client.watchTable(this.#sourceIn(client, settings), settings);
      },
      ended,
      resume,
    );
    return this.#follow({ promise, signals: [...this.#calls.signalsOf(call), ended] });
  }

  /**
   * Returns the function that resumes a call: here, unless nothing can be added to what has arrived. An error may keep it alive, so it is made apart, and
   * does not keep the live table alive.
   */
  static #resumption<Finding>(
    weakLive: () => Live<Finding> | undefined,
    kept: Kept | undefined,
    call: Call<AllFindings>,
    alone: Resume,
  ): Resume {
    return (state, more) => {
      const live = weakLive();
      const isRefused = kept?.refusal !== undefined;
      if (live !== undefined && (isRefused ? live.#state !== "freed" : isUsable(live.#backing))) {
        live.#on("continue", call.resumed(more));
        return live.done;
      }
      // What had arrived before must not begin another call.
      return isRefused ? Promise.reject(kept.refusal) : alone(state, more);
    };
  }

  /** Returns a function that Rust keeps alive. */
  static #noting<Finding>(weakLive: () => Live<Finding> | undefined): () => void {
    return () => {
      const live = weakLive();
      if (live !== undefined) live.#on("change");
    };
  }

  /** Returns the accumulator in Rust. Creates it for the first call, with the earlier table, and again if WebAssembly has stopped. */
  #sourceIn(client: Client, { from }: Settings): LiveSource {
    if (!isUsable(this.#backing)) {
      const { inspectionKey, kind } = this.#origin;
      const noteChange = Live.#noting(weakly(this as Live<Finding>));
      const earlier = this.#hasBegun ? undefined : from?.source;
      // Fails if its instance has stopped.
      earlier?.check();
      const source = client.liveSource(inspectionKey, kind, noteChange, earlier);
      this.#backing = { source, results: new LiveResults() };
      this.#hasBegun = true;
    }
    return this.#backing.source;
  }

  /** Whether each call that runs has been ended, which its promise tells only in a later microtask. */
  get #areCallsEnded(): boolean {
    return [...this.#running].every(({ signals }) => isAborted(signals));
  }

  /** Follows a call to its end. Subscribers learn of the end before `done` settles. */
  #follow(call: Running): Promise<FindingsTable<Finding>> {
    this.#running.add(call);
    const received = call.promise.then((table) => {
      this.#running.delete(call);
      if (this.#backing !== undefined) table[SHARE_RESULTS](this.#backing.results);
      this.#origin = { ...this.#origin, total: totalOf(table[SOURCE]().origin) };
      if (SHOWN[this.#state] === "loading") this.#done = done;
      this.#on("receive");
      return table as FindingsTable<Finding>;
    });
    const done = received.catch((reason) => {
      this.#running.delete(call);
      this.#refuse(reason);
      // Another call may still get what this one has not.
      if (this.#running.size === 0)
        this.#on(isReasonOf(call.signals, reason) ? "abort" : this.#failureOf(reason), reason);
      throw reason;
    });
    done.catch(() => {});
    return done;
  }

  /** Throws the error with which the service has refused a call that began with kept findings. */
  #refuse(reason: unknown): void {
    const refusal = this.#kept && unauthorizedIn(reason);
    if (this.#kept === undefined || refusal === undefined) return;
    // The calls that this one ends reject with the same error.
    const isFirst = refusal !== this.#kept.refusal;
    this.#kept.refusal = refusal;
    if (isFirst) this.#on("refuse", refusal);
    // The error of a collecting call has a table, and continues with it. That of a refused request has neither.
    throw refusal;
  }

  #failureOf(reason: unknown): LiveEvent {
    if (!isUsable(this.#backing)) return "lose";
    return reason instanceof FindingsError && reason.resume !== undefined ? "lack" : "fail";
  }

  /** Takes a snapshot. */
  #show(error?: unknown): void {
    const state = SHOWN[this.#state];
    let { table, progress } = this.#snapshot;
    const backing = this.#backing;
    try {
      if (backing !== undefined) {
        const now = backing.source.progress();
        const { partitions, findings, bytes, retries } = now;
        if (partitions !== undefined) this.#origin = { ...this.#origin, counts: { partitions, findings } };
        const isOther = backing !== this.#shown || now.partitionsDone !== progress.partitionsDone;
        // The first table stays until there is something else to show. Only the last one can be complete.
        if (state === "complete" || (isOther && now.partitionsDone > 0)) {
          table = tableOf(backing.source.table(), this.#origin, backing.results);
          this.#shown = backing;
        }
        // Until the counts are known, the numbers are those of the table that is shown.
        progress = Object.freeze(partitions === undefined ? { ...progress, bytes, retries } : now);
      }
    } catch {
      // Out of memory, or WebAssembly has stopped: the last table remains, with its progress.
    }
    this.#isStale = false;
    this.#snapshot = snapshotOf(state, table, progress, error);
  }

  #notify(): void {
    this.#frame = undefined;
    notify(this.#subscriptions);
  }

  #add(subscription: Subscription): () => void {
    this.#subscriptions.add(subscription);
    return () => {
      this.#subscriptions.delete(subscription);
      if (this.#subscriptions.size === 0) this.#forgetFrame();
    };
  }

  #forgetFrame(): void {
    this.#frame?.cancel();
    this.#frame = undefined;
  }
}

/** The progress of a call that begins with a table, before it has read the counts. */
function progressOf<Finding>(table: FindingsTable<Finding>): LiveProgress {
  const { origin } = table[SOURCE]();
  const counts = origin.of === "call" ? origin.counts : undefined;
  const { length, partitions } = table;
  const received = { ...NOTHING_YET, partitionsDone: partitions.length, findingsDone: length };
  return Object.freeze(counts === undefined ? received : { ...received, ...counts });
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
  state: LiveSnapshot["state"],
  table: FindingsTable<Finding>,
  progress: LiveProgress,
  error?: unknown,
): LiveSnapshot<Finding> {
  const hasError = state !== "loading" && state !== "complete";
  return Object.freeze(hasError ? { state, table, progress, error } : { state, table, progress });
}
