// Plain objects from the cells of rows.

import { now } from "../../host/clock.js";
import { type CellSource, cellValue, RAW_JSON } from "./cell.js";
import type { Finding, Layout } from "./row-layout.js";

/** Rows to build before the clock is read again; fewer if they contain much raw JSON. */
const ROWS_PER_CLOCK_READING = 16;

/** The number of raw JSON characters that take about as long as a row. */
const JSON_PER_ROW = 256;

/** Marks a row without a shape: a finding that stays raw JSON. */
const UNSHAPED = -1;

const NO_CELLS: Int32Array = new Int32Array();

/** Builds objects from rows: for each the number of its shape, then the cells of its values. */
export class RowBuilder implements CellSource {
  readonly #strings: readonly string[];
  readonly #numbers: Float64Array;
  readonly #layoutOf: (shape: number) => Layout;
  /** The layouts of the rows of this batch. */
  readonly #used: Layout[] = [];
  /** The cells of the rows of a batch. */
  #cells = NO_CELLS;
  #at = 0;
  /** The work since the last reading of the clock, in rows. */
  #work = 0;

  /** @param strings by id; all of them before the first row is built */
  constructor(strings: readonly string[], numbers: Float64Array, layoutOf: (shape: number) => Layout) {
    this.#strings = strings;
    this.#numbers = numbers;
    this.#layoutOf = layoutOf;
  }

  /**
   * Appends the findings whose cells begin at `at` and end before `end`, until a time on the clock of `performance`.
   *
   * @returns the position of the next finding
   */
  build(cells: Int32Array, at: number, end: number, findings: Finding[], deadline: number): number {
    this.#cells = cells;
    this.#at = at;
    try {
      while (this.#at < end) {
        const shape = (cells[this.#at++] as number) >> 1;
        findings.push(shape === UNSHAPED ? (this.#value() as Finding) : this.#object(this.#layoutOf(shape)));
        if (++this.#work < ROWS_PER_CLOCK_READING) continue;
        this.#work = 0;
        if (now() > deadline) break;
      }
      return this.#at;
    } finally {
      this.#forgetRows();
    }
  }

  text(id: number): string {
    const text = this.#strings[id];
    if (text === undefined) throw new RangeError(`the rows lack the string ${id}`);
    return text;
  }

  number(id: number): number {
    const number = this.#numbers[id];
    if (number === undefined) throw new RangeError(`the rows lack the number ${id}`);
    return number;
  }

  /** Returns the next value. */
  #value(): unknown {
    const cell = this.#cells[this.#at++] as number;
    if ((cell & 15) === RAW_JSON) this.#work += this.text(cell >>> 4).length / JSON_PER_ROW;
    return cellValue(cell, this);
  }

  #object(layout: Layout): Finding {
    if (layout.hasProto) return this.#fill(layout);
    const { keys, inner } = layout;
    const cells = this.#cells;
    // Consecutive findings are similar: copy the previous one, then store only the values that differ.
    const before = layout.last;
    const isFirst = before === layout.template;
    if (isFirst) this.#used.push(layout);
    const object = layout.copy(before);
    const distance = isFirst ? 0 : this.#at - layout.lastAt;
    layout.last = object;
    layout.lastAt = this.#at;
    for (let index = 0; index < keys.length; index++) {
      const below = inner[index];
      if (below !== undefined) {
        object[keys[index] as string] = this.#object(below);
        continue;
      }
      const cell = cells[this.#at] as number;
      if (distance !== 0 && cell === cells[this.#at - distance] && (cell & 15) !== RAW_JSON) this.#at++;
      else object[keys[index] as string] = this.#value();
    }
    return object;
  }

  /** Builds an object with a key `__proto__`: assigning it would set the prototype, so `defineProperty` stores it. */
  #fill(layout: Layout): Finding {
    const object: Finding = {};
    layout.keys.forEach((key, index) => {
      const below = layout.inner[index];
      const value = below ? this.#object(below) : this.#value();
      Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
    });
    return object;
  }

  /** Drops the rows of the batch: the caller may change them, and they should not stay alive. */
  #forgetRows(): void {
    for (const layout of this.#used) layout.last = layout.template;
    this.#used.length = 0;
    this.#cells = NO_CELLS;
  }
}
