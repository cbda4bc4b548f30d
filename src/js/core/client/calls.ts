// The calls of a client: each checks its arguments and options, loads the module, and runs in its instance.

import type { Client, ResumeState } from "../engine/engine.js";
import type { Delivered, PartitionSource } from "../engine/partition-source.js";
import { Performer } from "../engine/performer.js";
import { callStackOf, ofCaller, stacked } from "../error/call-stack.js";
import { FindingsError } from "../error/error.js";
import { freed } from "../error/freed.js";
import { now } from "../host/clock.js";
import { isObject, memberOf, orUndefined } from "../host/member.js";
import { inMicrotask } from "../host/microtask.js";
import { endsWithRequest, isNode } from "../host/runtime.js";
import { type EndSignal, isAborted, isReasonOf, type Signals } from "../host/signal.js";
import type { Instance } from "../module/instance.js";
import { isAwaited, load } from "../module/module.js";
import { type CallTarget, checkTarget } from "../table/call-target.js";
import type { PartitionCounts } from "../table/counts.js";
import { lacksWorkers } from "../worker/worker-script.js";
import { WorkerUse } from "../worker/worker-use.js";
import type { AllFindings, Call } from "./call.js";
import { CallEnd } from "./call-end.js";
import { FirstRequest } from "./first-request.js";
import type { CheckedOptions } from "./options/checked-options.js";
import { merged } from "./options/option-table.js";
import { type CallSettings, type Settings, settingsOf } from "./options/settings.js";
import type { FindingsOptions } from "./options.js";
import { unlessEnded } from "./race.js";
import { PartitionIterator } from "./stream.js";

/** Resumes a call from the partitions that it has received. */
export type Resume = (state: ResumeState, more?: FindingsOptions) => Promise<unknown>;

/** Makes a call of the module. */
type Run<Result> = (client: Client, settings: Settings, instance: Instance) => Promise<Result>;

/** What a client shares with the clients that extend it. */
interface Shared {
  /** The options of the first client, which limit the calls of all. */
  readonly options: CheckedOptions;
  client?: Client | undefined;
  /** The request that was sent before there was a client in the module. */
  first?: FirstRequest;
  /** The WebAssembly instance that `client` belongs to. */
  clientInstance?: Instance;
}

/** What runs the calls of one client. */
export class Calls {
  readonly #shared: Shared;
  /** The options of the client, over those of the clients that it extends. */
  readonly #options: CheckedOptions;
  readonly #end = new CallEnd();
  /** The signals that end all calls: of the client, and of those that it extends. */
  readonly #ends: readonly CallEnd[];

  /** @param options of the client */
  constructor(options: CheckedOptions, extended?: Calls) {
    this.#shared = extended === undefined ? { options } : extended.#shared;
    this.#options = extended === undefined ? options : extended.#options.extendedBy(options);
    this.#ends = [...(extended === undefined ? [] : extended.#ends), this.#end];
  }

  counts(call: Call): Promise<PartitionCounts> {
    const { inspectionKey } = call.target;
    return this.run(call, (client, settings) => client.getPartitionCounts(inspectionKey, settings));
  }

  partition<Result>(call: Call<Required<CallTarget>>): Promise<Result> {
    const { inspectionKey, kind, partitionIndex } = call.target;
    return this.run<Result>(call, (client, settings) => {
      const result: Promise<unknown> = client.getPartition(inspectionKey, kind, partitionIndex, settings);
      // Its settings say whether it is an array or a table.
      return result as Promise<Result>;
    });
  }

  findings<Result>(call: Call<AllFindings>): Promise<Result> {
    const { inspectionKey, kind } = call.target;
    return this.all<Result>(call, (client, settings) => client.getFindings(inspectionKey, kind, settings));
  }

