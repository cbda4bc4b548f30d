// The columns of a tabulation that are compared: the tests of each row, and the letters.

import { valueOfKey } from "./axis.js";
import type { CompareOptions } from "./compare-options.js";
import type { ComparedCell, ComparedColumns } from "./comparing.js";
import type { CrosstabColumn, CrosstabRow, CrosstabTest } from "./crosstab-result.js";
import { twoSided } from "./distribution.js";
import { increase } from "./increase.js";
import { Overlap } from "./overlap.js";
import type { Line } from "./rows.js";
import { kish, rounded, Sums, type Tally } from "./tally.js";
import {
  areFew,
  corrected,
  joinedLetters,
  letterOf,
  type Pair,
  pairsOf,
  type Sample,
  unsaidOverlap,
  zOf,
} from "./tests.js";

/** The columns of one part of the axis: they are compared with each other. */
interface Group {
  readonly pairs: readonly Pair[];
  /** All people in it, and their weight by row. */
  readonly people: Sums;
  readonly rows: Float64Array;
}

/** A test of two columns of a row, by their numbers; without the other for all others than the first. */
type PairTest = CrosstabTest<number, number>;

/** Whether the person who is added is in a cell. */
type IsIn = (row: number, column: number) => boolean;

export class ColumnComparison implements ComparedColumns {
  readonly letters: (string | null)[];
  readonly #options: Required<CompareOptions>;
  readonly #width: number;
  /** The number of the group of each column; −1 for the column of those without a value, which is not compared. */
  readonly #groupOf: readonly number[];
  readonly #groups: readonly Group[];
  /** The people in two columns, by the numbers of these: the first times the number of columns, plus the second. */
  readonly #overlaps = new Map<number, Overlap>();
  /** For each cell the weight of those in the column who are in the row, in whatever column of the group. */
  readonly #inRow: Float64Array;

  constructor(options: Required<CompareOptions>, columns: readonly Line[], rowCount: number) {
    this.#options = options;
    this.#width = columns.length;
    this.#inRow = new Float64Array(options.with === "rest" ? rowCount * columns.length : 0);
    const isCompared = ({ key }: Line) => valueOfKey(key) !== null;
    const blocks = [...new Set(columns.filter(isCompared).map(({ block }) => block))];
    this.#groupOf = columns.map((column) => (isCompared(column) ? blocks.indexOf(column.block) : -1));
    this.letters = columns.map(() => null);
    this.#groups = blocks.map((_, group): Group => {
      const own = columns.flatMap((_, at) => (this.#groupOf[at] === group ? [at] : []));
      for (const [number, column] of own.entries()) if (own.length > 1) this.letters[column] = letterOf(number);
      const pairs = pairsOf(own, options.with, rowCount);
      return { pairs, people: new Sums(1), rows: new Float64Array(rowCount) };
    });
  }

