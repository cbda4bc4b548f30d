// The client and the three plain functions: they load the module and call it.

import { type CallStack, callStackOf, withCallStack } from "./call-stack.js";
import { DISPOSE } from "./dispose.js";
import type { EarlyRequest } from "./early-request.js";
import { FindingsError } from "./error.js";
import { followerOf } from "./follower.js";
import { headStart } from "./head-start.js";
import type {
  Client,
  FindingKind,
  InspectionFinding,
  LiveSource,
  Options,
  PartitionCounts,
  ResumeState,
} from "./inspection_findings.js";
import type { Instance, Subject } from "./instance.js";
import { Live, type LiveCall } from "./live.js";
import type { LiveTable } from "./live-table.js";
import { isAwaited, load } from "./module.js";
import { type Given, merged, readOptions } from "./options.js";
import { listen } from "./shared-listener.js";
import { needStack } from "./stack.js";
import { type Delivered, type PartitionStream, Partitions, type TableStream } from "./stream.js";
import type { FindingsTable } from "./table.js";

/** Resumes a call from the partitions that it has received. */
type Resume = (state: ResumeState, more?: Options) => Promise<unknown>;

/** What a call for all findings asks for. */
interface Wanted {
  readonly inspectionKey: number | bigint;
  readonly kind: FindingKind;
}

/** Makes a call of the module; `begun` is its start, by `performance.now()`. */
type Run<Result> = (client: Client, options: Options | undefined, begun: number, instance: Instance) => Promise<Result>;

/** What distinguishes a call. */
interface Nature {
  /** Ends the call when it is aborted. */
  readonly life?: AbortSignal;
  /** Whether the call's first request is that for the counts, sent at once. */
  readonly beginsWithCounts?: boolean;
}

/** The clients that use a worker, for {@link preload}. */
const workerClients = new Set<WeakRef<FindingsClient>>();

/** Starts the worker of a client, before a call needs it. */
let startWorker: (client: FindingsClient, instance: Instance) => Promise<unknown>;

/**
 * A client of an inspection service. Its calls share these options and the limits `concurrency`, `maxBufferedBytes` and
 * the retry budget; the options of a single call win, except as their documentation says.
 *
 * The constructor neither loads the module nor sends a request. Wrong options make each call reject. A call also rejects
 * with a value that one of the caller's own functions throws, such as `headers` or `onProgress`.
 *
 * @example
 * using client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
 * const findings = await client.getFindings(42, "sentiment");
 */
export class FindingsClient {
  readonly #options: Given;
  readonly #life = new AbortController();
  #client: Client | undefined;
  /** The instance of the module that `#client` belongs to. */
  #home: Instance | undefined;
  #hadHeadStart = false;

