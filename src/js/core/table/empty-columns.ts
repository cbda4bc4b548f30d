// The columns of a table without findings, for a live table before the `.wasm` file is loaded.

import type { Columns } from "../engine/engine.js";

const NO_WORDS: Uint32Array = new Uint32Array();

/** Columns without findings, which need no instance of the module: without rows, no query reads cells. */
class EmptyColumns implements Partial<Columns> {
  length = () => 0;
  byteLength = () => 0;
  names = () => [];
  columnsTruncated = () => false;
  findingsWithoutColumns = () => 0;
  integersRounded = () => false;
  partitions = () => [];
  limitFields = () => {};
  /** Null: the option `from` accepts the first table of a live table, which has no partitions yet. */
  earlierTable = () => null as unknown as undefined;
  toBytes = () => {
    throw new TypeError("this table has no partition yet, so toBytes() has nothing to write");
  };
  column = () => new Int32Array();
  kinds = () => 0;
  columnList = () => undefined;
  measure = () => new Float64Array(3);
  distinctStrings = () => ({ codes: new Uint32Array(), length: 0 });
  writeBuffers = () => {};
  groups = () => ({
    grouping: 0,
    keys: NO_WORDS,
    counts: NO_WORDS,
    numbers: NO_WORDS,
    statistics: new Float64Array(),
    distinct: NO_WORDS,
  });
  filter = () => emptyColumns();
  sortBy = () => emptyColumns();
  select = () => emptyColumns();
  withColumn = () => emptyColumns();
  free = () => {};
}

/** Creates columns without findings. */
export function emptyColumns(): Columns {
  return new EmptyColumns() as unknown as Columns;
}

/** Whether columns are of no instance of the module. */
export function isEmptyColumns(columns: Columns): boolean {
  return (columns as unknown) instanceof EmptyColumns;
}
