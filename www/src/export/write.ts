/** The writing of an export in time slices, so that the page stays responsive. */

import type { FindingsTable } from "inspection-findings";
import type { Format } from "./format.js";
import { yieldNow } from "./yield-now.js";

/** The part of a table that an export needs. */
export type Findings = Pick<FindingsTable<object>, "columns" | "length" | "slice">;

interface Circumstances {
  signal: AbortSignal;
  /** Called with the number of findings written. */
  onProgress: (done: number) => void;
}

/** The target length of a time slice, in milliseconds. On a busy machine a slice takes several times as long. */
const targetTime = 6;
const minBatch = 16;
const maxBatch = 2048;

/** Writes all findings. Rejects with the signal's reason when it is aborted. */
export async function writeFindings(
  findings: Findings,
  format: Format,
  write: (text: string) => Promise<void>,
  { signal, onProgress }: Circumstances,
): Promise<void> {
  const { length } = findings;
  const writing = format.begin(findings.columns);
  await write(writing.head);
  let batch = 256;
  for (let done = 0; done < length; ) {
    await yieldNow();
    signal.throwIfAborted();
    const started = performance.now();
    const part = findings.slice(done, done + batch);
    const text = writing.lines(part);
    batch = nextBatch(batch, performance.now() - started);
    await write(text);
    done += part.length;
    onProgress(done);
  }
  signal.throwIfAborted();
}

/** The number of findings that fit into a time slice, by the time that the last ones took. Doubles at most, because findings differ in length. */
function nextBatch(last: number, milliseconds: number): number {
  const fitting = Math.round((last * targetTime) / Math.max(milliseconds, 1));
  return Math.min(Math.max(fitting, minBatch), 2 * last, maxBatch);
}
