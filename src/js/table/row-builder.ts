// Plain objects from rows that Rust has laid out as cells.

import type { Columns } from "../engine/engine.js";
import { now } from "../host/clock.js";
import { type Finding, type Layout, Layouts } from "./row-layout.js";
import { StringCache } from "./string-cache.js";

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

/** What the cells of rows refer to. */
export type RowSource = Pick<Columns, "number" | "shapeEvents" | "pathName" | "strings">;

/** The state that row builders of one dictionary share. */
export interface SharedParts {
  readonly strings: StringCache;
  readonly layouts: Layouts;
}

/** Builds objects and values from cells. */
export class RowBuilder {
  readonly #source: RowSource;
  readonly #strings: StringCache;
  readonly #layouts: Layouts;
  /** The layouts of the rows of this batch. */
  readonly #used: Layout[] = [];
  /** The cells of the rows of a batch. */
  #cells = NO_CELLS;
  #at = 0;
  /** The work since the last reading of the clock, in rows. */
  #work = 0;

  constructor(source: RowSource, { strings, layouts }: SharedParts) {
    this.#source = source;
    this.#strings = strings;
    this.#layouts = layouts;
  }

  /**
   * Appends the findings whose cells begin at `at`, until a time on the clock of `performance`.
   *
   * @returns the position of the next finding
   */
  build(cells: Int32Array, at: number, findings: Finding[], deadline: number): number {
    this.#cells = cells;
    this.#at = at;
    try {
      this.#build(findings, deadline);
      return this.#at;
    } finally {
      this.#forgetRows();
    }
  }

  /** Returns the value of a cell, and loads the strings of the cells after it; undefined for a missing field. */
  value(cells: ArrayLike<number>, at: number): unknown {
    const cell = cells[at] as number;
    if (cell & 1) return cell >> 1;
    if ((cell & 2) === 0) return this.#strings.get(cell >>> 2) ?? this.#strings.load(this.#source, cells, at);
    switch (cell & 15) {
      case NUMBER:
        return this.#source.number(cell >>> 4);
      case RAW_JSON:
        return this.#parse(this.#strings.get(cell >>> 4) ?? this.#strings.load(this.#source, cells, at));
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

  #build(findings: Finding[], deadline: number): void {
    while (this.#at < this.#cells.length) {
      findings.push(this.#finding());
      if (++this.#work < ROWS_PER_CLOCK_READING) continue;
      this.#work = 0;
      if (now() > deadline) break;
    }
  }

  #parse(json: string): unknown {
    this.#work += json.length / JSON_PER_ROW;
    return JSON.parse(json);
  }

  #finding(): Finding {
    const shape = (this.#cells[this.#at++] as number) >> 1;
    if (shape === UNSHAPED) return this.value(this.#cells, this.#at++) as Finding;
    return this.#object(this.#layouts.of(shape, this.#source));
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
      else if ((cell & 2) === 0) object[key] = strings.get(cell >>> 2) ?? strings.load(this.#source, cells, at);
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

/** Parts for a builder that builds each row once. They keep all strings. */
export function newParts(): SharedParts {
  return { strings: new StringCache(Number.POSITIVE_INFINITY), layouts: new Layouts() };
}
