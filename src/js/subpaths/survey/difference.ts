// What has changed between two cross tabulations, such as those of two waves.

import { membersOf } from "../../core/argument/passed-object.js";
import { described, refusal, typeName, typeOf, wrongType } from "../../core/argument/refusal.js";
import { isObject, memberOf } from "../../core/host/member.js";
import { keyIdentity, textOf } from "./axis.js";
import { leastBaseOf } from "./comparison.js";
import type { CrosstabAxisPart, CrosstabCell, CrosstabResult, CrosstabRow } from "./crosstab-result.js";
import { twoSided } from "./distribution.js";
import { areFew, zOf } from "./tests.js";

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
type Part = Pick<CrosstabCell, "count" | "base" | "share">;

/** How a cell differs between two cross tabulations. */
export interface CrosstabChange<Row = unknown, Column = unknown> {
  /** The key of its row. */
  readonly row: Row;
  /** The key of its column. */
  readonly column: Column;
  readonly before: Part;
  readonly after: Part;
  /** The share after minus the share before, from −1 to 1; null if one of them is unknown. */
  readonly change: number | null;
  /** How many standard errors the change is away from 0; null if it is unknown, if nobody or everybody is in both cells, and where findings are counted. */
  readonly z: number | null;
  /** The probability of a change at least as large in either direction if nothing had changed, from 0 to 1; null without `z`. */
  readonly p: number | null;
  /** Whether a base is smaller than `leastBase`, or unknown, or fewer than 5 are to be expected in or out of a cell, so that `p` does not hold. */
  readonly isSmall: boolean;
}

/**
 * Compares two cross tabulations of the same rows and columns, cell by cell: what grew most comes first. A value that nobody has in one of them has a count
 * of 0 there, so both must show all rows: leave `top` out, and take the first of the changes.
 *
 * `z` and `p` are those of the test of two proportions with a pooled variance, on effective bases. It assumes that the people before and after are two
 * independent random samples. If people may have answered both waves, join the waves and call {@link crosstab} with `compare: letters({ with: "previous" })`. Of
 * twenty changes without a cause, one has a `p` below 0.05 by chance: if you look at many, require less.
 *
 * @param before of the earlier wave
 * @param after of the later wave
 * @throws TypeError if they have other axes or conditions, other nets, or another name of null, count something else, divide by something else, have bases of two kinds, or if
 * one of them leaves rows out
 * @example
 * import { crosstab } from "inspection-findings/survey";
 * import { difference } from "inspection-findings/survey/compare";
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
): CrosstabChange<Row, Column>[] {
  const leastBase = leastBaseOf(membersOf(options, "options", ["leastBase"]), 30);
  checkResult("before", before);
  checkResult("after", after);
  const others = sameOf(after);
  for (const [what, one] of Object.entries(sameOf(before))) {
    const other = others[what];
    if (one !== other)
      throw refusal(`before and after must be two results of crosstab with the same ${what}; got ${one} and ${other}`);
  }
  const [earlier, later] = [placesOf(before), placesOf(after)];
  const isTested = before.counts !== "findings";
  const changes = [...new Map([...earlier.cells, ...later.cells])].map(([place, placed]): CrosstabChange => {
    const [one, other] = [earlier.at(place, placed), later.at(place, placed)];
    const isKnown = one.part.share !== null && other.part.share !== null;
    const z = isKnown && isTested ? zOf(other.sample, one.sample) : null;
    const isLarge = (one.part.base ?? 0) >= leastBase && (other.part.base ?? 0) >= leastBase;
    return {
      row: placed.cell.row,
      column: placed.cell.column,
      before: one.part,
      after: other.part,
      change: isKnown ? other.sample.share - one.sample.share : null,
      z,
      p: z === null ? null : twoSided(z),
      isSmall: !isLarge || !isKnown || (z !== null && areFew(other.sample, one.sample)),
    };
  });
  const rank = ({ change, isSmall }: CrosstabChange) => (change === null ? -3 : isSmall ? change - 2 : change + 2);
  return changes.sort((one, other) => rank(other) - rank(one)) as never;
}

/** A cell, with what tells its row and its column apart from others. */
interface Placed {
  readonly cell: CrosstabCell;
  readonly row: string;
  readonly column: string;
}

/** The cells of a cross tabulation, and what it has in the place of a cell of another one, which it may lack. */
function placesOf(result: CrosstabResult) {
  const { share, total, weighted, effective, leastBase } = result;
  const [rows, columns] = [result.rows, result.columns].map((list) => list.map(identityOf)) as [string[], string[]];
  const list = share === "row" ? result.rows : result.columns;
  const headings = new Map(list.map((heading) => [identityOf(heading), heading]));
  const placed = result.cells.map((cell, at): [place: string, placed: Placed] => {
    const [row, column] = [rows[Math.floor(at / columns.length)] as string, columns[at % columns.length] as string];
    return [`${row} ${column}`, { cell, row, column }];
  });
  const cells = new Map(placed);
  const at = (place: string, { row, column }: Placed) => {
    const own = headings.get(share === "row" ? row : column) ?? { base: 0, weighted: 0, effective: 0 };
    const of = share === "total" ? { base: total, weighted, effective } : own;
    const isHidden = of.base === null || of.base < leastBase || !(of.weighted > 0);
    const cell = cells.get(place)?.cell ?? { count: 0, base: of.base, share: isHidden ? null : 0 };
    const part: Part = { count: cell.count, base: cell.base, share: cell.share };
    return { part, sample: { share: cell.share ?? 0, weight: of.weighted, effective: of.effective } };
  };
  return { cells, at };
}

function identityOf({ of, key }: CrosstabRow): string {
  return JSON.stringify([of, keyIdentity(key)]);
}

/** What two results must have in common, as text: the nets, each with its members, in one order. */
function sameOf({ counts, share, bases, isWeighted, none, axes, rows }: CrosstabResult): Record<string, string> {
  const nets = rows.flatMap(({ key, net }) => (net ? [`${textOf(key)} of ${net.map(textOf).sort().join(", ")}`] : []));
  const plain = Object.entries({ counts, share, bases, isWeighted, none }).map(([name, value]) => [
    name,
    described(value),
  ]);
  const [ofRows, ofColumns] = [axisText(axes.rows), axisText(axes.columns)];
  return { ...Object.fromEntries(plain), rows: ofRows, columns: ofColumns, nets: nets.sort().join("; ") || "none" };
}

function axisText(parts: readonly CrosstabAxisPart[]): string {
  const texts = parts.map(({ of, columns, conditions }) => {
    return `${of === undefined ? "" : `${of}: `}${columns?.join() ?? JSON.stringify(conditions)}`;
  });
  return texts.sort().join("; ");
}

/** Checks that a value is a cross tabulation that shows all rows. */
function checkResult(name: string, given: unknown): void {
  const [cells, leftOut] = isObject(given) ? [memberOf(given, "cells"), memberOf(given, "leftOut")] : [];
  if (!Array.isArray(cells) || typeof leftOut !== "number")
    throw wrongType(name, "a result of crosstab", given, (given) =>
      typeOf(given, typeName(given) === "FindingsTable" ? "pass crosstab(table, rows, columns)" : undefined),
    );
  if (leftOut > 0)
    throw refusal(
      `${name} leaves ${leftOut} rows out, and who is in them is unknown: leave top out of crosstab, and take the first changes`,
    );
}
