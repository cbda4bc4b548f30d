// The client and the three plain functions: they load the module and call it.

import { type CallStack, callStackOf, stacked } from "../error/call-stack.js";
import { FindingsError } from "../error/error.js";
import { now } from "../host/clock.js";
import { isObject, memberOf } from "../host/member.js";
import { checkReceivers, tagInstances } from "../host/receiver.js";
import { listen } from "../host/shared-listener.js";
import { weakly } from "../host/weak.js";
import type { Client, Earlier, LiveSource, ResumeState } from "../inspection_findings.js";
import { Live, type LiveCall, type LiveCalls } from "../live/live-table.js";
import type { LiveTable } from "../live/live-table-types.js";
import type { Instance } from "../module/instance.js";
import { load } from "../module/module.js";
import { type CallTarget, checkTarget } from "../table/call-target.js";
import type { AllColumns, Picked } from "../table/column-name.js";
import type { PartitionCounts } from "../table/counts.js";
import { DISPOSE } from "../table/dispose.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import { FindingsTable, tableOf } from "../table/table.js";
import { TABLE_CALL, type TableCall } from "../table/table-call.js";
import { lacksWorkers, WorkerUse } from "../worker/workers.js";
import { checkEarlier } from "./options/earlier-table.js";
import { GivenOptions, type Settings, settingsOf } from "./options/given-options.js";
import { type CallKind, DEFAULTS } from "./options/option-table.js";
import type {
  CountsOptions,
  FindingsOptions,
  Options,
  PartitionOptions,
  ResumeOptions,
  StreamOptions,
  TableOptions,
  WithColumns,
} from "./options.js";
import {
  type Delivered,
  PartitionIterator,
  type PartitionSource,
  type PartitionStream,
  type TableStream,
} from "./stream.js";

/** Resumes a call from the partitions that it has received. */
type Resume = (state: ResumeState, more?: ResumeOptions) => Promise<unknown>;

/** A call that the caller has made. */
interface Call<Target = CallTarget> {
  readonly callKind: CallKind;
  readonly target: Target;
  readonly given: GivenOptions;
  readonly stack: CallStack;
  /** Whether its findings become tables, not plain objects. */
  readonly asTable: boolean;
}

/** What a call for all findings asks for. */
type AllFindings = Required<Omit<CallTarget, "partitionIndex">>;

/** All clients, and no proxy of one. */
const clients = new WeakSet<object>();

/** Makes a call of the module. */
type Run<Result> = (client: Client, settings: Settings, instance: Instance) => Promise<Result>;

/**
 * A client of an inspection service. Its calls share these options, the limits `concurrency` and `maxBufferedBytes`,
 * and the retry budget. Options of a single call win, except as their documentation says.
 *
 * Pass the type of your findings once, here: {@link InspectionFinding} if you pass none. The option `columns` of the
 * client, or of a call, narrows the type of the results.
 *
 * The constructor neither loads the `.wasm` file nor sends a request. If options are wrong, each call rejects. If one
 * of your functions throws, such as `headers` or `onProgress`, the call rejects with that error.
 *
 * @example
 * using client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
 * const findings = await client.getFindings(42, "sentiment");
 */
export class FindingsClient<Finding = InspectionFinding, const Column extends string = AllColumns> {
  readonly #options: GivenOptions;
  readonly #ended = new AbortController();
  #client: Client | undefined;
  /** The WebAssembly instance that `#client` belongs to. */
  #clientInstance: Instance | undefined;

  /** @param options for all calls of this client */
  constructor(options?: WithColumns<Options, Finding, Column>) {
    clients.add(this);
    this.#options = GivenOptions.of(options);
  }

  /**
   * Fetches the numbers of partitions and findings of both kinds, with one request.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns the counts. Rejects with a `TypeError` or `RangeError` for wrong arguments, with `signal.reason` after an
   * abort, and otherwise with a {@link FindingsError} of code `network`, `timeout`, `http`, `unauthorized`, `service`,
   * `decode`, `too-large`, `load` or `memory`.
   * @example
   * const { sentiment, topics } = await client.getPartitionCounts(42);
   * console.log(sentiment.partitions, topics.findings ?? "unknown");
   */
  getPartitionCounts(inspectionKey: InspectionKey, options?: CountsOptions): Promise<PartitionCounts> {
    const call = callOf("counts", { inspectionKey }, options, this.getPartitionCounts);
    return this.#begin(call, (client, settings) => client.getPartitionCounts(inspectionKey, settings));
  }

