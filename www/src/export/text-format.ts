/** A format of text: a head, and text for each finding. The writing is in time slices, so that the page stays responsive. */

import type { Circumstances, Format, Write } from "./format.js";
import { yieldNow } from "./yield-now.js";

export interface TextFormat extends Omit<Format, "save"> {
  /** Begins a file of findings with these columns. */
  begin(columns: readonly string[]): Writing;
}

/** A file in the course of writing. */
export interface Writing {
  /** The text before the first finding. */
  readonly head: string;
  /** The text of the next findings. */
  lines(findings: readonly object[]): string;
}

/** The part of a table that a format of text needs. */
interface Findings {
  readonly columns: readonly string[];
  readonly length: number;
  slice(start: number, end: number): object[];
}

/** The target length of a time slice, in milliseconds. On a busy machine a slice takes several times as long. */
const targetTime = 6;
const minBatch = 16;
const maxBatch = 2048;

/** Makes a format of text one that saves a table. */
export function savedAsText(format: TextFormat): Format {
  return { ...format, save: (findings, write, circumstances) => writeText(findings, format, write, circumstances) };
}

async function writeText(
  findings: Findings,
  format: TextFormat,
  write: Write,
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
