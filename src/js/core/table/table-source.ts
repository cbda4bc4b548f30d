// Lets the Arrow entry read a table although it has another copy of the class `FindingsTable`.

import type { Columns } from "../engine/engine.js";
import type { Origin } from "./origin.js";
import type { Conditions } from "./queries/conditions.js";

/** The key of the method that returns the source of a table; the same in every entry. */
export const SOURCE: unique symbol = Symbol.for("inspection-findings.source") as never;

/** The columns of a table and their origin. */
export interface TableSource {
  readonly columns: Columns;
  readonly origin: Origin;
  /** Copies the values of a column. Calls nothing of the caller, as a method of what the caller has passed might. */
  readonly column: (name: string) => unknown[];
  /** Copies conditions, so that several queries can ask them. Reading them may run code of the caller. */
  readonly conditions: (where: unknown, subject?: string) => Conditions;
}
