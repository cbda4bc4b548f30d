// What all comparisons have in common: which pairs are tested, z, corrections for many tests, and letters.

import { outOfRange, refusal } from "../../core/argument/refusal.js";
import { textOf } from "./axis.js";
import type { CompareOptions } from "./compare-options.js";
import { rounded } from "./tally.js";

/** A share, and what it is of. */
export interface Sample {
  readonly share: number;
  readonly weight: number;
  readonly effective: number;
}

/** The fewest people to be expected in and out of a cell for the normal distribution to hold (Cochran). */
const LEAST_EXPECTED = 5;

/** The share of two samples together. */
function pooledOf(one: Sample, other: Sample): number {
  return (one.weight * one.share + other.weight * other.share) / (one.weight + other.weight);
}

/** Whether fewer people are to be expected in or out of a cell than the test of two shares needs. */
export function areFew(one: Sample, other: Sample): boolean {
  const pooled = pooledOf(one, other);
  return rounded(Math.min(one.effective, other.effective) * Math.min(pooled, 1 - pooled)) < LEAST_EXPECTED;
}

/**
 * How many standard errors two shares differ by, with a pooled variance; null if both are 0 or 1.
 *
 * @param covariance twice what the people who are in both make of it: their correlation times their effective base, through both effective bases
 */
export function zOf(one: Sample, other: Sample, covariance = 0): number | null {
  const pooled = pooledOf(one, other);
  const spread = pooled * (1 - pooled);
  const variance = spread * (1 / one.effective + 1 / other.effective - covariance);
  return spread > 1e-15 && variance > 1e-15 ? (one.share - other.share) / Math.sqrt(variance) : null;
}

/** Two columns or groups, by their numbers; one alone is compared with all others. */
export type Pair = readonly [number, number | undefined];

/** The maximum number of tests. */
const MAX_TESTS = 1_000_000;

/** The pairs of columns to test in each of some rows: the numbers in the given order. */
export function pairsOf(columns: readonly number[], how: CompareOptions["with"], rowCount = 1): Pair[] {
  const count = rowCount * columns.length * (how === "each" ? (columns.length - 1) / 2 : 1);
  if (count > MAX_TESTS) throw outOfRange("the number of tests", `at most ${MAX_TESTS}`, count);
  if (how === "rest") return columns.length < 2 ? [] : columns.map((column) => [column, undefined]);
  return columns.flatMap((one, at) => {
    const others = how === "first" && at > 0 ? [] : columns.slice(at + 1, how === "previous" ? at + 2 : undefined);
    return others.map((other): Pair => [one, other]);
  });
}

/** The error for people who are in two columns or groups, if `overlap` does not say what happens with them. */
export function unsaidOverlap(people: number, one: unknown, other: unknown): TypeError {
  return refusal(
    `${people} people are in ${textOf(one)} and in ${textOf(other)}: pass overlap "account", or "independent" to test as if they were others`,
  );
}

/** Corrects the probabilities of several tests. Unknown ones do not count. */
export function corrected<Test extends { readonly p: number | null }>(
  tests: readonly Test[],
  how: CompareOptions["correction"],
): (Test & { corrected: number | null })[] {
  const all = tests.map((test) => ({ ...test, corrected: test.p }));
  const known = all.filter(({ p }) => p !== null).sort((one, other) => (one.p as number) - (other.p as number));
  const count = known.length;
  const own = known.map(({ p }, rank) => {
    const factor =
      how === "none" ? 1 : how === "bonferroni" ? count : how === "holm" ? count - rank : count / (rank + 1);
    return Math.min(1, (p as number) * factor);
  });
  // Holm's never decrease with the rank, and those of Benjamini and Hochberg neither.
  if (how === "holm")
    for (let rank = 1; rank < count; rank++) own[rank] = Math.max(own[rank] as number, own[rank - 1] as number);
  if (how === "fdr") {
    for (let rank = count - 2; rank >= 0; rank--) own[rank] = Math.min(own[rank] as number, own[rank + 1] as number);
  }
  for (const [rank, test] of known.entries()) test.corrected = own[rank] as number;
  return all;
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