  /** Creates a stream, whose call begins with the first read. */
  stream<Item extends Delivered>(call: Call<AllFindings>): PartitionIterator<Item> {
    const { target, caller } = call;
    const run: Run<PartitionSource<Item>> = async (client, settings, instance) => {
      const stream = client.streamPartitions(target.inspectionKey, target.kind, settings);
      const signals = [...this.#ends, settings.signal];
      const next = () => instance.guarded(() => stream.next() as Promise<Item | undefined>, target);
      return { next: () => stacked(markingReasons(next(), signals), caller.stack), free: () => stream.free() };
    };
    return new PartitionIterator<Item>((ended) => this.run(call, run, ended));
  }

  /** Runs a call for all findings, whose `partial` error can resume it. */
  all<Result>(
    call: Call<AllFindings>,
    run: Run<unknown>,
    ended?: EndSignal,
    resume = this.resumption(call),
  ): Promise<Result> {
    return this.run<Result>(
      call,
      (client, settings, instance) => resumable(run(client, settings, instance), resume),
      ended,
    );
  }

  /** Returns the function that resumes a call. */
  resumption(call: Call<AllFindings>): Resume {
    const resume: Resume = (state, more) => {
      const resumed = call.resumed(more, callStackOf(resume));
      const run: Run<unknown> = async (client, settings) => {
        state.check();
        return client.resume(state, settings);
      };
      return this.all(resumed, run, undefined, resume);
    };
    return resume;
  }

  /** Loads the module, and starts the worker of a client that insists on one. */
  async preload(): Promise<void> {
    const { worker, signal, totalTimeout } = merged(this.#options.get());
    const signals = [...this.#ends, signal ?? undefined];
    const loaded = unlessEnded(signals, totalTimeout, {}, async () => {
      const { module } = await load();
      if (worker !== true) return;
      const use = new WorkerUse(module, { worker });
      await use.started;
      use.end();
    });
    await markingReasons(loaded, signals);
  }

  /** Ends all calls, now and later; those of clients that extend this one, too. */
  free(): void {
    this.#end.abort(freed("FindingsClient"));
    // The first client owns the client of the module.
    if (this.#ends.length > 1) return;
    // Deferred, because the caller's code, such as a getter, may free the client while one of its calls begins.
    inMicrotask(() => {
      this.#shared.client?.free();
      this.#shared.client = undefined;
    });
  }

  /** Returns the settings of a call, whose arguments and options it checks. */
  settingsOf({ kind, target, options, form }: Call): CallSettings {
    checkTarget(target);
    const settings = settingsOf(kind, this.#shared.options.get(), this.#options.extendedBy(options).get());
    form?.check(settings, target);
    return settings;
  }

  /** The signals that end a call: those of the clients, and its own. */
  signalsOf(call: Call<unknown>): Signals {
    return [...this.#ends, this.signalOf(call)];
  }

  /** The signal of a call, or of its client. */
  signalOf({ options }: Call<unknown>): AbortSignal | undefined {
    // If they are wrong, the call fails with the error.
    return orUndefined(() => this.#options.extendedBy(options).get().signal) ?? undefined;
  }

  /** Runs a call, which ends when `ended` is aborted. */
  run<Result>(call: Call, run: Run<Result>, ended?: EndSignal): Promise<Result> {
    return stacked(this.#perform(call, run, ended), call.caller.stack);
  }

  async #perform<Result>(call: Call, run: Run<Result>, ended: EndSignal | undefined): Promise<Result> {
    const settings = this.#prepare(call, ended);
    // A call that ends at once sends nothing, such as that of a component that React mounts twice.
    await undefined;
    const { kind, target } = call;
    const signals = [...settings.signals, ended];
    const first = this.#sendFirst(call, settings, signals);
    const begin = async () => {
      const instance = await unlessEnded(signals, settings.totalTimeout, target, () => load(target));
      const taken = first?.takenBy(settings) ?? settings;
      return instance.guarded(() => run(this.#clientIn(instance), taken, instance), target);
    };
    const result = markingReasons(begin(), signals);
    const cancel = () => first?.cancel();
    // A stream has not begun to request when it is there.
    if (kind === "stream") ended?.addEventListener("abort", cancel);
    else result.then(cancel, cancel);
    return result;
  }

  /** Returns the settings of a call that begins. */
  #prepare(call: Call, ended: EndSignal | undefined): Settings {
    const settings = this.settingsOf(call);
    if (call.kind !== "counts" && settings.worker === true && lacksWorkers()) {
      const reason = "this environment has no web workers (Node has none): leave out the option worker";
      throw new FindingsError("load", reason, call.target);
    }
    // The signal of a stream reaches its reader, whom a call must not keep alive.
    const own = call.kind === "stream" ? [settings.signal] : [settings.signal, ended];
    const inspection = BigInt(call.target.inspectionKey);
    const signals = [...this.#ends, ...own];
    const asTable = call.form !== undefined;
    return { ...settings, inspection, context: call.caller.context, begun: now(), asTable, signals };
  }

  /** Sends the first request of the client's first call, while the `.wasm` file is loading. More at once could exceed `concurrency`. */
  #sendFirst({ kind, target }: Call, settings: Settings, signals: Signals): FirstRequest | undefined {
    if (!isAwaited() || this.#shared.first?.isOpen || isAborted(signals)) return undefined;
    // Where a worker sends the requests for partitions, the call waits for it. In Node, a large body must be read as soon as it arrives.
    if (kind === "partition" && (settings.worker === true || isNode())) return undefined;
    this.#shared.first = new FirstRequest(settings, kind, target);
    return this.#shared.first;
  }

  #clientIn(instance: Instance): Client {
    const { client, clientInstance } = this.#shared;
    if (client !== undefined && clientInstance === instance && !endsWithRequest()) return client;
    const { concurrency, maxBufferedBytes } = merged(this.#shared.options.get());
    const created = Performer.clientOf(instance, concurrency, maxBufferedBytes);
    this.#shared.client = created;
    this.#shared.clientInstance = instance;
    return created;
  }
}

/** Settles like a promise. The reason of a signal is the caller's. */
async function markingReasons<Result>(promise: Promise<Result>, signals: Signals): Promise<Result> {
  try {
    return await promise;
  } catch (reason) {
    throw isReasonOf(signals, reason) ? ofCaller(reason) : reason;
  }
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
