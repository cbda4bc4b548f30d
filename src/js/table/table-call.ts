// Lets the entry `keep` open tables for a client although it has no copy of the class `FindingsTable`.

import type { FindingsTable } from "./table.js";

/** The key of the method that tells what a call for a table asks for; the same in every entry. */
export const TABLE_CALL: unique symbol = Symbol.for("inspection-findings.table-call") as never;

/** What decides which kept table a call can begin with, and what opens it. */
export interface TableCall {
  readonly baseUrl: string;
  /** The names of the columns, as the option `columns` holds them. */
  readonly columns: Uint8Array | undefined;
  /** Opens bytes. Rejects unless they are of a table that the call can begin with. */
  readonly open: (bytes: ArrayBuffer) => Promise<FindingsTable<unknown>>;
  /** Lets a live table of the client show nothing of what has arrived, and begin with nothing. */
  readonly forget: (live: object) => void;
}
