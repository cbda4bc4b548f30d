/** The finder of findings in a view that has grown: by their keys, because their indexes change when findings before them arrive. */

import type { FindingsTable, InspectionFinding } from "inspection-findings";

/** The columns with keys, the most distinctive first. */
const keyColumns = ["StringKey", "RespondentKey", "VariableKey"];

export class FindingFinder {
  #view: FindingsTable;
  #column: string | undefined;
  #keys: readonly unknown[] | Int32Array | undefined;

  constructor(view: FindingsTable) {
    const { columns } = view;
    this.#view = view;
    this.#column = keyColumns.find((column) => columns.includes(column));
  }

  /** Returns the index of a finding; `from`, its index in the view before, if the view does not have it. Findings only move to the end. */
  indexOf(finding: InspectionFinding, from: number): number {
    const identity = identityOf(finding);
    const isAt = (index: number) => {
      const found = this.#view.at(index);
      return found !== undefined && identityOf(found) === identity;
    };
    if (isAt(from) || this.#column === undefined) {
      return from;
    }
    const key = Reflect.get(finding, this.#column);
    this.#keys ??= this.#view.column(this.#column) as readonly unknown[] | Int32Array;
    for (let at = this.#next(key, from); at >= 0; at = this.#next(key, at + 1)) {
      if (isAt(at)) {
        return at;
      }
    }
    return from;
  }

  #next(key: unknown, from: number): number {
    return Array.prototype.indexOf.call(this.#keys, key, from);
  }
}

/** The identity of a finding: everything in it. */
export function identityOf(finding: InspectionFinding): string {
  return JSON.stringify(finding);
}
