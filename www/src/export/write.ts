/** The writing of an export: some findings at a time, so that the page can be used meanwhile. */

import type { FindingsTable } from "inspection-findings";
import type { Format } from "./format.js";
import { nextTurn } from "./turn.js";

/** The part of a table that an export needs. */
export type Findings = Pick<FindingsTable<object>, "columns" | "length" | "slice">;

interface Circumstances {
  signal: AbortSignal;
  /** Is told how many findings have been written. */
  onProgress: (done: number) => void;
}

/** Milliseconds that the work between two turns should take; on a busy machine it takes several times as long. */
const aim = 6;
const fewest = 16;
const most = 2048;

/** Writes all findings; rejects with the reason of the signal when that is aborted. */
export async function writeFindings(
  findings: Findings,
  format: Format,
  write: (text: string) => Promise<void>,
  { signal, onProgress }: Circumstances,
): Promise<void> {
  const { length } = findings;
  const writing = format.begin(findings.columns);
  await write(writing.head);
  let atOnce = 256;
  for (let done = 0; done < length; ) {
    await nextTurn();
    signal.throwIfAborted();
    const started = performance.now();
    const some = findings.slice(done, done + atOnce);
    const text = writing.lines(some);
    atOnce = nextNumber(atOnce, performance.now() - started);
    await write(text);
    done += some.length;
    onProgress(done);
  }
  signal.throwIfAborted();
}

/** How many findings to write at once, as long as the last ones took. At most twice as many, as the next may be longer. */
function nextNumber(last: number, milliseconds: number): number {
  const fitting = Math.round((last * aim) / Math.max(milliseconds, 1));
  return Math.min(Math.max(fitting, fewest), 2 * last, most);
}
