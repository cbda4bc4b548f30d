/** The selection: the filters and the order that the reader has chosen. */

import type { Scalar } from "inspection-findings";
import type { DimensionName } from "./dimension.js";

export interface Order {
  column: string;
  direction: "asc" | "desc";
}

export class Selection {
  /** The text that comments must contain; empty for all comments. */
  search = "";
  /** Undefined for the original order. */
  order: Order | undefined;
  #chosen = new Map<DimensionName, Set<Scalar>>();

  /** The chosen values of a dimension; an empty set stands for all. */
  chosen(name: DimensionName): ReadonlySet<Scalar> {
    return this.#chosen.get(name) ?? new Set();
  }

  toggle(name: DimensionName, value: Scalar): void {
    const values = new Set(this.chosen(name));
    if (!values.delete(value)) {
      values.add(value);
    }
    this.#chosen.set(name, values);
  }

  /** Removes all filters; the order stays. */
  clear(): void {
    this.search = "";
    this.#chosen.clear();
  }

  get isOpen(): boolean {
    return this.search === "" && [...this.#chosen.values()].every((values) => values.size === 0);
  }
}
