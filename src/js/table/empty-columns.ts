// The columns of a table without findings, for a live table before the `.wasm` file is loaded.

import type { Columns } from "../inspection_findings.js";

/** Columns without findings, which need no instance of the module: without rows, no query reads cells. */
class EmptyColumns implements Partial<Columns> {
  length = () => 0;
  byteLength = () => 0;
  names = () => [];
  columnsTruncated = () => false;
  partitions = () => [];
  /** Null, not undefined as for a view: the option `from` accepts the table, which has no partitions yet. */
  earlier = () => null as unknown as undefined;
  toBytes = () => {
    throw new TypeError("this table has no partition yet, so toBytes() has nothing to write");
  };
  column = () => new Int32Array();
  kept = () => undefined;
  measure = () => new Float64Array(3);
  distinctStrings = () => ({ ids: new Uint32Array(), length: 0 });
  writeBuffers = () => {};
  groups = () => ({ words: new Uint32Array(2), statistics: new Float64Array() });
  filter = () => emptyColumns();
  sortBy = () => emptyColumns();
  select = () => emptyColumns();
  free = () => {};
}

/** Creates columns without findings. */
export function emptyColumns(): Columns {
  return new EmptyColumns() as unknown as Columns;
}
