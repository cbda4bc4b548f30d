// The source of a table: what the other entries of the package read, which do not share its class.

import type { FindingKind } from "./finding.js";
import type { Columns } from "./inspection_findings.js";

/** The key of the method that returns the source of a table, the same in every entry of the package. */
export const SOURCE: unique symbol = Symbol.for("inspection-findings.source") as never;

/** The columns of a table in the module, and where they come from. */
export interface TableSource {
  readonly columns: Columns;
  readonly origin: Origin;
}

/** Where the findings of a table come from. */
export interface Origin {
  readonly inspectionKey: number | bigint;
  readonly kind: FindingKind;
  /** The number of all findings of this kind, once a call has received them all. A view with fewer is not complete. */
  total?: number | undefined;
}
