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
  /** Created for the first row or cell. */
  #reader: TableRows | undefined;

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

  /** Reads its rows and cells. Throws a `TypeError` once the table is freed. */
  get reader(): TableRows {
    this.#reader ??= new TableRows(this.columns, this.results);
    return this.#reader;
  }

  free(): void {
    const columns = this.#columns;
    this.#columns = undefined;
    this.#reader = undefined;
    columns?.free();
  }
}
