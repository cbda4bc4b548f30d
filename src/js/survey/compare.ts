// Which columns of a row differ by more than chance: z tests on effective bases, corrections for many tests, and letters.

import { outOfRange } from "../argument/refusal.js";
import { twoSided } from "./distribution.js";
import { kish, type Shared, type Tally } from "./tally.js";

/** How columns are compared, checked. */
export interface Comparison {
  /** With which other columns each is compared. */
  readonly with: "each" | "previous" | "first" | "rest";
  /** The certainty of a letter, such as 0.95. */
  readonly level: number;
  readonly correction: "none" | "holm" | "bonferroni" | "fdr";
  /** What happens with people who are in two columns. */
  readonly overlap: "account" | "independent" | undefined;
  /** The smallest effective base of a column that is compared. */
  readonly leastBase: number;
}

/** A test of two columns of a row, by their numbers. */
export interface PairTest {
  readonly row: number;
  readonly column: number;
  /** The other column; undefined for all others than the first. */
  readonly other: number | undefined;
  readonly difference: number;
  readonly z: number | null;
  readonly p: number | null;
  readonly corrected: number | null;
}

/** A share, and what it is of. */
export interface Sample {
  readonly share: number;
  readonly weight: number;
  readonly effective: number;
}

/**
 * How many standard errors two shares differ by, with a pooled variance; null if both are 0 or 1.
 *
 * @param covariance twice what the people who are in both make of it: their correlation times their effective base, through both effective bases
 */
export function zOf(one: Sample, other: Sample, covariance = 0): number | null {
  const pooled = (one.weight * one.share + other.weight * other.share) / (one.weight + other.weight);
  const spread = pooled * (1 - pooled);
  const variance = spread * (1 / one.effective + 1 / other.effective - covariance);
  return spread > 1e-15 && variance > 1e-15 ? (one.share - other.share) / Math.sqrt(variance) : null;
}

/** The maximum number of cells, and of tests. */
const MAX_CELLS = 1_000_000;

export function checkCount(what: string, count: number): void {
  if (count > MAX_CELLS) throw outOfRange(what, `at most ${MAX_CELLS}`, count);
}

/** The pairs of columns to test in each of some rows: the numbers in the given order. */
export function pairsOf(
  columns: readonly number[],
  how: Comparison["with"],
  rowCount = 1,
): [number, number | undefined][] {
  checkCount("the number of tests", rowCount * columns.length * (how === "each" ? (columns.length - 1) / 2 : 1));
  if (how === "rest") return columns.length < 2 ? [] : columns.map((column) => [column, undefined]);
  return columns.flatMap((one, at) => {
    const others = how === "first" && at > 0 ? [] : columns.slice(at + 1, how === "previous" ? at + 2 : undefined);
    return others.map((other): [number, number] => [one, other]);
  });
}

/** Tests the pairs of columns of a row. */
export function testsOf(
  tally: Tally,
  row: number,
  pairs: readonly (readonly [number, number | undefined])[],
  comparison: Comparison,
  { rowCount, columnCount, groups }: { rowCount: number; columnCount: number; groups: Int32Array },
): PairTest[] {
  const { bases, cells } = tally;
  const sampleOf = (column: number): Sample => {
    const weight = bases.weights[column] as number;
    const share = (cells.weights[row * columnCount + column] as number) / weight;
    return { share, weight, effective: bases.effective(column) };
  };
  const restOf = (column: number): Sample => {
    const group = groups[column] as number;
    const weight = (tally.groups.weights[group] as number) - (bases.weights[column] as number);
    const squares = (tally.groups.squares[group] as number) - (bases.squares[column] as number);
    const there =
      (tally.groupRows[group * rowCount + row] as number) - (tally.inRow[row * columnCount + column] as number);
    return { share: there / weight, weight, effective: kish(weight, squares) };
  };
  const tests = pairs.flatMap(([column, other]): PairTest[] => {
    const [one, two] = [sampleOf(column), other === undefined ? restOf(column) : sampleOf(other)];
    const least = Math.min(one.effective, two.effective);
    if (!(least > 0 && least >= comparison.leastBase)) return [];
    const shared = other === undefined ? undefined : tally.shared.get(column * columnCount + other);
    const isApart = shared === undefined || comparison.overlap !== "account";
    const covariance = isApart
      ? 0
      : (2 * correlation(shared, row) * shared.people.effective(0)) / one.effective / two.effective;
    const z = zOf(one, two, covariance);
    const p = z === null ? null : twoSided(z);
    return [{ row, column, other, difference: one.share - two.share, z, p, corrected: p }];
  });
  const ps = corrected(
    tests.map(({ p }) => p),
    comparison.correction,
  );
  return tests.map((test, at) => ({ ...test, corrected: ps[at] as number | null }));
}

/** How the answers of the people who are in two columns go together: 1 if all are the same, 0 if one does not vary. */
function correlation({ people, one, other, both, unlike }: Shared, row: number): number {
  const weight = people.weights[0] as number;
  if (!(weight > 0)) return 0;
  if (unlike[row] === 0) return 1;
  const [u, v] = [(one[row] as number) / weight, (other[row] as number) / weight];
  const spread = u * (1 - u) * v * (1 - v);
  return Math.min(u * (1 - u), v * (1 - v)) > 1e-12 ? ((both[row] as number) / weight - u * v) / Math.sqrt(spread) : 0;
}

/** Corrects the probabilities of several tests. Unknown ones do not count. */
export function corrected(ps: readonly (number | null)[], how: Comparison["correction"]): (number | null)[] {
  const known = ps.flatMap((p, at) => (p === null ? [] : [{ p, at }])).sort((one, other) => one.p - other.p);
  const count = known.length;
  const own = known.map(({ p }, rank) => {
    const factor =
      how === "none" ? 1 : how === "bonferroni" ? count : how === "holm" ? count - rank : count / (rank + 1);
    return Math.min(1, p * factor);
  });
  // Holm's never decrease with the rank, and those of Benjamini and Hochberg neither.
  if (how === "holm")
    for (let rank = 1; rank < count; rank++) own[rank] = Math.max(own[rank] as number, own[rank - 1] as number);
  if (how === "fdr") {
    for (let rank = count - 2; rank >= 0; rank--) own[rank] = Math.min(own[rank] as number, own[rank + 1] as number);
  }
  const result = ps.map((): number | null => null);
  for (const [rank, { at }] of known.entries()) result[at] = own[rank] as number;
  return result;
}

/** The letter of a column: A to Z, AA and so on. */
export function letterOf(number: number): string {
  const last = String.fromCharCode(65 + (number % 26));
  return number < 26 ? last : letterOf(Math.floor(number / 26) - 1) + last;
}

/** The letters of several columns as one text. */
export function joinedLetters(letters: readonly string[]): string {
  return [...letters]
    .sort((one, other) => one.length - other.length || (one < other ? -1 : 1))
    .join(letters.some(({ length }) => length > 1) ? " " : "");
}
