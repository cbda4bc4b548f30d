// The partitions of an inspection, each with its findings as the service wrote them where they are needed.

import type { FindingsClient } from "../entries/inline.js";
import type { FindingKind } from "../table/finding.js";
import type { FindingsTable } from "../table/table.js";
import { FinalError } from "./final-error.js";
import type { Partition } from "./format.js";
import { PartitionSource } from "./partition-source.js";
import { RecordedFetch } from "./recorded-fetch.js";

/** The partitions that are fetched at the same time. */
const PARALLEL = 4;

export class PartitionLoader {
  readonly #client: FindingsClient;
  readonly #inspectionKey: string;
  readonly #kind: FindingKind;
  readonly #recorded = new RecordedFetch();

  constructor(client: FindingsClient, inspectionKey: string, kind: FindingKind) {
    this.#client = client;
    this.#inspectionKey = inspectionKey;
    this.#kind = kind;
  }

  /**
   * Fetches a partition.
   *
   * @param hasSource whether it has its findings as the service wrote them although its table rounds no integer
   * @param columns the columns of its table; undefined for all
   */
  async fetch(index: number, hasSource: boolean, signal: AbortSignal, columns?: readonly string[]): Promise<Partition> {
    const table = await this.#load(index, { signal, fetch: this.#recorded.fetch, columns });
    const body = await this.#recorded.take(index);
    const source = hasSource || table.integersRounded ? PartitionSource.of(body) : undefined;
    return { index, table, source };
  }

  /** Opens findings, as the service wrote them, as the table of a partition. */
  open(index: number, source: PartitionSource): Promise<FindingsTable<object>> {
    return this.#load(index, { fetch: async () => new Response(source.body) });
  }

  #load(index: number, options: object): Promise<FindingsTable<object>> {
    return this.#client.loadPartition(this.#inspectionKey, this.#kind, index, options);
  }

  /** Compares the number of all findings with the total. */
  checkTotal(received: number, total: number | null): void {
    if (total === null || received === total) return;
    // The partitions may belong to different analyses: none can be used again.
    throw new FinalError(
      `expected ${total} ${this.#kind} findings of inspection ${this.#inspectionKey}, received ${received}; ` +
        "the inspection was probably re-analysed meanwhile: run the command again",
    );
  }
}

/**
 * Works on the partitions, several at the same time, but on one at a time while `isAlone` says so. After an error it begins no more, aborts those under
 * way, and rejects with the error.
 */
export async function forEachPartition(
  partitions: number,
  signal: AbortSignal,
  isAlone: () => boolean,
  work: (index: number, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  let next = 0;
  while (next < partitions && isAlone()) await work(next++, signal);
  // Node has AbortSignal.any since version 20.3.
  const ending = new AbortController();
  const end = () => ending.abort(signal.reason);
  signal.addEventListener("abort", end);
  if (signal.aborted) end();
  const worker = async () => {
    while (next < partitions) {
      ending.signal.throwIfAborted();
      await work(next++, ending.signal);
    }
  };
  const workers = Array.from({ length: PARALLEL }, () => worker().catch((error) => ending.abort(error)));
  await Promise.all(workers);
  signal.removeEventListener("abort", end);
  ending.signal.throwIfAborted();
}
