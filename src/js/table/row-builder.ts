// Plain objects from columns: Rust lays out rows as cells, and this file builds an object from each row.

import type { Columns } from "../inspection_findings.js";
import { type Finding, type Layout, Layouts } from "./row-layout.js";
import { StringCache } from "./string-cache.js";

/** The maximum number of rows that are laid out at once. */
const BATCH = 256;

/** Rows to build before the clock is read again; fewer if they contain much raw JSON. */
const ROWS_PER_CLOCK_READING = 16;

/** The number of raw JSON characters that take about as long as a row. */
const JSON_PER_ROW = 256;

/** Marks a row without a shape: a finding that stays raw JSON. */
const UNSHAPED = -1;

const NULL = 0x1a;
const FALSE = 0x2a;
const TRUE = 0x3a;

/** The cell of an object whose fields have separate columns. */
export const OBJECT = 0x4a;

const NUMBER = 0x2;
const RAW_JSON = 0x6;

const NO_CELLS: Int32Array = new Int32Array();
const NO_WORDS: Uint32Array = new Uint32Array();

/** The state that row builders of one dictionary share. */
export interface SharedParts {
  readonly strings: StringCache;
  readonly layouts: Layouts;
}

/** Builds the rows and the values of a table. */
export class RowBuilder {
  readonly #columns: Columns;
  readonly #strings: StringCache;
  readonly #layouts: Layouts;
  /** The layouts of the rows of this batch. */
  readonly #used: Layout[] = [];
  /** The cells of the rows of a batch. */
  #cells = NO_CELLS;
  /** The memory of the cells. */
  #buffer = NO_WORDS;
  #at = 0;
  /** The work since the last reading of the clock, in rows. */
  #work = 0;

  constructor(columns: Columns, { strings, layouts }: SharedParts) {
    this.#columns = columns;
    this.#strings = strings;
    this.#layouts = layouts;
  }

  /**
   * Appends the findings from `from` to before `to`, or fewer if `milliseconds` have passed.
   *
   * @returns the number of appended findings
   */
  append(from: number, to: number, findings: Finding[], milliseconds = Number.POSITIVE_INFINITY): number {
    const words = this.#columns.layOutRows(from, to, this.#buffer);
    if (words.buffer !== this.#buffer.buffer) this.#buffer = words;
    this.#cells = new Int32Array(words.buffer, 0, words.length);
    this.#at = 0;
    try {
      return this.#build(findings, performance.now() + milliseconds);
    } finally {
      this.#forgetRows();
    }
  }

  /** Builds the findings from `from` to before `to`. */
  rows(from: number, to: number): Finding[] {
    const findings: Finding[] = [];
    for (let next = from; next < to; next += BATCH) this.append(next, Math.min(next + BATCH, to), findings);
    this.#buffer = NO_WORDS;
    return findings;
  }

  /** The value of a cell among others that will be read after it; undefined for a missing field. */
  value(cells: ArrayLike<number>, at: number): unknown {
    const cell = cells[at] as number;
    if (cell & 1) return cell >> 1;
    if ((cell & 2) === 0) return this.#strings.get(cell >>> 2) ?? this.#strings.load(this.#columns, cells, at);
    switch (cell & 15) {
      case NUMBER:
        return this.#columns.number(cell >>> 4);
      case RAW_JSON:
        return this.#parse(this.#strings.get(cell >>> 4) ?? this.#strings.load(this.#columns, cells, at));
    }
    switch (cell) {
      case NULL:
        return null;
      case FALSE:
        return false;
      case TRUE:
        return true;
      case OBJECT:
        return {};
    }
    return undefined;
  }

  /** Frees the columns. */
  free(): void {
    this.#columns.free();
  }

  /** Builds laid-out rows until a deadline. Returns their number. */
  #build(findings: Finding[], ends: number): number {
    let count = 0;
    while (this.#at < this.#cells.length) {
      findings.push(this.#finding());
      count++;
      if (++this.#work < ROWS_PER_CLOCK_READING) continue;
      this.#work = 0;
      if (performance.now() > ends) break;
    }
    return count;
  }

  #parse(json: string): unknown {
    this.#work += json.length / JSON_PER_ROW;
    return JSON.parse(json);
  }

  #finding(): Finding {
    const shape = (this.#cells[this.#at++] as number) >> 1;
    if (shape === UNSHAPED) return this.value(this.#cells, this.#at++) as Finding;
    return this.#object(this.#layouts.of(shape, this.#columns));
  }

  #object(layout: Layout): Finding {
    if (layout.hasProto) return this.#fill(layout);
    const { keys, inner } = layout;
    const strings = this.#strings;
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
      const at = this.#at++;
      const cell = cells[at] as number;
      if (distance !== 0 && cell === cells[at - distance] && (cell & 15) !== RAW_JSON) continue;
      const key = keys[index] as string;
      if (cell & 1) object[key] = cell >> 1;
      else if ((cell & 2) === 0) object[key] = strings.get(cell >>> 2) ?? strings.load(this.#columns, cells, at);
      else object[key] = this.value(cells, at);
    }
    return object;
  }

  /** Builds an object with a key `__proto__`: assigning it would set the prototype, so `defineProperty` stores it. */
  #fill(layout: Layout): Finding {
    const object: Finding = {};
    layout.keys.forEach((key, index) => {
      const below = layout.inner[index];
      const value = below ? this.#object(below) : this.value(this.#cells, this.#at++);
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

/** The shared parts of builders that build each row once. They keep all strings. */
export function newParts(): SharedParts {
  return { strings: new StringCache(Number.POSITIVE_INFINITY), layouts: new Layouts() };
}
