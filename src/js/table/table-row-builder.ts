// Plain objects from the rows of a table.

import type { Columns } from "../engine/engine.js";
import { now } from "../host/clock.js";
import { newParts, RowBuilder, type SharedParts } from "./row-builder.js";
import type { Finding } from "./row-layout.js";

/** The maximum number of rows that are laid out at once. */
const BATCH = 256;

const NO_WORDS: Uint32Array = new Uint32Array();

/** Lays out and builds the rows of a table. */
export class TableRowBuilder extends RowBuilder {
  readonly #columns: Columns;
  /** The memory of the cells. */
  #buffer = NO_WORDS;

  /** @param parts shared with other builders */
  constructor(columns: Columns, parts: SharedParts = newParts()) {
    super(columns, parts);
    this.#columns = columns;
  }

  /**
   * Appends the findings from `from` to before `to`, or fewer if `milliseconds` have passed.
   *
   * @returns the number of appended findings
   */
  append(from: number, to: number, findings: Finding[], milliseconds = Number.POSITIVE_INFINITY): number {
    const words = this.#columns.layOutRows(from, to, this.#buffer);
    if (words.buffer !== this.#buffer.buffer) this.#buffer = words;
    const before = findings.length;
    this.build(new Int32Array(words.buffer, 0, words.length), 0, findings, now() + milliseconds);
    return findings.length - before;
  }

  /** Builds the findings from `from` to before `to`. */
  rows(from: number, to: number): Finding[] {
    const findings: Finding[] = [];
    for (let next = from; next < to; next += BATCH) this.append(next, Math.min(next + BATCH, to), findings);
    this.#buffer = NO_WORDS;
    return findings;
  }

  /** Frees the columns. */
  free(): void {
    this.#columns.free();
  }
}
