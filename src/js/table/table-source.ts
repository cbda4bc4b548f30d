// Lets the Arrow entry read a table although it has another copy of the class `FindingsTable`.

import type { Columns } from "../engine/engine.js";
import type { KindCounts } from "./counts.js";
import type { FindingKind, InspectionKey } from "./finding.js";

/** The key of the method that returns the source of a table; the same in every entry. */
export const SOURCE: unique symbol = Symbol.for("inspection-findings.source") as never;

/** The columns of a table and their origin. */
export interface TableSource {
  readonly columns: Columns;
  readonly origin: Origin;
}

/** The origin of a table's findings. */
export interface Origin {
  readonly inspectionKey: InspectionKey;
  readonly kind: FindingKind;
  /** Whether it is a view of a table, or a copy of one. */
  readonly isView?: boolean | undefined;
  /** The number of all findings of this kind, if a call has received all. */
  readonly total?: number | undefined;
  /** The counts of this kind, if the call has read them. */
  readonly counts?: KindCounts | undefined;
  /** The base URL of the call, if another call can begin with the table. */
  readonly baseUrl?: string | undefined;
  /** When the table was saved, if it was opened from bytes: milliseconds as of `Date.now()`. */
  readonly savedAt?: number | undefined;
}
