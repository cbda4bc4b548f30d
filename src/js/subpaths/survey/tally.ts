// The one fold of a tabulation: the people of each cell, row and column, each counted once, with their weights.

import { increase } from "./increase.js";
import type { Units } from "./walk.js";

/** Where the counts of a tabulation go. */
export interface Layout {
  /** The rows of each code of a row: its own, and its nets. */
  readonly rows: readonly (readonly number[])[];
  readonly rowCount: number;
  /** The column of each code of a column. */
  readonly columns: Int32Array;
  readonly columnCount: number;
}

/** What is told of each person. */
export interface EachPerson {
  /**
   * Adds a person to the columns that the person is in.
   *
   * @param rows the rows that the person is in
   * @param seen the last mark of each cell: the person is in those with this one
   */
  add(rows: readonly number[], columns: readonly number[], weight: number, seen: Int32Array, mark: number): void;
}

/** Some people: how many, the sum of their weights, and that of the squares of these. */
export class Sums {
  readonly counts: Float64Array;
  readonly weights: Float64Array;
  readonly squares: Float64Array;

  constructor(size: number) {
    this.counts = new Float64Array(size);
    this.weights = new Float64Array(size);
    this.squares = new Float64Array(size);
  }

  add(at: number, count: number, weight: number, square: number): void {
    increase(this.counts, at, count);
    increase(this.weights, at, weight);
    increase(this.squares, at, square);
  }

  /** Rounds the sums of weights, once all are added. */
  round(): void {
    for (const [at, weight] of this.weights.entries()) this.weights[at] = rounded(weight);
  }

  /** The effective base (Kish): that of a sample without weights in which a share is as certain. */
  effective(at: number): number {
    return kish(this.counts[at] as number, this.weights[at] as number, this.squares[at] as number);
  }
}

/** A sum of weights to ten significant digits: thirty times 0.7 is 21, and no threshold lies between them. */
export function rounded(sum: number): number {
  return Number.isInteger(sum) ? sum : Number(sum.toPrecision(10));
}

/** The effective base (Kish) of some people, by the sums of their weights and of the squares of these. */
export function kish(count: number, weight: number, squares: number): number {
  return squares > 0 ? Math.min(count, rounded(weight ** 2 / squares)) : 0;
}

/** What a fold counts. Of each column, the people with a finding in it are `speaking`, and its shares have `bases`. */
export type Tally = Readonly<Record<"cells" | "rows" | "speaking" | "bases" | "total", Sums>>;

/**
 * Counts the people of each cell. Where findings are counted, each group of them is a unit, whose weight is their number.
 *
 * @param asked the columns of each person by the table of those who were asked
 * @param refuse refuses a person whom that table lacks, or has in other columns than this
 * @param compared the columns that are compared: told of each person
 */
export function tallied(
  units: Units,
  asked: Units | undefined,
  arePeople: boolean,
  layout: Layout,
  refuse: (person: number, column: number | undefined) => never,
  compared: EachPerson | undefined,
): Tally {
  const { rowCount, columnCount } = layout;
  const sizes = { cells: rowCount * columnCount, rows: rowCount, speaking: columnCount, bases: columnCount, total: 1 };
  const made = Object.entries(sizes).map(([name, size]) => [name, new Sums(size)]);
  const tally: Tally = Object.fromEntries(made);
  // The last unit that was seen in a cell, a row or a column, plus 1.
  const [cellSeen, rowSeen] = [new Int32Array(sizes.cells), new Int32Array(rowCount)];
  const [columnSeen, baseSeen] = [new Int32Array(columnCount), new Int32Array(columnCount)];
  const [ownRows, ownColumns]: [number[], number[]] = [[], []];
  for (let unit = 0; unit < units.count; unit++) {
    const [mark, weight] = [unit + 1, units.weights[unit] as number];
    const count = arePeople ? 1 : weight;
    const square = arePeople ? weight * weight : weight;
    const [start, end] = [units.starts[unit] as number, units.starts[mark] as number];
    ownRows.length = ownColumns.length = 0;
    let isHere = arePeople && start < end;
    if (asked !== undefined) {
      const [from, to] = [asked.starts[unit] as number, asked.starts[mark] as number];
      if (isHere && from === to) refuse(unit, undefined);
      isHere = from < to;
      for (let item = from; item < to; item++) {
        const code = asked.columns[item] as number;
        const column = code < 0 ? -1 : (layout.columns[code] as number);
        if (column < 0 || baseSeen[column] === mark) continue;
        baseSeen[column] = mark;
        ownColumns.push(column);
        tally.bases.add(column, count, weight, square);
      }
    }
    for (let item = start; item < end; item++) {
      const [row, code] = [units.rows[item] as number, units.columns[item] as number];
      const column = code < 0 ? -1 : (layout.columns[code] as number);
      if (!arePeople && row < 0 && column < 0) isHere = true;
      if (column >= 0) {
        if (asked !== undefined && baseSeen[column] !== mark) refuse(unit, column);
        if ((arePeople || row < 0) && columnSeen[column] !== mark) {
          columnSeen[column] = mark;
          tally.speaking.add(column, count, weight, square);
          if (asked === undefined) {
            ownColumns.push(column);
            tally.bases.add(column, count, weight, square);
          }
        }
      }
      if (row < 0) continue;
      const targets = layout.rows[row] as readonly number[];
      for (let at = 0; at < targets.length; at++) {
        const target = targets[at] as number;
        if ((arePeople || column < 0) && rowSeen[target] !== mark) {
          rowSeen[target] = mark;
          ownRows.push(target);
          tally.rows.add(target, count, weight, square);
        }
        const cell = target * columnCount + column;
        if (column < 0 || cellSeen[cell] === mark) continue;
        cellSeen[cell] = mark;
        tally.cells.add(cell, count, weight, square);
      }
    }
    if (isHere) tally.total.add(0, count, weight, square);
    compared?.add(ownRows, ownColumns, weight, cellSeen, mark);
  }
  for (const sums of Object.values(tally)) sums.round();
  return tally;
}

/** The weight of the people of each code, of a side of a tabulation. With `only`, of those who are in that code of the other side. */
export function totalsOf(
  units: Units,
  side: "rows" | "columns",
  size: number,
  arePeople: boolean,
  only?: number,
): Float64Array {
  const [codes, others] = side === "rows" ? [units.rows, units.columns] : [units.columns, units.rows];
  const [totals, seen] = [new Float64Array(size), new Int32Array(size)];
  for (let unit = 0; unit < units.count; unit++) {
    for (let item = units.starts[unit] as number; item < (units.starts[unit + 1] as number); item++) {
      const [code, other] = [codes[item] as number, others[item] as number];
      const isOut = only === undefined ? !arePeople && other >= 0 : other !== only;
      if (code < 0 || isOut || seen[code] === unit + 1) continue;
      seen[code] = unit + 1;
      increase(totals, code, units.weights[unit] as number);
    }
  }
  return totals.map(rounded);
}
