// The rows of a file, and what their cells may be beside values of findings.

/** What the cells of a {@link CrosstabResult} show: counts, shares, or shares with their intervals beside them. */
export type CellValues = "count" | "share" | "interval";

/** A share from 0 to 1, which files show as a per cent. */
export class Share {
  constructor(readonly value: number) {}
}

/** Rows that can be read several times. Undefined cells are empty. */
export interface ExportedRows {
  /** The names of the columns. */
  readonly columns: readonly string[];
  readonly length: number;
  /** Reads the cells of the rows from `from` to before `to`. */
  rows(from: number, to: number): unknown[][];
}
