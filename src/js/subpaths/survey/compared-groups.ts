// The groups of a mean that are compared: who is in two of them, the tests of each pair, and the letters.

import { refusal } from "../../core/argument/refusal.js";
import type { CompareOptions } from "./compare-options.js";
import type { ComparedGroup, Point, Summary } from "./comparing.js";
import { twoSided, twoSidedT } from "./distribution.js";
import type { MeanTest } from "./mean-result.js";
import { kish } from "./tally.js";
import { corrected, joinedLetters, letterOf, pairsOf, unsaidOverlap } from "./tests.js";

/** Compares the groups at these places, in this order. That of those without a value is not compared. */
export function groupsCompared(
  options: Required<CompareOptions>,
  groups: readonly Summary[],
  found: readonly number[],
  points: readonly Point[],
): ComparedGroup[] {
  if (options.with === "rest") throw refusal('compare of means is with "each", "previous" or "first"');
  const compared = found.filter((at) => groups[at]?.key !== null);
  const letters = new Map(compared.map((at, number) => [at, letterOf(number)]));
  const shared = covariancesOf(groups, points);
  const tests = pairsOf(compared, options.with).flatMap(([one, other]) => {
    const both = shared.get(one * groups.length + (other as number));
    const test = testOf(groups[one] as Summary, groups[other as number] as Summary, both, options);
    return test === undefined ? [] : [{ one, other: other as number, ...test }];
  });
  const won = new Map<number, string[]>();
  const own = new Map(found.map((at) => [at, [] as MeanTest[]]));
  for (const { one, other, ...test } of corrected(tests, options.correction)) {
    own.get(one)?.push({ other: groups[other]?.key, ...test });
    if (test.corrected === null || !(test.corrected < 1 - options.level)) continue;
    const [winner, loser] = test.difference > 0 ? [one, other] : [other, one];
    won.set(winner, [...(won.get(winner) ?? []), letters.get(loser) as string]);
  }
  return found.map((at) => ({
    letter: letters.get(at) ?? null,
    letters: joinedLetters(won.get(at) ?? []),
    tests: own.get(at) as MeanTest[],
  }));
}

/** The people who are in two groups: their number and weights, and the products of their distances from both means. */
const NOBODY = { people: 0, weight: 0, squares: 0, one: 0, other: 0, oneSquared: 0, otherSquared: 0, product: 0 };

type Covariance = typeof NOBODY;

function covariancesOf(groups: readonly Summary[], points: readonly Point[]): Map<number, Covariance> {
  const shared = new Map<number, Covariance>();
  const add = (one: Point, other: Point) => {
    const place = one.group * groups.length + other.group;
    const sums = shared.get(place) ?? { ...NOBODY };
    shared.set(place, sums);
    const { weight } = one;
    const [x, y] = [one, other].map(({ mean, group }) => mean - (groups[group] as Summary).mean) as [number, number];
    sums.people++;
    sums.weight += weight;
    sums.squares += weight ** 2;
    sums.one += weight * x;
    sums.other += weight * y;
    sums.oneSquared += weight * x * x;
    sums.otherSquared += weight * y * y;
    sums.product += weight * x * y;
  };
  for (let start = 0, end = 1; start < points.length; start = end) {
    for (end = start + 1; points[end]?.person === points[start]?.person; ) end++;
    const own = points.slice(start, end);
    for (const one of own) for (const other of own) if (one !== other) add(one, other);
  }
  return shared;
}

/** Tests two groups; undefined if one has no spread because it is of one person. Without any spread in both, nothing says how likely a difference is. */
function testOf(
  one: Summary,
  other: Summary,
  both: Covariance | undefined,
  { overlap, leastBase }: Required<CompareOptions>,
): Omit<MeanTest, "other" | "corrected"> | undefined {
  if (both !== undefined && overlap === undefined) throw unsaidOverlap(both.people, one.key, other.key);
  const [first, second] = [one.sd, other.sd];
  if (first === null || second === null || Math.min(one.effective, other.effective) < leastBase) return undefined;
  const difference = one.mean - other.mean;
  const [a, b] = [first ** 2 / one.effective, second ** 2 / other.effective];
  const isShared = both !== undefined && overlap === "account";
  const common = isShared ? correlation(both, first, second) * kish(both.people, both.weight, both.squares) : 0;
  const variance = a + b - (2 * common * first * second) / one.effective / other.effective;
  // Nobody differs from the others but for what sums of fractions lose.
  if (!(variance > 1e-13 * (a + b))) return { difference, t: null, freedom: null, p: null };
  const t = difference / Math.sqrt(variance);
  if (isShared) return { difference, t, freedom: null, p: twoSided(t) };
  const freedom = (a + b) ** 2 / (a ** 2 / (one.effective - 1) + b ** 2 / (other.effective - 1));
  return { difference, t, freedom, p: twoSidedT(t, freedom) };
}

/** How the means of the people in both groups go together; 0 if one does not vary, measured by the standard deviations of the groups. */
function correlation(both: Covariance, first: number, second: number): number {
  const { people, weight, one, other, oneSquared, otherSquared, product } = both;
  if (people < 2 || !(weight > 0)) return 0;
  const [x, y] = [oneSquared - one ** 2 / weight, otherSquared - other ** 2 / weight];
  const areVaried = x > 1e-12 * weight * first ** 2 && y > 1e-12 * weight * second ** 2;
  return areVaried ? (product - (one * other) / weight) / Math.sqrt(x * y) : 0;
}
