// What a table has until it is freed: its columns, where they come from, and what reads them.

import type { Columns } from "../engine/engine.js";
import { freedText } from "../error/freed.js";
import type { Origin } from "./origin.js";
import { TableRows } from "./rows/table-rows.js";
import { SharedResults } from "./shared-results.js";

/** The columns of a table, and their origin. */
export class TableData {
  readonly origin: Origin;
  /** Shared with its views, and with other tables of the same live table. */
  results: SharedResults;
  #columns: Columns | undefined;
  /** Reads its rows and cells; created for the first one. */
  #rows: TableRows | undefined;

  constructor(columns: Columns, origin: Origin, results = new SharedResults()) {
    this.#columns = columns;
    this.origin = origin;
    this.results = results;
    columns.limitFields(origin.kind === "topics", origin.of === "caller");
  }

  get isFreed(): boolean {
    return this.#columns === undefined;
  }

  /** The columns. Throws a `TypeError` once the table is freed. */
  get columns(): Columns {
    if (this.#columns === undefined) throw new TypeError(freedText("FindingsTable"));
    return this.#columns;
  }

  /** Reads rows or values. */
  read<Result>(read: (rows: TableRows) => Result): Result {
    this.#rows ??= new TableRows(this.columns, this.results);
    return read(this.#rows);
  }

  free(): void {
    const columns = this.#columns;
    this.#columns = undefined;
    this.#rows = undefined;
    columns?.free();
  }
}
