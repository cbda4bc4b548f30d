// The partitions of an inspection.

import type { FindingKind } from "../core/table/finding.js";
import { FinalError } from "./final-error.js";

/** The partitions that are fetched at the same time. */
const PARALLEL = 4;

/** Compares the number of all findings of one kind with the total. */
export function checkReceived(received: number, total: number | null, kind: FindingKind, inspectionKey: string): void {
  if (total === null || received === total) return;
  // The partitions may belong to different analyses: none can be used again.
  throw new FinalError(
    `expected ${total} ${kind} findings of inspection ${inspectionKey}, received ${received}; ` +
      "the inspection was probably re-analysed meanwhile: run the command again",
  );
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
