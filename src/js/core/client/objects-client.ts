// The client without tables: the public class, whose methods record where they were called.

import { callStackOf, stacked } from "../error/call-stack.js";
import { tagInstances } from "../host/tag.js";
import type { CallFinding } from "../table/column-name.js";
import type { PartitionCounts } from "../table/counts.js";
import { DISPOSE } from "../table/dispose.js";
import type { FindingKind, InspectionFinding, InspectionKey } from "../table/finding.js";
import { callOf } from "./call.js";
import { Calls } from "./calls.js";
import { CheckedOptions } from "./options/checked-options.js";
import type {
  CountsOptions,
  FindingsOptions,
  Options,
  PartitionOptions,
  StreamOptions,
  WithColumns,
} from "./options.js";
import type { PartitionStream } from "./stream.js";

/**
 * The key of the static method that returns the calls of a client.
 *
 * @internal
 */
export const CALLS_OF: unique symbol = Symbol("callsOf") as never;

/**
 * The key of the static method that makes a new client an extension of another one.
 *
 * @internal
 */
export const EXTENDED: unique symbol = Symbol("extended") as never;

/**
 * A client of an inspection service. Its calls share these options, the limits `concurrency` and `maxBufferedBytes`,
 * and the retry budget. Options of a single call win, except as their documentation says.
 *
 * Pass the type of your findings once, here: {@link InspectionFinding} if you pass none. The kind and the option
 * `columns` of a call narrow the type of its result.
 *
 * The constructor neither loads the `.wasm` file nor sends a request. If options are wrong, each call rejects. If one
 * of your functions throws, such as `headers` or `onProgress`, the call rejects with that error.
 *
 * @example
 * using client = new FindingsClient({ baseUrl: "https://service.example/cxi/" });
 * const findings = await client.getFindings(42, "sentiment");
 */
export class FindingsClient<Finding = InspectionFinding> {
  #calls: Calls;

  /** @param options for all calls of this client */
  constructor(options?: Options) {
    this.#calls = new Calls(CheckedOptions.of(options));
  }

  /** @internal */
  static [CALLS_OF](client: FindingsClient<unknown>): Calls {
    return client.#calls;
  }

  /** @internal */
  static [EXTENDED]<Client extends FindingsClient<unknown>>(
    client: Client,
    extended: Client,
    options: unknown,
  ): Client {
    client.#calls = new Calls(CheckedOptions.of(options), extended.#calls);
    return client;
  }

  /**
   * Creates a client with other options over those of this one, so that a page does not repeat them.
   *
   * Both share the limits `concurrency` and `maxBufferedBytes`, and the retry budget. A limit among the options can only
   * lower the share of each call, whatever the options of the call say. It does not limit the sum of several calls.
   * {@link free} of the new client ends its own calls only; `free()` of this one ends those of both.
   *
   * @param options win over those of this client; null turns an option off that has no default value
   * @returns the client. Its calls reject if the options are wrong.
   * @example
   * using patient = client.extend({ retries: 10, totalTimeout: null });
   * const findings = await patient.getFindings(42, "sentiment");
   */
  extend(options: Options): FindingsClient<Finding> {
    return FindingsClient[EXTENDED](new FindingsClient<Finding>(), this, options);
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
    return this.#calls.counts(callOf("counts", { inspectionKey }, options, this.getPartitionCounts));
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
  getPartition<const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    inspectionKey: InspectionKey,
    kind: Kind,
    partitionIndex: number,
    options?: WithColumns<PartitionOptions, Finding, Names>,
  ): Promise<CallFinding<Finding, Kind, Names>[]> {
    return this.#calls.partition(
      callOf("partition", { inspectionKey, kind, partitionIndex }, options, this.getPartition),
    );
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
  getFindings<const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    inspectionKey: InspectionKey,
    kind: Kind,
    options?: WithColumns<FindingsOptions, Finding, Names>,
  ): Promise<CallFinding<Finding, Kind, Names>[]> {
    return this.#calls.findings(callOf("findings", { inspectionKey, kind }, options, this.getFindings));
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
  streamPartitions<const Names extends readonly string[] = never, Kind extends FindingKind = FindingKind>(
    inspectionKey: InspectionKey,
    kind: Kind,
    options?: WithColumns<StreamOptions, Finding, Names>,
  ): PartitionStream<CallFinding<Finding, Kind, Names>> {
    return this.#calls.stream(callOf("stream", { inspectionKey, kind }, options, this.streamPartitions));
  }

  /**
   * Loads the `.wasm` file, and starts the worker if the client's option `worker` is `true`. If the worker cannot be
   * started, the calls report it.
   *
   * @returns a promise. Like the client's calls, it rejects if the options are wrong, the client is freed or its signal
   * is aborted. If loading fails, it rejects with a {@link FindingsError} of code `load`.
   * @example
   * using client = new FindingsClient({ worker: true });
   * addEventListener("load", () => client.preload().catch(() => {}));
   */
  preload(): Promise<void> {
    return stacked(this.#calls.preload(), callStackOf(this.preload));
  }

  /**
   * Frees the client, and the clients that extend it: calls in flight and later calls reject with a `TypeError`.
   * Calling it again has no effect.
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
    this.#calls.free();
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
}

tagInstances(FindingsClient.prototype, "FindingsClient");
