// A column of an Arrow stream: its source and its type.

/** The type of a column. */
export type ColumnType = "int32" | "float64" | "bool" | "text" | "json" | "presence";

/** A column to write. */
export interface PlannedColumn {
  /** The name of the column in the stream. */
  readonly name: string;
  /** The name of the column in the table. */
  readonly of: string;
  readonly type: ColumnType;
  /** Whether each distinct text is stored once. */
  readonly isDictionary: boolean;
}

/** The kinds of values in a column, one bit each, as in Rust. */
export const INTEGER = 1;
export const NUMBER = 2;
export const BOOLEAN = 4;
export const TEXT = 8;
export const RAW_JSON = 16;
/** Null and missing values. */
export const NOTHING = 64;
