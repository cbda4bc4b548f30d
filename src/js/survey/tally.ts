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
  /** The group of columns in which a column is compared; −1 if it is not. */
  readonly groups: Int32Array;
  /** Whether the people who are in two columns are looked at, and all others than those of a column. */
  readonly pairs: boolean;
  readonly rest: boolean;
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

  /** The effective base (Kish): that of a sample without weights in which a share is as certain. */
  effective(at: number): number {
    return kish(this.weights[at] as number, this.squares[at] as number);
  }
}

export function kish(weight: number, squares: number): number {
  return squares > 0 ? weight ** 2 / squares : 0;
}

/** The people who are in two columns, and for each row the weight of those who are there in the one, in the other, and in both. */
export interface Shared {
  readonly people: Sums;
  readonly one: Float64Array;
  readonly other: Float64Array;
  readonly both: Float64Array;
  /** How many are there in only one of the columns. */
  readonly unlike: Float64Array;
}

/** What a fold counts. */
export class Tally {
  readonly cells: Sums;
  readonly rows: Sums;
  /** Those with a finding in a column, and those whom its shares are of. */
  readonly speaking: Sums;
  readonly bases: Sums;
  readonly total = new Sums(1);
  /** By the numbers of two columns: the first times the number of columns, plus the second. */
  readonly shared = new Map<number, Shared>();
  /** All people of the groups of columns, and by row; and for each cell those of the column who are in the row, in whatever column. */
  readonly groups: Sums;
  readonly groupRows: Float64Array;
  readonly inRow: Float64Array;

  constructor({ rowCount, columnCount, rest }: Layout) {
    this.cells = new Sums(rowCount * columnCount);
    this.rows = new Sums(rowCount);
    this.speaking = new Sums(columnCount);
    this.bases = new Sums(columnCount);
    this.groups = new Sums(columnCount);
    this.groupRows = new Float64Array(rest ? columnCount * rowCount : 0);
    this.inRow = new Float64Array(rest ? rowCount * columnCount : 0);
  }
}

/**
 * Counts the people of each cell. Where findings are counted, each group of them is a unit, whose weight is their number.
 *
 * @param asked the columns of each person by the table of those who were asked
 * @param refuse refuses a person whom that table lacks, or has in other columns than this
 */
export function tallied(
  units: Units,
  asked: Units | undefined,
  arePeople: boolean,
  layout: Layout,
  refuse: (person: number, column: number | undefined) => never,
): Tally {
  const { rowCount, columnCount } = layout;
  const tally = new Tally(layout);
  // The last unit that was seen in a cell, a row or a column, plus 1.
  const [cellSeen, rowSeen, columnSeen, baseSeen] = [rowCount * columnCount, rowCount, columnCount, columnCount].map(
    (size) => new Int32Array(size),
  ) as [Int32Array, Int32Array, Int32Array, Int32Array];
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
    if (layout.pairs && ownColumns.length > 1) addPairs(tally, layout, ownRows, ownColumns, weight, cellSeen, mark);
    if (layout.rest) addGroups(tally, layout, ownRows, ownColumns, weight, cellSeen, mark);
  }
  return tally;
}

/** Adds a person to each pair of columns that the person is in. */
function addPairs(
  { shared }: Tally,
  { rowCount, columnCount, groups }: Layout,
  rows: readonly number[],
  columns: number[],
  weight: number,
  cellSeen: Int32Array,
  mark: number,
): void {
  columns.sort((one, other) => one - other);
  columns.forEach((one, place) => {
    for (const other of columns.slice(place + 1)) {
      if (groups[one] !== groups[other] || groups[one] === -1) continue;
      const at = one * columnCount + other;
      let pair = shared.get(at);
      if (pair === undefined) {
        const list = () => new Float64Array(rowCount);
        pair = { people: new Sums(1), one: list(), other: list(), both: list(), unlike: list() };
        shared.set(at, pair);
      }
      pair.people.add(0, 1, weight, weight ** 2);
      for (const row of rows) {
        const inOne = cellSeen[row * columnCount + one] === mark;
        const inOther = cellSeen[row * columnCount + other] === mark;
        if (inOne) increase(pair.one, row, weight);
        if (inOther) increase(pair.other, row, weight);
        if (inOne && inOther) increase(pair.both, row, weight);
        else if (inOne || inOther) increase(pair.unlike, row, 1);
      }
    }
  });
}

/** Adds a person to the groups of columns that the person is in. */
function addGroups(
  tally: Tally,
  { rowCount, columnCount, groups }: Layout,
  rows: readonly number[],
  columns: readonly number[],
  weight: number,
  cellSeen: Int32Array,
  mark: number,
): void {
  for (const group of new Set(columns.map((column) => groups[column] as number))) {
    if (group === -1) continue;
    const own = columns.filter((column) => groups[column] === group);
    tally.groups.add(group, 1, weight, weight ** 2);
    for (const row of rows) {
      if (!own.some((column) => cellSeen[row * columnCount + column] === mark)) continue;
      increase(tally.groupRows, group * rowCount + row, weight);
      for (const column of own) increase(tally.inRow, row * columnCount + column, weight);
    }
  }
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
  return totals;
}
