// The client and the three plain functions: they load the module and call it.

import { DISPOSE } from "./dispose.js";
import { FindingsError } from "./error.js";
import { followerOf } from "./follower.js";
import type {
  Client,
  FindingKind,
  InspectionFinding,
  Options,
  PartitionCounts,
  ResumeState,
} from "./inspection_findings.js";
import type { Instance, Subject } from "./instance.js";
import { load } from "./module.js";
import { type Given, merged, readOptions } from "./options.js";
import { listen } from "./shared-listener.js";
import { needStack } from "./stack.js";
import { type PartitionStream, Partitions } from "./stream.js";
import type { FindingsTable } from "./table.js";

/** Resumes a call from the partitions that it has received. */
type Resume = (state: ResumeState, more?: Options) => Promise<unknown>;

/** Makes a call of the module; `begun` is its start, by `performance.now()`. */
type Run<Result> = (client: Client, options: Options | undefined, begun: number, instance: Instance) => Promise<Result>;

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

  /** @param options for all calls of this client */
  constructor(options?: Options) {
    this.#options = readOptions(options);
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
    return this.#call({ inspectionKey }, readOptions(options), (client, options, begun) =>
      client.getPartitionCounts(inspectionKey, options, begun),
    );
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
    return this.#call({ inspectionKey, kind }, readOptions(options), (client, options, begun) =>
      client.getPartition(inspectionKey, kind, partitionIndex, options, begun),
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
    return this.#gather({ inspectionKey, kind }, readOptions(options), (client, ...rest) =>
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
    return this.#gather({ inspectionKey, kind }, readOptions(options), (client, ...rest) =>
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
    const subject = { inspectionKey, kind };
    const given = readOptions(options);
    return new Partitions<Finding>((life) =>
      this.#call(
        subject,
        given,
        async (client, options, begun, instance) => {
          const stream = client.streamPartitions(inspectionKey, kind, options, begun);
          return { next: () => instance.settled(() => stream.next(), subject), free: () => stream.free() };
        },
        life,
      ),
    );
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

  /** Begins a call for all findings, which can be resumed if it receives only part of them. */
  #gather<Result>(
    subject: Subject,
    given: Given,
    run: (client: Client, options: Options | undefined, begun: number, resume: Resume) => Promise<Result>,
  ): Promise<Result> {
    const resume: Resume = (state, options) => {
      const more = readOptions(options);
      const both = () => merged(given(), more());
      return this.#call(subject, both, async (client, options, begun) => {
        state.check();
        return client.resume(state, options, begun);
      });
    };
    return this.#call(subject, given, (client, options, begun) => run(client, options, begun, resume));
  }

  /** Begins a call on the caller's stack. Only what may be interrupted anywhere by an exhausted stack happens there. */
  #call<Result>(subject: Subject, given: Given, run: Run<Result>, life?: AbortSignal): Promise<Result> {
    // Throws synchronously: Node logs a promise that is rejected on an exhausted stack.
    needStack();
    return this.#begin(subject, given, run, life);
  }

  async #begin<Result>(
    subject: Subject,
    given: Given,
    run: Run<Result>,
    life: AbortSignal | undefined,
  ): Promise<Result> {
    const begun = performance.now();
    const options = given();
    const { signal, totalTimeout } = merged(this.#options(), options) ?? {};
    await undefined;
    const instance = await loadUnless([this.#life.signal, signal, life], totalTimeout);
    return instance.settled(() => run(this.#clientIn(instance), options, begun, instance), subject);
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
 * Gets the numbers of partitions and findings of both kinds, by one request. The same as
 * {@link FindingsClient.getPartitionCounts} of a new client with these options.
 *
 * @example
 * const { topics } = await getPartitionCounts(42, { baseUrl: "https://service.example/cxi/" });
 */
export function getPartitionCounts(inspectionKey: number | bigint, options?: Options): Promise<PartitionCounts> {
  return once(options, (client) => client.getPartitionCounts(inspectionKey));
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
  return once(options, (client) => client.getPartition<Finding>(inspectionKey, kind, partitionIndex));
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
  return once(options, (client) => client.getFindings<Finding>(inspectionKey, kind));
}

function once<Result>(options: Options | undefined, run: (client: FindingsClient) => Promise<Result>): Promise<Result> {
  needStack();
  return runOnce(options, run);
}

async function runOnce<Result>(
  options: Options | undefined,
  run: (client: FindingsClient) => Promise<Result>,
): Promise<Result> {
  const client = new FindingsClient(options);
  let canResume = false;
  try {
    return await run(client);
  } catch (reason) {
    canResume = reason instanceof FindingsError && reason.resume !== undefined;
    throw reason;
  } finally {
    // resume() needs this client, which garbage collection frees later.
    if (!canResume) client.free();
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
