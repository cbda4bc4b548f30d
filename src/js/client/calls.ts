// The calls of a client: each checks its arguments and options, loads the module, and runs in its instance.

import type { Client, EarlierTable, LiveSource, ResumeState, Settings } from "../engine/engine.js";
import { callStackOf, stacked } from "../error/call-stack.js";
import { FindingsError } from "../error/error.js";
import { now } from "../host/clock.js";
import { isObject, memberOf } from "../host/member.js";
import { weakly } from "../host/weak.js";
import { Live, type LiveCall, type LiveCalls } from "../live/live-table.js";
import type { Instance } from "../module/instance.js";
import { load } from "../module/module.js";
import { type CallTarget, checkTarget } from "../table/call-target.js";
import type { PartitionCounts } from "../table/counts.js";
import { FindingsTable, tableOf } from "../table/table.js";
import type { TableCall } from "../table/table-call.js";
import { lacksWorkers, WorkerUse } from "../worker/workers.js";
import { type AllFindings, type Call, withMore } from "./call.js";
import { CheckedOptions } from "./options/checked-options.js";
import { checkEarlierTable } from "./options/earlier-table.js";
import { DEFAULTS } from "./options/option-table.js";
import { type CallSettings, settingsOf } from "./options/settings.js";
import type { ResumeOptions } from "./options.js";
import { unlessEnded } from "./race.js";
import { type Delivered, PartitionIterator, type PartitionSource } from "./stream.js";

/** Resumes a call from the partitions that it has received. */
type Resume = (state: ResumeState, more?: ResumeOptions) => Promise<unknown>;

/** Makes a call of the module. */
type Run<Result> = (client: Client, settings: Settings & CallSettings, instance: Instance) => Promise<Result>;

/** The calls of one client, and what they share. */
export class Calls {
  readonly #options: CheckedOptions;
  readonly #ended = new AbortController();
  #client: Client | undefined;
  /** The WebAssembly instance that `#client` belongs to. */
  #clientInstance: Instance | undefined;

  /** @param options of the client */
  constructor(options: CheckedOptions) {
    this.#options = options;
  }

  counts(call: Call): Promise<PartitionCounts> {
    const { inspectionKey } = call.target;
    return this.#begin(call, (client, settings) => client.getPartitionCounts(inspectionKey, settings));
  }