  add(rows: readonly number[], columns: readonly number[], weight: number, seen: Int32Array, mark: number): void {
    const { with: whom, overlap } = this.#options;
    const isIn = (row: number, column: number) => seen[row * this.#width + column] === mark;
    if (whom === "rest") this.#addToGroups(rows, columns, weight, isIn);
    else if (overlap !== "independent" && columns.length > 1) this.#addToOverlaps(rows, columns, weight, isIn);
  }

  tests(
    tally: Tally,
    rows: readonly CrosstabRow[],
    columns: readonly CrosstabColumn[],
    cells: readonly ComparedCell[],
  ): CrosstabTest[] {
    this.#checkOverlap(columns);
    const tests = rows.flatMap((_, row) =>
      this.#groups.flatMap(({ pairs }) => this.#testsOf(tally, row, pairs, cells)),
    );
    const won = new Map<ComparedCell, { letter: string; isSmall: boolean }[]>();
    for (const { row, column, other, difference, corrected, isSmall } of tests) {
      if (corrected === null || !(corrected < 1 - this.#options.level)) continue;
      const [winner, loser] = difference > 0 || other === undefined ? [column, other] : [other, column];
      const letter = loser === undefined ? (difference > 0 ? "↑" : "↓") : (this.letters[loser] as string);
      const cell = cells[row * this.#width + winner] as ComparedCell;
      won.set(cell, [...(won.get(cell) ?? []), { letter, isSmall }]);
    }
    for (const [cell, own] of won) {
      cell.letters = joinedLetters(own.map(({ letter }) => letter));
      cell.smallLetters = joinedLetters(own.filter(({ isSmall }) => isSmall).map(({ letter }) => letter));
    }
    return tests.map(({ row, column, other, ...test }) => {
      const { key, of } = columns[column] as CrosstabColumn;
      return {
        row: rows[row]?.key,
        column: key,
        other: other === undefined ? undefined : columns[other]?.key,
        ...(of !== undefined && { of }),
        ...test,
      };
    });
  }

  /** Adds a person to the overlap of each two columns that the person is in. */
  #addToOverlaps(rows: readonly number[], columns: readonly number[], weight: number, isIn: IsIn): void {
    for (const one of columns) {
      for (const other of columns) {
        const group = this.#groupOf[one];
        if (one >= other || group === -1 || group !== this.#groupOf[other]) continue;
        const overlap = this.#overlaps.get(one * this.#width + other) ?? new Overlap();
        this.#overlaps.set(one * this.#width + other, overlap);
        overlap.people.add(0, 1, weight, weight ** 2);
        for (const row of rows) overlap.add(row, weight, isIn(row, one), isIn(row, other));
      }
    }
  }

  /** Adds a person to the groups of columns that the person is in. */
  #addToGroups(rows: readonly number[], columns: readonly number[], weight: number, isIn: IsIn): void {
    for (const number of new Set(columns.map((column) => this.#groupOf[column] as number))) {
      const group = this.#groups[number];
      if (group === undefined) continue;
      const own = columns.filter((column) => this.#groupOf[column] === number);
      group.people.add(0, 1, weight, weight ** 2);
      for (const row of rows) {
        if (!own.some((column) => isIn(row, column))) continue;
        increase(group.rows, row, weight);
        for (const column of own) increase(this.#inRow, row * this.#width + column, weight);
      }
    }
  }

  /** Refuses people who are in two columns if the caller does not say what happens with them. */
  #checkOverlap(columns: readonly CrosstabColumn[]): void {
    if (this.#options.overlap !== undefined) return;
    for (const [one, other] of this.#groups.flatMap(({ pairs }) => pairs)) {
      const shared = other === undefined ? undefined : this.#overlaps.get(one * this.#width + other);
      if (shared === undefined) continue;
      throw unsaidOverlap(shared.people.counts[0] as number, columns[one]?.key, columns[other as number]?.key);
    }
  }

  /** Tests the pairs of columns of a row whose cells are shown. */
  #testsOf(tally: Tally, row: number, pairs: readonly Pair[], cells: readonly ComparedCell[]): PairTest[] {
    const isShown = (column: number | undefined) => column === undefined || !cells[row * this.#width + column]?.isSmall;
    // All others together, less those who are shown, are those who are hidden.
    const hidesNobody = ([column]: Pair) => isShown(column) || tally.bases.counts[column] === 0;
    if (this.#options.with === "rest" && !pairs.every(hidesNobody)) return [];
    const tests = pairs.flatMap(([column, other]): Omit<PairTest, "corrected">[] => {
      if (!isShown(column) || !isShown(other)) return [];
      const one = this.#sampleOf(tally, row, column);
      const two = other === undefined ? this.#restOf(tally, row, column) : this.#sampleOf(tally, row, other);
      const least = Math.min(one.effective, two.effective);
      if (!(least > 0 && least >= this.#options.leastBase)) return [];
      const z = zOf(one, two, this.#covarianceOf(row, column, other) / one.effective / two.effective);
      const p = z === null ? null : twoSided(z);
      const isSmall = z !== null && areFew(one, two);
      return [{ row, column, other, difference: one.share - two.share, z, p, isSmall }];
    });
    return corrected(tests, this.#options.correction);
  }

  #sampleOf({ bases, cells }: Tally, row: number, column: number): Sample {
    const weight = bases.weights[column] as number;
    const share = (cells.weights[row * this.#width + column] as number) / weight;
    return { share, weight, effective: bases.effective(column) };
  }

  /** The people of a group who are not in a column. */
  #restOf({ bases }: Tally, row: number, column: number): Sample {
    const { people, rows } = this.#groups[this.#groupOf[column] as number] as Group;
    const [count, weight, squares, there] = [
      minus(people.counts[0], bases.counts[column]),
      minus(people.weights[0], bases.weights[column]),
      minus(people.squares[0], bases.squares[column]),
      minus(rows[row], this.#inRow[row * this.#width + column]),
    ];
    return { share: there / weight, weight, effective: kish(count, weight, squares) };
  }

  /** Twice the covariance of the people who are in both columns, if the caller wants it, times the effective bases. */
  #covarianceOf(row: number, column: number, other: number | undefined): number {
    const shared = other === undefined ? undefined : this.#overlaps.get(column * this.#width + other);
    if (shared === undefined || this.#options.overlap !== "account") return 0;
    return 2 * shared.correlation(row) * shared.people.effective(0);
  }
}

/** What a part leaves of a sum; 0 where both are equal but for what sums of fractions lose. */
function minus(sum: number | undefined, part: number | undefined): number {
  return rounded(sum as number) === rounded(part as number) ? 0 : rounded((sum as number) - (part as number));
}