  /**
   * Fetches the findings of one partition, with one request.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @param partitionIndex an integer from 0 to the number of partitions − 1
   * @returns the findings in their order. Rejects like {@link getPartitionCounts}; an error of code `service` carries
   * `findings` if the response has some.
   * @example
   * const findings = await client.getPartition(42, "topics", 0);
   */
  getPartition<const Name extends string = Column>(
    inspectionKey: InspectionKey,
    kind: FindingKind,
    partitionIndex: number,
    options?: WithColumns<PartitionOptions, Finding, Name>,
  ): Promise<Picked<Finding, Name>[]> {
    return this.#partition(callOf("partition", { inspectionKey, kind, partitionIndex }, options, this.getPartition));
  }

  /**
   * Fetches the findings of one partition as a table, with one request.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @param partitionIndex an integer from 0 to the number of partitions − 1
   * @returns the table. Free it when you no longer need it. Rejects like {@link getPartition}.
   * @example
   * using table = await client.loadPartition(42, "topics", 0);
   * console.log(table.countBy("TopicGroup"));
   */
  loadPartition<const Name extends string = Column>(
    inspectionKey: InspectionKey,
    kind: FindingKind,
    partitionIndex: number,
    options?: WithColumns<PartitionOptions, Finding, Name>,
  ): Promise<FindingsTable<Picked<Finding, Name>>> {
    const target = { inspectionKey, kind, partitionIndex };
    return this.#partition(callOf("partition", target, options, this.loadPartition, true));
  }

  /**
   * Fetches all findings of one kind, in index order, or rejects with an error.
   *
   * The service has no snapshots: if an inspection is re-analysed during the call, the package can tell only by a
   * changed total. `completeness` decides what a wrong total means.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns all findings. Rejects like {@link getPartitionCounts}, and also with code `incomplete` if the number of
   * findings is not the total, or `partial` if partitions are missing and `failurePolicy` is `"collect"`.
   * @example
   * const findings = await client.getFindings(42, "sentiment", { totalTimeout: 60_000 });
   * console.log(findings.length, findings[0]?.Comment);
   */
  getFindings<const Name extends string = Column>(
    inspectionKey: InspectionKey,
    kind: FindingKind,
    options?: WithColumns<FindingsOptions, Finding, Name>,
  ): Promise<Picked<Finding, Name>[]> {
    return this.#all(callOf("findings", { inspectionKey, kind }, options, this.getFindings));
  }

  /**
   * Fetches all findings of one kind as a table, in columns outside the JavaScript heap. Use it if you count or filter
   * findings, and show only some. With the option `from`, it continues from a table that you have kept.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns the table. Free it when you no longer need it. Rejects like {@link getFindings}; an error of code
   * `partial` carries `table` instead of `findings`.
   * @example
   * using table = await client.loadTable(42, "sentiment");
   * for (const { key, count } of table.countBy("Topic.Text")) console.log(key[0], count);
   */
  loadTable<const Name extends string = Column>(
    inspectionKey: InspectionKey,
    kind: FindingKind,
    options?: WithColumns<TableOptions, Finding, Name>,
  ): Promise<FindingsTable<Picked<Finding, Name>>> {
    return this.#all(callOf("table", { inspectionKey, kind }, options, this.loadTable, true));
  }

  /**
   * Streams the partitions of one kind, so that you can process each while the next ones are being fetched.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns a stream that starts with its first `next()`. `next()` rejects like {@link getFindings}, also for wrong
   * arguments, but never with code `partial`: `failurePolicy: "collect"` is a `TypeError` here.
   * @example
   * for await (const { index, findings } of client.streamPartitions(42, "topics")) {
   *   console.log(index, findings.length);
   * }
   */
  streamPartitions<const Name extends string = Column>(
    inspectionKey: InspectionKey,
    kind: FindingKind,
    options?: WithColumns<StreamOptions, Finding, Name>,
  ): PartitionStream<Picked<Finding, Name>> {
    return this.#stream(callOf("stream", { inspectionKey, kind }, options, this.streamPartitions));
  }

