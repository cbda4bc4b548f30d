/** A format of export: how it is called, and how findings are written in it, some at a time. */

export interface Format {
  readonly name: string;
  /** With its dot. */
  readonly extension: string;
  readonly mediaType: string;
  /** Begins a file of findings that have these columns. */
  begin(columns: readonly string[]): Writing;
}

/** A file that is being written. */
export interface Writing {
  /** What comes before the first finding. */
  readonly head: string;
  /** The text of the next findings. */
  lines(findings: readonly object[]): string;
}
