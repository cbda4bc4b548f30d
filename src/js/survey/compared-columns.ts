// The columns of a tabulation that are compared: who is in two of them, the tests of each row, and the letters.

import type { CompareOptions } from "./compare-options.js";
import type { ComparedColumns } from "./comparing.js";
import type { CrosstabColumn, CrosstabRow, CrosstabTest } from "./crosstab-result.js";
import { twoSided } from "./distribution.js";
import { increase } from "./increase.js";
import type { Line } from "./rows.js";
import { kish, Sums, type Tally } from "./tally.js";
import { corrected, joinedLetters, letterOf, type Pair, pairsOf, type Sample, unsaidOverlap, zOf } from "./tests.js";

/** The people who are in two columns, and for each row the weight of those who are there in the one, in the other, and in both. */
interface Shared {
  readonly people: Sums;
  readonly one: Float64Array;
  readonly other: Float64Array;
  readonly both: Float64Array;
  /** How many are there in only one of the columns. */
  readonly unlike: Float64Array;
}

/** The columns of one part of the axis: they are compared with each other. */
interface Group {
  readonly pairs: readonly Pair[];
  /** All people in it, and their weight by row. */
  readonly people: Sums;
  readonly rows: Float64Array;
}

/** A test of two columns of a row, by their numbers; without the other for all others than the first. */
type PairTest = CrosstabTest<number, number>;

/** The columns of a tabulation while they are compared. */
export class ColumnComparison implements ComparedColumns {
  readonly letters: (string | null)[];
  readonly #options: Required<CompareOptions>;
  readonly #rowCount: number;
  readonly #width: number;
  /** The number of the group of each column; −1 for the column of those without a value, which is not compared. */
  readonly #groupOf: readonly number[];
  readonly #groups: readonly Group[];
  /** By the numbers of two columns: the first times the number of columns, plus the second. */
  readonly #shared = new Map<number, Shared>();
  /** For each cell the weight of those in the column who are in the row, in whatever column of the group. */
  readonly #inRow: Float64Array;

  constructor(options: Required<CompareOptions>, columns: readonly Line[], rowCount: number) {
    this.#options = options;
    this.#rowCount = rowCount;
    this.#width = columns.length;
    this.#inRow = new Float64Array(options.with === "rest" ? rowCount * columns.length : 0);
    const blocks = [...new Set(columns.flatMap(({ key, block }) => (key === null ? [] : [block])))];
    this.#groupOf = columns.map(({ key, block }) => (key === null ? -1 : blocks.indexOf(block)));
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
    else if (overlap !== "independent" && columns.length > 1) this.#addToPairs(rows, columns, weight, isIn);
  }

  tests(
    tally: Tally,
    rows: readonly CrosstabRow[],
    columns: readonly CrosstabColumn[],
    cells: { letters: string }[],
  ): CrosstabTest[] {
    this.#checkOverlap(columns);
    const won = new Map<number, string[]>();
    const tests = rows.flatMap((_, row) => this.#groups.flatMap(({ pairs }) => this.#testsOf(tally, row, pairs)));
    for (const { row, column, other, difference, corrected } of tests) {
      if (corrected === null || !(corrected < 1 - this.#options.level)) continue;
      const [winner, loser] = difference > 0 || other === undefined ? [column, other] : [other, column];
      const letter = loser === undefined ? (difference > 0 ? "↑" : "↓") : (this.letters[loser] as string);
      const cell = row * this.#width + winner;
      won.set(cell, [...(won.get(cell) ?? []), letter]);
    }
    for (const [at, own] of won) (cells[at] as { letters: string }).letters = joinedLetters(own);
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

  /** Adds a person to each pair of columns that the person is in. */
  #addToPairs(rows: readonly number[], columns: readonly number[], weight: number, isIn: IsIn): void {
    for (let at = 1; at < columns.length; at++) {
      for (let before = 0; before < at; before++) {
        const one = Math.min(columns[before] as number, columns[at] as number);
        const other = Math.max(columns[before] as number, columns[at] as number);
        const group = this.#groupOf[one];
        if (group === -1 || group !== this.#groupOf[other]) continue;
        const pair = this.#pairOf(one * this.#width + other);
        pair.people.add(0, 1, weight, weight ** 2);
        for (const row of rows) {
          const inOne = isIn(row, one);
          const inOther = isIn(row, other);
          if (inOne) increase(pair.one, row, weight);
          if (inOther) increase(pair.other, row, weight);
          if (inOne && inOther) increase(pair.both, row, weight);
          else if (inOne || inOther) increase(pair.unlike, row, 1);
        }
      }
    }
  }

  #pairOf(at: number): Shared {
    const known = this.#shared.get(at);
    if (known !== undefined) return known;
    const list = () => new Float64Array(this.#rowCount);
    const made = { people: new Sums(1), one: list(), other: list(), both: list(), unlike: list() };
    this.#shared.set(at, made);
    return made;
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
      const shared = other === undefined ? undefined : this.#shared.get(one * this.#width + other);
      if (shared === undefined) continue;
      throw unsaidOverlap(shared.people.counts[0] as number, columns[one]?.key, columns[other as number]?.key);
    }
  }

  /** Tests the pairs of columns of a row. */
  #testsOf({ bases, cells }: Tally, row: number, pairs: readonly Pair[]): PairTest[] {
    const sampleOf = (column: number): Sample => {
      const weight = bases.weights[column] as number;
      const share = (cells.weights[row * this.#width + column] as number) / weight;
      return { share, weight, effective: bases.effective(column) };
    };
    const restOf = (column: number): Sample => {
      const { people, rows } = this.#groups[this.#groupOf[column] as number] as Group;
      const weight = (people.weights[0] as number) - (bases.weights[column] as number);
      const squares = (people.squares[0] as number) - (bases.squares[column] as number);
      const there = (rows[row] as number) - (this.#inRow[row * this.#width + column] as number);
      return { share: there / weight, weight, effective: kish(weight, squares) };
    };
    const tests = pairs.flatMap(([column, other]): PairTest[] => {
      const [one, two] = [sampleOf(column), other === undefined ? restOf(column) : sampleOf(other)];
      const least = Math.min(one.effective, two.effective);
      if (!(least > 0 && least >= this.#options.leastBase)) return [];
      const shared = other === undefined ? undefined : this.#shared.get(column * this.#width + other);
      const isApart = shared === undefined || this.#options.overlap !== "account";
      const covariance = isApart
        ? 0
        : (2 * correlation(shared, row) * shared.people.effective(0)) / one.effective / two.effective;
      const z = zOf(one, two, covariance);
      const p = z === null ? null : twoSided(z);
      return [{ row, column, other, difference: one.share - two.share, z, p, corrected: p }];
    });
    const ps = corrected(
      tests.map(({ p }) => p),
      this.#options.correction,
    );
    return tests.map((test, at) => ({ ...test, corrected: ps[at] as number | null }));
  }
}

/** Whether the person who is added is in a cell. */
type IsIn = (row: number, column: number) => boolean;

/** How the answers of the people who are in two columns go together: 1 if all are the same, 0 if one does not vary. */
function correlation({ people, one, other, both, unlike }: Shared, row: number): number {
  const weight = people.weights[0] as number;
  if (!(weight > 0)) return 0;
  if (unlike[row] === 0) return 1;
  const [u, v] = [(one[row] as number) / weight, (other[row] as number) / weight];
  const spread = u * (1 - u) * v * (1 - v);
  return Math.min(u * (1 - u), v * (1 - v)) > 1e-12 ? ((both[row] as number) / weight - u * v) / Math.sqrt(spread) : 0;
}
