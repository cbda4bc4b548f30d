/** A format of the export: its names, and how it writes findings. */

import type { FindingsTable } from "inspection-findings";

export interface Format {
  readonly name: string;
  /** The extension of files, with its dot. */
  readonly extension: string;
  readonly mediaType: string;
  /** Writes a file with these findings, part by part. Rejects with the signal's reason when it is aborted. */
  save(findings: FindingsTable<object>, write: Write, circumstances: Circumstances): Promise<void>;
}

/** Resolves once a part of a file has been written. */
export type Write = (part: Part) => Promise<void>;

export type Part = string | Uint8Array<ArrayBuffer>;

export interface Circumstances {
  signal: AbortSignal;
  /** Called with the number of findings written. */
  onProgress: (done: number) => void;
}