  /**
   * Streams the partitions of one kind like {@link streamPartitions}, each as a separate table. Use it for more
   * findings than fit into memory.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns a stream that starts with its first `next()`, and rejects like the stream of {@link streamPartitions}.
   * Free each table that you have read.
   * @example
   * for await (const { index, table } of client.streamTables(42, "topics")) {
   *   using read = table;
   *   console.log(index, read.countBy("TopicGroup"));
   * }
   */
  streamTables<const Name extends string = Column>(
    inspectionKey: InspectionKey,
    kind: FindingKind,
    options?: WithColumns<StreamOptions, Finding, Name>,
  ): TableStream<Picked<Finding, Name>> {
    return this.#stream(callOf("stream", { inspectionKey, kind }, options, this.streamTables, true));
  }

  /**
   * Fetches all findings of one kind as a table that grows with every partition. You can use it from the first
   * partition on.
   *
   * Each snapshot has exactly the partitions received so far: its numbers are exact for what has arrived. Queries on a
   * snapshot reuse the results of the previous snapshot.
   *
   * @param inspectionKey a safe integer, a bigint of at most 64 bits, or a string of decimal digits
   * @returns the live table. Free it when you no longer need it. If something fails, wrong arguments too, its state
   * becomes `"failed"`, and `done` rejects with the error.
   * @example
   * using live = client.watchTable(42, "sentiment");
   * for await (const { table, progress } of live) {
   *   console.log(`${progress.partitionsDone} of ${progress.partitions} partitions: ${table.length} findings`);
   * }
   * using table = await live.done;
   */
  watchTable<const Name extends string = Column>(
    inspectionKey: InspectionKey,
    kind: FindingKind,
    options?: WithColumns<TableOptions, Finding, Name>,
  ): LiveTable<Picked<Finding, Name>> {
    const call = callOf("table", { inspectionKey, kind }, options, this.watchTable, true);
    const calls: LiveCalls<Picked<Finding, Name>> = {
      begin: (live) => this.#watch(live, call),
      resume: (live, more) => this.#watch(live, more === undefined ? this.#withoutAborted(call) : withMore(call, more)),
    };
    return new Live(calls, { ...call.target }, this.#firstOf(call));
  }

  /**
   * Loads the `.wasm` file, and starts the client's worker if its option `worker` is `true`, a URL or a function. If
   * the worker cannot be started, the calls report it.
   *
   * @returns a promise. Like the client's calls, it rejects if the options are wrong, the client is freed or its signal
   * is aborted. If loading fails, it rejects with a {@link FindingsError} of code `load`.
   * @example
   * using client = new FindingsClient({ worker: true });
   * addEventListener("load", () => client.preload().catch(() => {}));
   */
  preload(): Promise<void> {
    return stacked(this.#preload(), callStackOf(this.preload));
  }

  /**
   * Frees the client: calls in flight and later calls reject with a `TypeError`. Calling it again has no effect.
   *
   * @example
   * const client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
   * try {
   *   console.log(await client.getPartitionCounts(42));
   * } finally {
   *   client.free();
   * }
   */
  free(): void {
    this.#ended.abort(new TypeError("this FindingsClient has been freed"));
    // Deferred, because the caller's code, such as a getter, may free the client while one of its calls begins.
    queueMicrotask(() => {
      this.#client?.free();
      this.#client = undefined;
    });
  }

  /**
   * Frees the client, as {@link free} does, at the end of a block with `using`.
   *
   * @example
   * using client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
   */
  [DISPOSE](): void {
    this.free();
  }

  /**
   * Returns what a call for a table asks for. Throws the error of a call with wrong arguments.
   *
   * @internal
   */
  [TABLE_CALL](inspectionKey: InspectionKey, kind: FindingKind, options: unknown): TableCall {
    const { baseUrl, columns } = this.#settingsOf(callOf("table", { inspectionKey, kind }, options, this.watchTable));
    return { baseUrl, columns, open: FindingsTable.fromBytes };
  }

  async #preload(): Promise<void> {
    const { worker = DEFAULTS.worker, signal, totalTimeout } = this.#options.get();
    await unless([this.#ended.signal, signal ?? undefined], totalTimeout, {}, async () => {
      const { module } = await load();
      if (worker === false || worker === "auto") return;
      const use = new WorkerUse(worker, true, module);
      await use.started;
      use.end();
    });
  }

  #partition<Result>(call: Call<Required<CallTarget>>): Promise<Result> {
    const { inspectionKey, kind, partitionIndex } = call.target;
    return this.#begin<Result>(call, (client, settings) =>
      client.getPartition(inspectionKey, kind, partitionIndex, settings),
    );
  }

  #all<Result>(call: Call<AllFindings>): Promise<Result> {
    const { inspectionKey, kind } = call.target;
    const resume = this.#resumption(call);
    return this.#begin<Result>(call, (client, settings) =>
      resumable(client.getFindings(inspectionKey, kind, settings, earlierOf(settings)), resume),
    );
  }

  /** Creates a stream, whose call begins with the first read. */
  #stream<Item extends Delivered>(call: Call<AllFindings>): PartitionIterator<Item> {
    const { target, stack } = call;
    const run: Run<PartitionSource<Item>> = async (client, settings, instance) => {
      const stream = client.streamPartitions(target.inspectionKey, target.kind, settings);
      const next = () => instance.guarded(() => stream.next(), target);
      return { next: () => stacked(next(), stack), free: () => stream.free() };
    };
    return new PartitionIterator<Item>((ended) => this.#begin(call, run, ended));
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
      live.origin.baseUrl = settings.baseUrl;
      const source = live.sourceFrom((isFirst) =>
        this.#sourceOf(live, client, call, isFirst ? earlierOf(settings) : undefined),
      );
      return resumable(client.load(source, signal, settings), resume);
    };
    const promise = this.#begin(call, run, signal);
    return { promise, isAborted: (reason) => this.#isAborted([signal, this.#signalOf(call)], reason) };
  }

  /** Creates the source of a live table. Rust keeps its callback alive, so it must not keep the live table alive. */
  #sourceOf<Finding>(
    live: Live<Finding>,
    client: Client,
    call: Call<AllFindings>,
    earlier: Earlier | undefined,
  ): LiveSource {
    const watched = weakly(live);
    const { inspectionKey, kind } = call.target;
    return client.liveSource(inspectionKey, kind, () => watched()?.noteChange(), earlier);
  }

  /** Returns the earlier table that a live table shows first. */
  #firstOf<Finding>(call: Call<AllFindings>): FindingsTable<Finding> | undefined {
    try {
      const { from } = this.#settingsOf(call);
      return from?.earlier && tableOf(from.earlier.table(), { ...from.origin });
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

  #signalOf({ given }: Call<unknown>): AbortSignal | undefined {
    try {
      return this.#options.with(given).get().signal ?? undefined;
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
      const instance = await unless(signals, settings.totalTimeout, target, () => load(target));
      return instance.guarded(() => run(this.#clientIn(instance), settings, instance), target);
    };
    return stacked(begin(), stack);
  }

  /** Returns the settings of a call, whose arguments and options it checks. */
  #settingsOf({ callKind, target, given }: Call): Settings {
    checkTarget(target);
    const settings = settingsOf(callKind, this.#options.get(), given.get());
    checkEarlier(settings.from, target, settings);
    return settings;
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

checkReceivers(FindingsClient.prototype, clients, "client");
tagInstances(FindingsClient.prototype, "FindingsClient");

/**
 * Loads the `.wasm` file before a call needs it, for example after the page has loaded. Optional: otherwise the first
 * call loads it. After a failure you can call it again.
 *
 * @returns a promise that resolves when the file is loaded and compiled, or rejects with a {@link FindingsError} of
 * code `load`
 * @example
 * addEventListener("load", () => preload().catch(() => {}));
 */
export async function preload(): Promise<void> {
  await load();
}

/**
 * Fetches the numbers of partitions and findings of both kinds, with one request. The same as
 * {@link FindingsClient.getPartitionCounts} of a new client with these options.
 *
 * @example
 * const { topics } = await getPartitionCounts(42, { baseUrl: "https://service.example/cxi/" });
 */
export function getPartitionCounts(inspectionKey: InspectionKey, options?: CountsOptions): Promise<PartitionCounts> {
  return once(GivenOptions.of(options, "counts"), callStackOf(getPartitionCounts), (client) =>
    client.getPartitionCounts(inspectionKey),
  );
}

/**
 * Fetches the findings of one partition, with one request. The same as
 * {@link FindingsClient.getPartition} of a new client with these options.
 *
 * @example
 * const findings = await getPartition(42, "topics", 0, { baseUrl: "https://service.example/cxi/" });
 */
export function getPartition<Finding = InspectionFinding, const Name extends string = AllColumns>(
  inspectionKey: InspectionKey,
  kind: FindingKind,
  partitionIndex: number,
  options?: WithColumns<PartitionOptions, Finding, Name>,
): Promise<Picked<Finding, Name>[]> {
  return once(
    GivenOptions.of(options, "partition"),
    callStackOf(getPartition),
    (client: FindingsClient<Finding, Name>) => client.getPartition(inspectionKey, kind, partitionIndex),
  );
}

/**
 * Fetches all findings of one kind, in index order, or rejects with an error. The same as
 * {@link FindingsClient.getFindings} of a new client with these options.
 *
 * @example
 * const findings = await getFindings(42, "sentiment", { baseUrl: "https://service.example/cxi/" });
 */
export function getFindings<Finding = InspectionFinding, const Name extends string = AllColumns>(
  inspectionKey: InspectionKey,
  kind: FindingKind,
  options?: WithColumns<FindingsOptions, Finding, Name>,
): Promise<Picked<Finding, Name>[]> {
  return once(GivenOptions.of(options, "findings"), callStackOf(getFindings), (client: FindingsClient<Finding, Name>) =>
    client.getFindings(inspectionKey, kind),
  );
}

/** Records a call to this public function. */
function callOf<Target>(
  callKind: CallKind,
  target: Target,
  options: unknown,
  calledFunction: (...parameters: never) => unknown,
  asTable = false,
): Call<Target> {
  return { callKind, target, given: GivenOptions.of(options, callKind), stack: callStackOf(calledFunction), asTable };
}

/** Returns the table that a call begins with. Fails if its instance has stopped. */
function earlierOf({ from }: Settings): Earlier | undefined {
  from?.earlier?.check();
  return from?.earlier;
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

/** Returns a call with the options of its `resume()`, which win. */
function withMore<Target>(call: Call<Target>, more: unknown): Call<Target> {
  return { ...call, given: call.given.with(GivenOptions.of(more, "resume")) };
}

/** Makes a call with a new client. */
function once<Finding, Name extends string, Result>(
  given: GivenOptions,
  stack: CallStack,
  run: (client: FindingsClient<Finding, Name>) => Promise<Result>,
): Promise<Result> {
  const client = new FindingsClient<Finding, Name>(given as never);
  const result = run(client);
  const free = (outcome: unknown) => {
    // resume() needs this client. Garbage collection frees it later.
    if (!(outcome instanceof FindingsError && outcome.code === "partial")) client.free();
  };
  result.then(free, free);
  return stacked(result, stack);
}

/**
 * Prepares a call, which `target` describes. Rejects if one of the signals is aborted first, or after `totalTimeout`;
 * leaves no listener and no timer behind.
 */
async function unless<Result>(
  signals: (AbortSignal | undefined)[],
  totalTimeout: number | undefined,
  target: Partial<CallTarget>,
  prepare: () => Promise<Result>,
): Promise<Result> {
  const aborted = signals.find((signal) => signal?.aborted);
  if (aborted) throw aborted.reason;
  const after: (() => void)[] = [];
  const ended = new Promise<never>((_, reject) => {
    for (const signal of signals) {
      if (signal === undefined) continue;
      after.push(listen(signal, "abort", () => reject(signal.reason)));
    }
    if (totalTimeout !== undefined) {
      const outran = `WebAssembly was not ready within the totalTimeout of ${totalTimeout} ms`;
      const timer = setTimeout(() => reject(new FindingsError("timeout", outran, target)), totalTimeout);
      after.push(() => clearTimeout(timer));
    }
  });
  try {
    return await Promise.race([ended, prepare()]);
  } finally {
    for (const end of after) end();
  }
}
