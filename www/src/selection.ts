/** The selection: what the reader wants to see of the findings, and in which order. */

import type { Scalar } from "inspection-findings";
import type { DimensionName } from "./dimension.js";

export interface Order {
  column: string;
  direction: "asc" | "desc";
}

export class Selection {
  /** A text that the comment has in it; empty for every comment. */
  search = "";
  /** Undefined for the order in which the findings came. */
  order: Order | undefined;
  #chosen = new Map<DimensionName, Set<Scalar>>();

  /** The values of a dimension that are let through; none stands for all. */
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

  /** Lets everything through; the order stays. */
  clear(): void {
    this.search = "";
    this.#chosen.clear();
  }

  get isOpen(): boolean {
    return this.search === "" && [...this.#chosen.values()].every((values) => values.size === 0);
  }
}
