/** A format of the export: its names, and how it writes findings. */

export interface Format {
  readonly name: string;
  /** The extension of files, with its dot. */
  readonly extension: string;
  readonly mediaType: string;
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