  /** @param options for all calls of this client */
  constructor(options?: Options) {
    this.#options = readOptions(options);
    if (usesWorker(this.#options)) workerClients.add(new WeakRef(this));
  }

  static {
    startWorker = (client, instance) =>
      client.#life.signal.aborted
        ? Promise.resolve()
        : instance.settled(async () => client.#clientIn(instance).startWorker(), {});
  }

  /**
   * Gets the numbers of partitions and findings of both kinds, by one request.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   * @returns the counts. Rejects with a `TypeError` or `RangeError` for wrong arguments, with `signal.reason` after an
   * abort, and otherwise with a {@link FindingsError} of code `network`, `timeout`, `http`, `unauthorized`, `service`,
   * `decode`, `too-large`, `load` or `memory`.
   * @example
   * const { sentiment, topics } = await client.getPartitionCounts(42);
   * console.log(sentiment.partitions, topics.findings ?? "unknown");
   */
  getPartitionCounts(inspectionKey: number | bigint, options?: Options): Promise<PartitionCounts> {
    const stack = callStackOf(this.getPartitionCounts);
    const run: Run<PartitionCounts> = (client, options, begun) =>
      client.getPartitionCounts(inspectionKey, options, begun);
    return this.#call({ inspectionKey }, readOptions(options), stack, run, { beginsWithCounts: true });
  }

  /**
   * Gets the findings of one partition, by one request.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   * @param partitionIndex an integer from 0 to the number of partitions − 1
   * @returns the findings in their order. Rejects as {@link getPartitionCounts} does; an error of code `service` carries
   * `findings` if the response has some.
   * @example
   * const findings = await client.getPartition(42, "topics", 0);
   */
  getPartition<Finding = InspectionFinding>(
    inspectionKey: number | bigint,
    kind: FindingKind,
    partitionIndex: number,
    options?: Options,
  ): Promise<Finding[]> {
    const stack = callStackOf(this.getPartition);
    return this.#call({ inspectionKey, kind }, readOptions(options), stack, (client, options, begun) =>
      client.getPartition(inspectionKey, kind, partitionIndex, options, begun),
    );
  }

  /**
   * Gets the findings of one partition as a table, by one request.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   * @param partitionIndex an integer from 0 to the number of partitions − 1
   * @returns the table, which the caller frees. Rejects as {@link getPartition} does.
   * @example
   * using table = await client.loadPartition(42, "topics", 0);
   * console.log(table.countBy("TopicGroup"));
   */
  loadPartition<Finding = InspectionFinding>(
    inspectionKey: number | bigint,
    kind: FindingKind,
    partitionIndex: number,
    options?: Options,
  ): Promise<FindingsTable<Finding>> {
    const stack = callStackOf(this.loadPartition);
    return this.#call({ inspectionKey, kind }, readOptions(options), stack, (client, options, begun) =>
      client.loadPartition(inspectionKey, kind, partitionIndex, options, begun),
    );
  }

  /**
   * Gets all findings of one kind, in index order: all of them, or an error.
   *
   * The service has no snapshots: if an inspection is analysed again during the call, only a different total reveals it.
   * `completeness` decides what a wrong total means.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   * @returns all findings. Rejects as {@link getPartitionCounts} does, and also with code `incomplete` if the number of
   * findings is not the total, or `partial` if partitions are missing and `failurePolicy` is `"collect"`.
   * @example
   * const findings = await client.getFindings(42, "sentiment", { signal: AbortSignal.timeout(60_000) });
   * console.log(findings.length, findings[0]?.Comment);
   */
  getFindings<Finding = InspectionFinding>(
    inspectionKey: number | bigint,
    kind: FindingKind,
    options?: Options,
  ): Promise<Finding[]> {
    const stack = callStackOf(this.getFindings);
    return this.#gather({ inspectionKey, kind }, readOptions(options), stack, (client, ...rest) =>
      client.getFindings(inspectionKey, kind, ...rest),
    );
  }

