// Lets the entry `keep` load tables by a client although it has no copy of the class `FindingsTable`.

import type { FindingsTable } from "./table.js";

/** The key of the method that loads a table for a store; the same in every entry. */
export const KEPT_TABLE: unique symbol = Symbol.for("inspection-findings.kept-table") as never;

/** Loads a table that a store may have kept. */
export interface KeptTableLoader<Live = unknown> {
  /** What is asked for; undefined if its arguments are wrong: then the live table fails with the error. */
  readonly wanted: WantedTable | undefined;
  /** Opens bytes. Rejects unless they are of a table that the call can begin with. */
  readonly open: (bytes: ArrayBuffer) => Promise<FindingsTable<unknown>>;
  /** Returns another table with the columns of one, which nobody else frees. */
  readonly copyOf: (table: FindingsTable<unknown>) => FindingsTable<unknown>;
  /**
   * Begins the call, with a kept table. If the service refuses it with 401 or 403, the live table and its errors have nothing any
   * more of the kept table, nor of what has arrived since.
   */
  readonly watch: (kept: FindingsTable<unknown> | undefined) => Live;
}

/** What a call asks for. */
export interface WantedTable {
  readonly baseUrl: string;
  /** The names of the columns, as the option `columns` holds them. */
  readonly columns: Uint8Array | undefined;
  /** Whether to request everything, although a table is kept. */
  readonly reload: boolean;
}
