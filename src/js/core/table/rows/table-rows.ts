// The rows of a table as plain objects, and the values of its cells.

import type { Columns } from "../../engine/engine.js";
import type { SharedResults } from "../shared-results.js";
import { PackedRows, readShape } from "./packed-rows.js";
import type { Finding } from "./row-layout.js";

/** The maximum number of rows, or of cells, that are packed at once. */
const BATCH = 1024;

/** The number of rows that are built at once for a loop that asks for one after the other. */
const AHEAD = 16;

/** Reads the rows and values of a table. */
export class TableRows {
  readonly #columns: Columns;
  readonly #results: SharedResults;
  /** The position after the last row that was asked for alone, and rows from there on, the last one first. */
  #next = -1;
  #ahead: Finding[] = [];

  constructor(columns: Columns, results: SharedResults) {
    this.#columns = columns;
    this.#results = results;
  }

  readonly #shapeOf = (shape: number) => readShape(this.#columns.shape(shape));

  /** Builds the findings from `from` to before `to`. */
  rows(from: number, to: number): Finding[] {
    const findings: Finding[] = [];
    const layoutOf = (shape: number) => this.#results.layouts.of(shape, this.#shapeOf);
    for (let next = from; next < to; next = from + findings.length) {
      const packed = this.#columns.rows(next, Math.min(next + BATCH, to));
      new PackedRows(packed, layoutOf).append(findings, Number.POSITIVE_INFINITY);
    }
    return findings;
  }

  /** Builds one finding of a table of this length, and some after it if it follows the one that was asked for before. */
  row(at: number, length: number): Finding {
    const follows = at === this.#next;
    if (!follows || this.#ahead.length === 0) {
      this.#ahead = this.rows(at, Math.min(at + (follows ? AHEAD : 1), length)).reverse();
    }
    this.#next = at + 1;
    return this.#ahead.pop() as Finding;
  }

  /** The values of cells; undefined for missing ones. */
  values(cells: Uint32Array): unknown[] {
    const values: unknown[] = [];
    while (values.length < cells.length) {
      const packed = this.#columns.cells(cells.subarray(values.length, values.length + BATCH));
      values.push(...new PackedRows(packed).values());
    }
    return values;
  }
}