  partition<Result>(call: Call<Required<CallTarget>>): Promise<Result> {
    const { inspectionKey, kind, partitionIndex } = call.target;
    return this.#begin<Result>(call, (client, settings) => {
      const result: Promise<unknown> = client.getPartition(inspectionKey, kind, partitionIndex, settings);
      // Its settings say whether it is an array or a table.
      return result as Promise<Result>;
    });
  }

  all<Result>(call: Call<AllFindings>): Promise<Result> {
    const { inspectionKey, kind } = call.target;
    const resume = this.#resumption(call);
    return this.#begin<Result>(call, (client, settings) =>
      resumable(client.getFindings(inspectionKey, kind, settings, earlierTableOf(settings)), resume),
    );
  }

  /** Creates a stream, whose call begins with the first read. */
  stream<Item extends Delivered>(call: Call<AllFindings>): PartitionIterator<Item> {
    const { target, stack } = call;
    const run: Run<PartitionSource<Item>> = async (client, settings, instance) => {
      const stream = client.streamPartitions(target.inspectionKey, target.kind, settings);
      const next = () => instance.guarded(() => stream.next() as Promise<Item | undefined>, target);
      return { next: () => stacked(next(), stack), free: () => stream.free() };
    };
    return new PartitionIterator<Item>((ended) => this.#begin(call, run, ended));
  }

  /** Creates a live table, whose call begins at once. */
  live<Finding>(call: Call<AllFindings>): Live<Finding> {
    const calls: LiveCalls<Finding> = {
      begin: (live) => this.#watch(live, call),
      resume: (live, more) => this.#watch(live, more === undefined ? this.#withoutAborted(call) : withMore(call, more)),
    };
    return new Live(calls, call.target, this.#firstOf(call));
  }

  /** Returns what decides which kept table a call can begin with. */
  tableCall(call: Call): TableCall {
    const { baseUrl, columns } = this.#settingsOf(call);
    const open: TableCall["open"] = async (bytes) => {
      const table = await FindingsTable.fromBytes(bytes);
      try {
        this.#settingsOf({ ...call, options: call.options.with(CheckedOptions.of({ from: table }, "table")) });
        return table;
      } catch (cause) {
        table.free();
        throw new Error("the kept bytes are those of another table", { cause });
      }
    };
    return { baseUrl, columns, open, forget: (live) => (live as Live<unknown>).forget() };
  }

  /** Returns the settings of a call, whose arguments and options it checks. */
  #settingsOf({ callKind, target, options }: Call): CallSettings {
    checkTarget(target);
    const settings = settingsOf(callKind, this.#options.get(), options.get());
    checkEarlierTable(settings.from, target, settings);
    return settings;
  }

  /** Loads the module, and starts the worker of a client that insists on one. */
  async preload(): Promise<void> {
    const { worker = DEFAULTS.worker, signal, totalTimeout } = this.#options.get();
    await unlessEnded([this.#ended.signal, signal ?? undefined], totalTimeout, {}, async () => {
      const { module } = await load();
      if (worker === false || worker === "auto") return;
      const use = new WorkerUse(worker, true, module);
      await use.started;
      use.end();
    });
  }

  /** Ends all calls, now and later. */
  free(): void {
    this.#ended.abort(new TypeError("this FindingsClient has been freed"));
    // Deferred, because the caller's code, such as a getter, may free the client while one of its calls begins.
    queueMicrotask(() => {
      this.#client?.free();
      this.#client = undefined;
    });
  }

  /** Returns the function that resumes a call. */
  #resumption(call: Call): Resume {
    const resume: Resume = (state, more) =>
      this.#begin({ ...withMore(call, more), stack: callStackOf(resume) }, async (client, settings) => {
        state.check();
        return resumable(client.resume(state, settings), resume);
      });
    return resume;
  }

  /** Begins a call behind a live table. */
  #watch<Finding>(live: Live<Finding>, call: Call<AllFindings>): LiveCall {
    const watched = weakly(live);
    const { signal } = live;
    const alone = this.#resumption(call);
    const resume: Resume = (state, more) => {
      const live = watched();
      return live?.canContinue ? live.resumeWith(more ?? {}) : alone(state, more);
    };
    const run: Run<FindingsTable<never>> = async (client, settings) => {
      live.origin = { ...live.origin, baseUrl: settings.baseUrl };
      const source = live.sourceFrom((isFirst) =>
        this.#sourceOf(live, client, call, isFirst ? earlierTableOf(settings) : undefined),
      );
      return resumable(client.watchTable(source, signal, settings), resume);
    };
    const promise = this.#begin(call, run, signal);
    return { promise, isAborted: (reason) => this.#isAborted([signal, this.#signalOf(call)], reason) };
  }

  /** Creates the source of a live table. Rust keeps its callback alive, so it must not keep the live table alive. */
  #sourceOf<Finding>(
    live: Live<Finding>,
    client: Client,
    call: Call<AllFindings>,
    earlier: EarlierTable | undefined,
  ): LiveSource {
    const watched = weakly(live);
    const { inspectionKey, kind } = call.target;
    return client.liveSource(inspectionKey, kind, () => watched()?.noteChange(), earlier);
  }

  /** Returns the earlier table that a live table shows first. */
  #firstOf<Finding>(call: Call<AllFindings>): FindingsTable<Finding> | undefined {
    try {
      const { from } = this.#settingsOf(call);
      return from?.source && tableOf(from.source.table(), from.origin);
    } catch {
      // The call fails with this error.
      return undefined;
    }
  }

  /** Returns a call without a signal that has been aborted, which has ended the call before. */
  #withoutAborted<Target>(call: Call<Target>): Call<Target> {
    return this.#signalOf(call)?.aborted ? withMore(call, { signal: null }) : call;
  }

  /** Whether one of the signals or the client has ended a call with this reason. */
  #isAborted(signals: (AbortSignal | undefined)[], reason: unknown): boolean {
    return [this.#ended.signal, ...signals].some((signal) => signal?.aborted && Object.is(signal.reason, reason));
  }

  #signalOf({ options }: Call<unknown>): AbortSignal | undefined {
    try {
      return this.#options.with(options).get().signal ?? undefined;
    } catch {
      // The call fails with this error.
      return undefined;
    }
  }

  /** Begins a call, which ends when `ended` is aborted. */
  #begin<Result>(call: Call, run: Run<Result>, ended?: AbortSignal): Promise<Result> {
    const { target, stack, asTable } = call;
    const begin = async () => {
      const begun = now();
      const settings = { ...this.#settingsOf(call), begun, asTable };
      if (call.callKind !== "counts" && lacksWorkers(settings.worker)) {
        const reason = "this environment has no web workers (Node has none): leave out the option worker";
        throw new FindingsError("load", reason, target);
      }
      const signals = [this.#ended.signal, settings.signal, ended];
      const instance = await unlessEnded(signals, settings.totalTimeout, target, () => load(target));
      return instance.guarded(() => run(this.#clientIn(instance), settings, instance), target);
    };
    return stacked(begin(), stack);
  }

  #clientIn(instance: Instance): Client {
    if (this.#client === undefined || this.#clientInstance !== instance) {
      const { concurrency, maxBufferedBytes } = { ...DEFAULTS, ...this.#options.get() };
      this.#client = new instance.Client(concurrency, maxBufferedBytes, this.#ended.signal);
      this.#clientInstance = instance;
    }
    return this.#client;
  }
}

/** Returns the table that a call begins with. Fails if its instance has stopped. */
function earlierTableOf({ from }: CallSettings): EarlierTable | undefined {
  from?.source?.check();
  return from?.source;
}

/**
 * Gives the `partial` error of a call its `resume()`. Rust rejects with the state alone: it would keep a function alive,
 * and with it the options of the call and all that their callbacks can reach, the error too.
 */
async function resumable(result: Promise<unknown>, resume: Resume): Promise<never> {
  try {
    return (await result) as never;
  } catch (reason) {
    const state = reason instanceof FindingsError ? memberOf(reason, "resume") : undefined;
    if (isObject(state)) Object.assign(reason as object, { resume: resume.bind(undefined, state as never) });
    throw reason;
  }
}
