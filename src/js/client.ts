// The client and the three plain functions: they load the module, and leave the rest to it.

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
import { listen } from "./shared-listener.js";
import { load } from "./module.js";
import { type Given, merged, readOptions } from "./options.js";
import { needStack } from "./stack.js";
import { type PartitionStream, Partitions } from "./stream.js";
import type { FindingsTable } from "./table.js";

/** Goes on with what a call has got that could not get everything. */
type Resume = (state: ResumeState, more?: Options) => Promise<unknown>;

/** A call of the module. */
type Run<Result> = (client: Client, options: Options | undefined, begun: number, instance: Instance) => Promise<Result>;

/**
 * A client for one inspection service. Its calls share the options given here and a window of `concurrency` requests.
 *
 * @throws TypeError or RangeError, from each call, for options that are wrong.
 */
export class FindingsClient {
  readonly #options: Given;
  readonly #life = new AbortController();
  #client: Client | undefined;
  /** The instance of the module that the client lives in. */
  #home: Instance | undefined;

  constructor(options?: Options) {
    this.#options = readOptions(options);
  }

  /**
   * How many partitions and findings of both kinds the service holds.
   *
   * @param inspectionKey a safe integer, or a bigint of at most 64 bits
   */
  getPartitionCounts(inspectionKey: number | bigint, options?: Options): Promise<PartitionCounts> {
    return this.#call({ inspectionKey }, readOptions(options), (client, options, begun) =>
      client.getPartitionCounts(inspectionKey, options, begun),
    );
  }

  /**
   * The findings of one partition, by one request.
   *
   * @param partitionIndex an integer from 0
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
   * All findings of one kind, in the order of the partitions: every one of them, or an error.
   *
   * The service has no snapshots: an inspection that is analysed anew while it is read can only be noticed by its
   * totals, which are compared (see `completeness`).
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
   * All findings of one kind as {@link getFindings} gets them, in columns outside the JavaScript heap: for many findings,
   * of which only some are looked at as rows.
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
   * The partitions of one kind one after the other, for findings that are to be worked on while more are on their way. Begins with
   * the first pull; see {@link PartitionStream}.
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

  /** Ends the calls in flight, which are rejected with a `TypeError` as all later ones are. May be called again. */
  free(): void {
    needStack();
    this.#life.abort(new TypeError("this FindingsClient has been freed"));
    // Not at once: code of the caller's, such as a getter, may free the client while a call of it begins.
    queueMicrotask(() => {
      this.#client?.free();
      this.#client = undefined;
    });
  }

  /** The same as {@link free}, for `using`. */
  [Symbol.dispose](): void {
    this.free();
  }

  /** A call for all findings, which can be gone on with when it could not get them all. */
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

  /** Begins a call, on the caller's stack: nothing is done there that must not be cut short. */
  #call<Result>(subject: Subject, given: Given, run: Run<Result>, life?: AbortSignal): Promise<Result> {
    // Thrown at once: of a promise that is rejected on an exhausted stack, Node says so on the console.
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

/** {@link FindingsClient.getPartitionCounts} of a client made from `options`. */
export function getPartitionCounts(inspectionKey: number | bigint, options?: Options): Promise<PartitionCounts> {
  return once(options, (client) => client.getPartitionCounts(inspectionKey));
}

/** {@link FindingsClient.getPartition} of a client made from `options`. */
export function getPartition<Finding = InspectionFinding>(
  inspectionKey: number | bigint,
  kind: FindingKind,
  partitionIndex: number,
  options?: Options,
): Promise<Finding[]> {
  return once(options, (client) => client.getPartition<Finding>(inspectionKey, kind, partitionIndex));
}

/** {@link FindingsClient.getFindings} of a client made from `options`. */
export function getFindings<Finding = InspectionFinding>(
  inspectionKey: number | bigint,
  kind: FindingKind,
  options?: Options,
): Promise<Finding[]> {
  return once(options, (client) => client.getFindings<Finding>(inspectionKey, kind));
}

function once<Result>(options: Options | undefined, run: (client: FindingsClient) => Promise<Result>): Promise<Result> {
  needStack();
  return alone(options, run);
}

async function alone<Result>(
  options: Options | undefined,
  run: (client: FindingsClient) => Promise<Result>,
): Promise<Result> {
  const client = new FindingsClient(options);
  let canGoOn = false;
  try {
    return await run(client);
  } catch (reason) {
    canGoOn = reason instanceof FindingsError && reason.resume !== undefined;
    throw reason;
  } finally {
    // resume() uses this client, which is then freed with the garbage.
    if (!canGoOn) client.free();
  }
}

/**
 * Waits for the module, unless one of the signals is aborted first or the time of the call is over; leaves no listener
 * and no timer behind. Whether the values are what they should be is checked by the module, once it is there.
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
