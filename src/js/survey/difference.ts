// What has changed between two cross tabulations, such as those of two waves.

import { membersOf } from "../error/passed-object.js";
import { described, refusal, wrongType } from "../error/refusal.js";
import { keyIdentity, placeOf } from "./axis.js";
import type { Cell, CrosstabResult } from "./crosstab.js";

/** Options of {@link difference}. */
export interface DifferenceOptions {
  /**
   * The smallest base of a share that counts: changes with a smaller base before or after have `isSmall`, and come last.
   *
   * @default 30
   */
  readonly leastBase?: number | undefined;
}

/** The share of a cell in one of two cross tabulations. */
export interface Part {
  readonly count: number;
  readonly base: number | null;
  readonly share: number | null;
}

/** How a cell differs between two cross tabulations. */
export interface Change<Row = unknown, Column = unknown> {
  /** The key of its row. */
  readonly row: Row;
  /** The key of its column. */
  readonly column: Column;
  readonly before: Part;
  readonly after: Part;
  /** The share after minus the share before, from −1 to 1; null if one of them is unknown. */
  readonly change: number | null;
  /** How many standard errors the change is away from 0; null if it is unknown, or if nobody or everybody is in both cells. */
  readonly z: number | null;
  /** The probability of a change at least as large in either direction if nothing had changed, from 0 to 1; null without `z`. */
  readonly p: number | null;
  /** Whether a base is smaller than `leastBase`, or unknown. */
  readonly isSmall: boolean;
}

/**
 * Compares two cross tabulations of the same rows and columns, cell by cell: what grew most comes first. A row or a column that one of them lacks has
 * a count of 0 there.
 *
 * `z` and `p` are those of the test of two proportions with a pooled variance. It assumes that the people before and after are two independent random
 * samples, that each is counted once (`distinct: "RespondentKey"`), and that both cells and what is left of their bases have at least 5 each. If the
 * same people answer twice, use a paired test. Of twenty changes without a cause, one has a `p` below 0.05 by chance: if you look at many, require less.
 *
 * @param before of the earlier wave
 * @param after of the later wave
 * @throws TypeError if they count something else, or divide by something else
 * @example
 * import { crosstab, difference } from "inspection-findings/survey";
 *
 * const other = await client.loadTable(43, "sentiment");
 * const options = { distinct: "RespondentKey" } as const;
 * const before = crosstab(table, "TopicGroup", { all: {} }, options);
 * const after = crosstab(other, "TopicGroup", { all: {} }, options);
 * for (const { row, change, p } of difference(before, after).slice(0, 5)) console.log(row, change, p);
 */
export function difference<Row, Column>(
  before: CrosstabResult<Row, Column>,
  after: CrosstabResult<Row, Column>,
  options: DifferenceOptions = {},
): Change<Row, Column>[] {
  const leastBase = leastBaseOf(options);
  for (const member of ["counts", "share"] as const) {
    if (before?.[member] === undefined || before[member] !== after?.[member]) {
      throw refusal(
        `before and after must be two results of crosstab with the same ${member}; got ${described(before?.[member])} and ${described(after?.[member])}`,
      );
    }
  }
  const [earlier, later] = [new Parts(before), new Parts(after)];
  const cells = new Map([...before.cells, ...after.cells].map((cell) => [placeOf(cell), cell]));
  const changes = [...cells.values()].map((cell): Change => {
    const [one, other] = [earlier.of(cell), later.of(cell)];
    const isKnown = one.share !== null && other.share !== null;
    const isSmall = !((one.base ?? 0) >= leastBase && (other.base ?? 0) >= leastBase) || !isKnown;
    const z = isKnown ? standardErrors(one, other) : null;
    const change = isKnown ? (other.share as number) - (one.share as number) : null;
    return {
      row: cell.row,
      column: cell.column,
      before: one,
      after: other,
      change,
      z,
      p: z === null ? null : twoSided(z),
      isSmall,
    };
  });
  const rank = ({ change, isSmall }: Change) => (change === null ? -3 : isSmall ? change - 2 : change + 2);
  return changes.sort((one, other) => rank(other) - rank(one)) as never;
}

/** The cells of a cross tabulation, and the bases of those that it lacks. */
class Parts {
  readonly #cells = new Map<string, Cell>();
  readonly #bases = new Map<string, number | null>();
  readonly #share: string;
  readonly #total: number;

  constructor({ cells, share, total }: CrosstabResult) {
    this.#share = share;
    this.#total = total;
    for (const cell of cells) {
      this.#cells.set(placeOf(cell), cell);
      this.#bases.set(this.#sideOf(cell), cell.base);
    }
  }

  /** The same cell here. */
  of(cell: Cell): Part {
    const own = this.#cells.get(placeOf(cell));
    if (own !== undefined) return { count: own.count, base: own.base, share: own.share };
    const base = this.#share === "total" ? this.#total : (this.#bases.get(this.#sideOf(cell)) ?? 0);
    return { count: 0, base, share: base > 0 ? 0 : null };
  }

  /** The row or the column that a cell shares its base with. */
  #sideOf({ row, column }: Cell): string {
    return keyIdentity(this.#share === "row" ? row : column);
  }
}

/** The change of two proportions in standard errors, with a pooled variance. */
function standardErrors(before: Part, after: Part): number | null {
  const [one, other] = [before.base as number, after.base as number];
  const pooled = (before.count + after.count) / (one + other);
  const error = Math.sqrt(pooled * (1 - pooled) * (1 / one + 1 / other));
  // A base from another source may be smaller than the count.
  return error > 0 ? ((after.share as number) - (before.share as number)) / error : null;
}

/**
 * The probability beyond ±z of the normal distribution: the complementary error function of |z| / √2, by the Chebyshev fit of Numerical Recipes, whose
 * relative error is below 1.2 · 10⁻⁷.
 */
function twoSided(z: number): number {
  const x = Math.abs(z) / Math.SQRT2;
  const t = 1 / (1 + x / 2);
  const coefficients = [
    0.17087277, -0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368,
    -1.26551223,
  ];
  return t * Math.exp(coefficients.reduce((sum, coefficient) => sum * t + coefficient, 0) - x * x);
}

/** Reads the option, and checks it. */
function leastBaseOf(options: DifferenceOptions): number {
  const { leastBase = 30 } = membersOf(options, "options", ["leastBase"]);
  if (typeof leastBase !== "number" || !(leastBase >= 0))
    throw wrongType("leastBase", "a number of at least 0", leastBase);
  return leastBase;
}