  /**
   * Gets all findings of one kind as a table in columns outside the JavaScript heap. Suits many findings of which only
   * some become objects.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   * @returns the table, which the caller frees. Rejects as {@link getFindings} does; an error of code `partial` carries
   * `table` in place of `findings`.
   * @example
   * using table = await client.loadTable(42, "sentiment");
   * for (const { key, count } of table.countBy("Topic.Text")) console.log(key[0], count);
   */
  loadTable<Finding = InspectionFinding>(
    inspectionKey: number | bigint,
    kind: FindingKind,
    options?: Options,
  ): Promise<FindingsTable<Finding>> {
    const stack = callStackOf(this.loadTable);
    return this.#gather({ inspectionKey, kind }, readOptions(options), stack, (client, ...rest) =>
      client.loadTable(inspectionKey, kind, ...rest),
    );
  }

  /**
   * Streams the partitions of one kind, so that each can be processed while others are fetched.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   * @returns a stream that starts with its first `next()`. That is also what rejects, wrong arguments included: as
   * {@link getFindings} does, but never with code `partial`, because `failurePolicy: "collect"` is a `TypeError` here.
   * @example
   * for await (const { index, findings } of client.streamPartitions(42, "topics")) {
   *   console.log(index, findings.length);
   * }
   */
  streamPartitions<Finding = InspectionFinding>(
    inspectionKey: number | bigint,
    kind: FindingKind,
    options?: Options,
  ): PartitionStream<Finding> {
    return this.#stream({ inspectionKey, kind }, readOptions(options), callStackOf(this.streamPartitions), false);
  }

  /**
   * Streams the partitions of one kind as {@link streamPartitions} does, each as a table of its own. Suits more findings than the
   * memory of a tab or a process holds.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   * @returns a stream that starts with its first `next()`, and rejects as that of {@link streamPartitions} does. The reader frees
   * each table that it has read.
   * @example
   * for await (const { index, table } of client.streamTables(42, "topics")) {
   *   using read = table;
   *   console.log(index, read.countBy("TopicGroup"));
   * }
   */
  streamTables<Finding = InspectionFinding>(
    inspectionKey: number | bigint,
    kind: FindingKind,
    options?: Options,
  ): TableStream<Finding> {
    return this.#stream({ inspectionKey, kind }, readOptions(options), callStackOf(this.streamTables), true);
  }

  /**
   * Gets all findings of one kind as a table that can be used from the first partition on, and grows with every further one.
   *
   * Each snapshot has exactly the partitions received so far, so no figure is ever wrong; it is only not complete yet. Queries on
   * a snapshot reuse what the one before has computed.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   * @returns the live table, which the caller frees. Wrong arguments and all other failures become its state `"failed"`, and
   * what its `done` rejects with.
   * @example
   * using live = client.watchTable(42, "sentiment");
   * live.subscribe(() => {
   *   const { table, progress } = live.getSnapshot();
   *   console.log(`${progress.partitionsDone} of ${progress.partitions} partitions: ${table.length} findings`);
   * });
   * using table = await live.done;
   */
  watchTable<Finding = InspectionFinding>(
    inspectionKey: number | bigint,
    kind: FindingKind,
    options?: Options,
  ): LiveTable<Finding> {
    const given = readOptions(options);
    const stack = callStackOf(this.watchTable);
    const wanted: Wanted = { inspectionKey, kind };
    return new Live<Finding>((live, more) => this.#watch(live, wanted, givenBoth(given, more), stack), { ...wanted });
  }

  /**
   * Frees the client: calls in flight and all later ones reject with a `TypeError`. Calling it again has no effect.
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
    needStack();
    this.#life.abort(new TypeError("this FindingsClient has been freed"));
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

  /** Creates a stream, whose call begins with the first read. */
  #stream<Item extends Delivered>(
    subject: Wanted,
    given: Given,
    stack: CallStack,
    asTables: boolean,
  ): Partitions<Item> {
    const { inspectionKey, kind } = subject;
    return new Partitions<Item>((life) =>
      this.#call(
        subject,
        given,
        stack,
        async (client, options, begun, instance) => {
          const stream = client.streamPartitions(inspectionKey, kind, options, begun, asTables);
          const next = () => instance.settled(() => stream.next(), subject);
          return { next: () => stacked(next(), stack), free: () => stream.free() };
        },
        { life },
      ),
    );
  }

  /** Begins a call for all findings, which can be resumed if it receives only part of them. */
  #gather<Result>(
    subject: Subject,
    given: Given,
    stack: CallStack,
    run: (client: Client, options: Options | undefined, begun: number, resume: Resume) => Promise<Result>,
  ): Promise<Result> {
    const resume = this.#resumption(subject, given);
    const begin: Run<Result> = (client, options, begun) => run(client, options, begun, resume);
    return this.#call(subject, given, stack, begin, { beginsWithCounts: true });
  }

  #resumption(subject: Subject, given: Given): Resume {
    const resume: Resume = (state, options) => {
      const both = givenBoth(given, options);
      return this.#call(subject, both, callStackOf(resume), async (client, options, begun) => {
        state.check();
        return client.resume(state, options, begun);
      });
    };
    return resume;
  }

  /** Begins a call behind a live table. */
  #watch<Finding>(live: Live<Finding>, subject: Subject & Wanted, given: Given, stack: CallStack): LiveCall {
    const promise = this.#call<FindingsTable<never>>(
      subject,
      given,
      stack,
      async (client, options, begun) => {
        live.source ??= this.#sourceOf(live, client, subject, given);
        live.source.check();
        return client.load(live.source, live.life.signal, options, begun);
      },
      { life: live.life.signal, beginsWithCounts: true },
    );
    return { promise, isAborted: (reason) => this.#isAborted(given, reason) };
  }

  /** Creates the source of a live table. The module keeps its callbacks alive, so they must not keep the live table alive. */
  #sourceOf<Finding>(live: Live<Finding>, client: Client, { inspectionKey, kind }: Wanted, given: Given): LiveSource {
    const watcher = new WeakRef(live);
    const alone = this.#resumption({ inspectionKey, kind }, given);
    const resume: Resume = (state, options) => {
      const live = watcher.deref();
      return live?.source === undefined ? alone(state, options) : live.resumeWith(options);
    };
    return client.liveSource(inspectionKey, kind, () => watcher.deref()?.noteChange(), resume);
  }

  /** Whether the signal or the client has ended a call with this reason. */
  #isAborted(given: Given, reason: unknown): boolean {
    try {
      const { signal } = merged(this.#options(), given()) ?? {};
      return [this.#life.signal, signal].some((signal) => signal?.aborted && signal.reason === reason);
    } catch {
      return false;
    }
  }

  /** Begins a call on the caller's stack. Only what may be interrupted anywhere by an exhausted stack happens there. */
  #call<Result>(
    subject: Subject,
    given: Given,
    stack: CallStack,
    run: Run<Result>,
    nature: Nature = {},
  ): Promise<Result> {
    // Throws synchronously: Node logs a promise that is rejected on an exhausted stack.
    needStack();
    return stacked(this.#begin(subject, given, run, nature), stack);
  }

  async #begin<Result>(
    subject: Subject,
    given: Given,
    run: Run<Result>,
    { life, beginsWithCounts = false }: Nature,
  ): Promise<Result> {
    const begun = performance.now();
    const options = given();
    const { signal, totalTimeout } = merged(this.#options(), options) ?? {};
    await undefined;
    const early = beginsWithCounts ? this.#headStart(subject, options) : undefined;
    try {
      const instance = await loadUnless([this.#life.signal, signal, life], totalTimeout);
      return await instance.settled(() => run(this.#clientIn(instance), options, begun, instance), subject);
    } finally {
      early?.end();
    }
  }

  /** Sends the first request of a call before the module is loaded; only one for each client, which may have many calls by then. */
  #headStart(subject: Subject, options: Options | undefined): EarlyRequest | undefined {
    if (this.#hadHeadStart || this.#life.signal.aborted || !isAwaited()) return undefined;
    this.#hadHeadStart = true;
    return headStart(subject, this.#options(), options);
  }

  #clientIn(instance: Instance): Client {
    if (this.#client === undefined || this.#home !== instance) {
      this.#client = instance.client(this.#options(), this.#life.signal);
      this.#home = instance;
    }
    return this.#client;
  }
}

/**
 * Loads the WebAssembly module before a call needs it, for example while the page is idle, and starts the workers of the clients
 * that use one. Never required: the first call does both otherwise, and requests the counts meanwhile where its options permit it. May be called again after a failure.
 *
 * @returns a promise that resolves when the module is loaded, and rejects with a {@link FindingsError} with the code `load` otherwise
 * @example
 * requestIdleCallback(() => preload().catch(() => {}));
 */
export async function preload(): Promise<void> {
  const instance = await load();
  for (const reference of workerClients) {
    const client = reference.deref();
    // Wrong options, like a worker that cannot be started, are for the client's calls to report.
    if (client !== undefined) await startWorker(client, instance).catch(() => {});
    workerClients.delete(reference);
  }
}

/**
 * Gets the numbers of partitions and findings of both kinds, by one request. The same as
 * {@link FindingsClient.getPartitionCounts} of a new client with these options.
 *
 * @example
 * const { topics } = await getPartitionCounts(42, { baseUrl: "https://service.example/cxi/" });
 */
export function getPartitionCounts(inspectionKey: number | bigint, options?: Options): Promise<PartitionCounts> {
  return once(options, callStackOf(getPartitionCounts), (client) => client.getPartitionCounts(inspectionKey));
}

/**
 * Gets the findings of one partition, by one request. The same as
 * {@link FindingsClient.getPartition} of a new client with these options.
 *
 * @example
 * const findings = await getPartition(42, "topics", 0, { baseUrl: "https://service.example/cxi/" });
 */
export function getPartition<Finding = InspectionFinding>(
  inspectionKey: number | bigint,
  kind: FindingKind,
  partitionIndex: number,
  options?: Options,
): Promise<Finding[]> {
  return once(options, callStackOf(getPartition), (client) =>
    client.getPartition<Finding>(inspectionKey, kind, partitionIndex),
  );
}

/**
 * Gets all findings of one kind, in index order: all of them, or an error. The same as
 * {@link FindingsClient.getFindings} of a new client with these options.
 *
 * @example
 * const findings = await getFindings(42, "sentiment", { baseUrl: "https://service.example/cxi/" });
 */
export function getFindings<Finding = InspectionFinding>(
  inspectionKey: number | bigint,
  kind: FindingKind,
  options?: Options,
): Promise<Finding[]> {
  return once(options, callStackOf(getFindings), (client) => client.getFindings<Finding>(inspectionKey, kind));
}

/** Merges options with more, which win. */
function givenBoth(given: Given, options: Options | undefined): Given {
  const more = readOptions(options);
  return () => merged(given(), more());
}

function once<Result>(
  options: Options | undefined,
  stack: CallStack,
  run: (client: FindingsClient) => Promise<Result>,
): Promise<Result> {
  needStack();
  return stacked(runOnce(options, run), stack);
}

/** Settles as a promise does. An error of the package gets the stack of the call. */
async function stacked<Result>(promise: Promise<Result>, stack: CallStack): Promise<Result> {
  try {
    return await promise;
  } catch (reason) {
    throw withCallStack(reason, stack);
  }
}

async function runOnce<Result>(
  options: Options | undefined,
  run: (client: FindingsClient) => Promise<Result>,
): Promise<Result> {
  const given = readOptions(options)();
  const client = new FindingsClient(given);
  let canResume = false;
  try {
    return await run(client);
  } catch (reason) {
    canResume = reason instanceof FindingsError && reason.code === "partial";
    throw reason;
  } finally {
    // resume() needs this client, and so does a worker that shall serve the next call too. Garbage collection frees it later.
    if (!canResume && !usesWorker(() => given)) client.free();
  }
}

/**
 * Waits for the module. Rejects if one of the signals is aborted first, or after `totalTimeout`; leaves no listener and no
 * timer behind. Ignores values of a wrong type, which the module rejects once it is loaded.
 */
async function loadUnless(
  signals: (AbortSignal | null | undefined)[],
  totalTimeout: number | undefined,
): Promise<Instance> {
  const after: (() => void)[] = [];
  const ended = new Promise<never>((_, reject) => {
    for (const signal of signals) {
      if (typeof signal?.addEventListener !== "function") continue;
      if (signal.aborted) reject(signal.reason);
      after.push(listen(followerOf(signal), "abort", () => reject(signal.reason)));
    }
    if (typeof totalTimeout === "number" && totalTimeout >= 1) {
      const outran = `the WebAssembly module was not loaded within the totalTimeout of ${totalTimeout} ms`;
      const timer = setTimeout(() => reject(new FindingsError("timeout", outran)), Math.min(totalTimeout, 2 ** 31 - 1));
      after.push(() => clearTimeout(timer));
    }
  });
  try {
    return await Promise.race([ended, load()]);
  } finally {
    for (const end of after) end();
  }
}

/** Whether options ask for a worker. Wrong ones are for a call to report. */
function usesWorker(options: Given): boolean {
  try {
    const { worker } = options() ?? {};
    return worker !== undefined && worker !== false;
  } catch {
    return false;
  }
}
