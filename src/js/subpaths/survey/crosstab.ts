// Cross tabulations: counts and shares of findings, or of people, by the values of columns or by conditions.

import { described, outOfRange, refusal } from "../../core/argument/refusal.js";
import type { InspectionFinding } from "../../core/table/finding.js";
import type { FindingsTable } from "../../core/table/table.js";
import {
  type AskedAxis,
  type AxisKey,
  type CrosstabAxis,
  type DocumentedAxis,
  hintOf,
  keyIdentity,
  partOf,
  textOf,
  valueOfKey,
} from "./axis.js";
import { type Coded, checkTable, lacks, ofBoth, whoIs } from "./coded-table.js";
import { COMPARING } from "./comparison.js";
import { type BaseFor, type CrosstabOptions, type Question, questionOf } from "./crosstab-options.js";
import type { CrosstabColumn, CrosstabResult } from "./crosstab-result.js";
import { checkOrder } from "./order.js";
import { basesOf, Reading } from "./reading.js";
import { type Line, linesOf, shownRows } from "./rows.js";
import { type Layout, type Sums, type Tally, tallied, totalsOf } from "./tally.js";
import type { Side } from "./walk.js";

/** The quantile of the normal distribution of an interval of 95 %. */
const NORMAL_95 = 1.959963984540054;

/** The maximum number of cells. */
const MAX_CELLS = 1_000_000;

/**
 * Counts findings, or people, by two axes, with totals, shares, and letters. Of a {@link LiveTable}, call it for each snapshot: where findings are counted, only
 * partitions that are new are read; people are counted anew, which takes about 0.4 µs for each finding.
 *
 * @param rows the name of a column, a list of names, or conditions by name
 * @param columns the same
 * @throws RangeError if no finding has a value under one of the names, if `base` lacks a number for a value, if a listed value differs only in case, in
 * spaces at its ends, or as number and text from one of the table that is not listed, or for more than 1 000 000 cells or tests
 * @throws TypeError if a condition or an option is invalid, if a weight is neither 0 nor from 1e-100 to 1e100, if `base` lacks a person or has the person in
 * another column, if columns that are compared share people and `overlap` is not given, or if they are compared in an order that neither their names nor
 * `columnOrder` say
 * @example
 * import { crosstab } from "inspection-findings/survey";
 *
 * const mood = { negative: { Sentiment: { max: -1 } }, positive: { Sentiment: { min: 1 } } };
 * const { cells } = crosstab(table, mood, "TopicGroup", { distinct: "RespondentKey" });
 * for (const { row, column, share, base } of cells) console.log(`${share} of the ${base} people in ${column} are ${row}`);
 */
export function crosstab<
  Finding,
  const Rows extends CrosstabAxis<Finding>,
  const Columns extends CrosstabAxis<Finding>,
  const Distinct extends string,
  Asked = never,
>(
  table: FindingsTable<Finding>,
  rows: Rows & AskedAxis<NoInfer<Finding>, Rows>,
  columns: Columns & AskedAxis<NoInfer<Finding> | NoInfer<Asked>, Columns>,
  options?: CrosstabOptions<Finding, Distinct, Asked> & BaseFor<Finding, Columns>,
): CrosstabResult<AxisKey<Finding, Rows>, AxisKey<Finding, Columns>>;
export function crosstab<
  Finding extends InspectionFinding,
  const Rows extends DocumentedAxis,
  const Columns extends DocumentedAxis,
  const Distinct extends string,
  Asked = never,
>(
  // Topic findings have no field in common with the picked one.
  table: FindingsTable<Finding> & { toArray(): readonly Pick<InspectionFinding, "Sentiment">[] },
  rows: Rows & AskedAxis<InspectionFinding, Rows>,
  columns: Columns & AskedAxis<InspectionFinding | NoInfer<Asked>, Columns>,
  options?: CrosstabOptions<Finding, Distinct, Asked> & BaseFor<InspectionFinding, Columns>,
): CrosstabResult<AxisKey<Finding, Rows>, AxisKey<Finding, Columns>>;
export function crosstab(table: unknown, rows: unknown, columns: unknown, options?: unknown): unknown {
  const own = checkTable(table);
  const question = questionOf(own, rows, columns, options);
  return ofBoth(own, question.asked, () => resultOf(question, new Reading(own, question)));
}

function resultOf(question: Question, reading: Reading): CrosstabResult {
  const { wishes, columnOrder, distinct, share, leastBase, compare, given } = question;
  const { units, people, tableOf } = reading;
  const arePeople = people !== undefined;
  const [rowSide, columnSide] = [reading.rows, reading.columns];
  const columns = linesOf(columnSide, columnOrder, totalsOf(units, "columns", columnSide.size, arePeople), tableOf);
  for (const [number, { names }] of columnSide.blocks.entries()) {
    const keys = columns.flatMap(({ key, block }) => (block === number && valueOfKey(key) !== null ? [key] : []));
    if (names.length > 0) checkOrder(compare?.with, keys, columnOrder, "columnOrder");
  }
  const { order } = wishes;
  const isByColumn = typeof order === "object" && "column" in order;
  // Beside several columns of values, a value that nobody has is in none.
  const isNamed = ({ key }: Line) => isByColumn && keyIdentity(key) === keyIdentity(order.column);
  const only = columns.find(isNamed)?.codes[0];
  const rowTotals = totalsOf(units, "rows", rowSide.size, arePeople, only);
  const { rows, leftOut } = shownRows(linesOf(rowSide, isByColumn ? "total" : order, rowTotals, tableOf), wishes);
  const count = rows.length * columns.length;
  if (count > MAX_CELLS) throw outOfRange("the number of cells", `at most ${MAX_CELLS}`, count);
  const compared = compare?.[COMPARING].columns(columns, rows.length);
  const nameOf = namerOf(question, [...rows, ...columns]);
  const refuse = (person: number, column: number | undefined) => {
    if (column === undefined) throw lacks(people as Coded, person);
    throw refusal(
      `base does not have ${whoIs(people as Coded, person)} in ${textOf(columns[column]?.key)}, where the findings have the person`,
    );
  };
  const layout = layoutOf(rows, columns, rowSide.size, columnSide.size);
  const tally = tallied(units, reading.asked, arePeople, layout, refuse, compared);
  const isKnown = given === undefined ? undefined : setBases(tally, columns, basesOf(given, columnSide));
  const headingOf = ({ key, block, net }: Line, { blocks }: Side, own: Sums, at: number) => {
    const of = blocks[block]?.of;
    const total = own.counts[at] as number;
    return {
      key: nameOf(key),
      ...(of !== undefined && { of }),
      ...(net && { net }),
      total,
      base: total,
      weighted: own.weights[at] as number,
      effective: own.effective(at),
    };
  };
  const rowHeadings = rows.map((line, at) => headingOf(line, rowSide, tally.rows, at));
  const columnHeadings = columns.map((line, at): CrosstabColumn => {
    const heading = headingOf(line, columnSide, tally.bases, at);
    const base = isKnown?.[at] === false ? null : heading.base;
    return { ...heading, base, total: tally.speaking.counts[at] as number, letter: compared?.letters[at] ?? null };
  });
  const total = {
    total: tally.total.counts[0] as number,
    weighted: tally.total.weights[0] as number,
    effective: tally.total.effective(0),
  };
  const quantile = compare?.[COMPARING].quantile ?? NORMAL_95;
  const cells = rowHeadings.flatMap((row, i) =>
    columnHeadings.map((column, j) => {
      const at = i * columns.length + j;
      const of = share === "row" ? row : share === "column" ? column : { ...total, base: total.total };
      const weight = tally.cells.weights[at] as number;
      const own = of.weighted > 0 ? weight / of.weighted : null;
      const [low, high] = own === null || !arePeople ? [null, null] : intervalOf(own, of.effective, quantile);
      return {
        row: row.key,
        column: column.key,
        count: tally.cells.counts[at] as number,
        weighted: weight,
        base: of.base,
        share: own,
        low,
        high,
        isSmall: of.base === null || of.base < leastBase,
        letters: "",
        smallLetters: "",
      };
    }),
  );
  hideSecond(rows, columns.length, cells);
  for (const cell of cells) if (cell.isSmall) cell.share = cell.low = cell.high = null;
  return {
    rows: rowHeadings,
    columns: columnHeadings,
    cells,
    axes: { rows: question.rows.map(partOf), columns: question.columns.map(partOf) },
    leftOut,
    none: question.none ?? null,
    ...total,
    counts: distinct === undefined ? "findings" : distinct.join(),
    share,
    bases: question.asked !== undefined ? "people" : given !== undefined ? "given" : "findings",
    isWeighted: question.weight !== undefined,
    values: question.values,
    leastBase,
    ...(compare && { compare: { ...compare } }),
    tests: compared?.tests(tally, rowHeadings, columnHeadings, cells) ?? [],
  };
}

/** Wilson's interval of a share, on an effective base. */
function intervalOf(share: number, effective: number, quantile: number): [low: number, high: number] {
  const square = quantile ** 2 / effective;
  const half = quantile * Math.sqrt((share * (1 - share)) / effective + square / effective / 4);
  const end = (sign: number) => (share + square / 2 + sign * half) / (1 + square);
  return [share > 0 ? end(-1) : 0, share < 1 ? end(1) : 1];
}

/** Names the key of those without a value. */
function namerOf({ none }: Question, lines: readonly Line[]): (key: unknown) => unknown {
  if (none === undefined) return (key) => key;
  if (lines.some(({ key }) => key === none))
    throw refusal(`none must be a name that no row and no column has; got ${described(none)}`);
  return (key) => key ?? none;
}

/** Where the counts go. */
function layoutOf(rows: readonly Line[], columns: readonly Line[], rowCodes: number, columnCodes: number): Layout {
  const targets = [...Array(rowCodes)].map((): number[] => []);
  for (const [at, { codes }] of rows.entries()) for (const code of codes) targets[code]?.push(at);
  const places = new Int32Array(columnCodes);
  for (const [at, { codes }] of columns.entries()) places[codes[0] as number] = at;
  return { rows: targets, rowCount: rows.length, columns: places, columnCount: columns.length };
}

/** Hides a second row of a net of which one is hidden: nobody shall subtract. */
function hideSecond(
  rows: readonly Line[],
  width: number,
  cells: { base: number | null; count: number; isSmall: boolean }[],
): void {
  for (const [at, { net, codes }] of rows.entries()) {
    if (net === undefined) continue;
    const isMember = new Set(codes);
    const members = rows.flatMap((row, i) =>
      row.net === undefined && isMember.has(row.codes[0] as number) ? [i] : [],
    );
    for (let column = 0; column < width; column++) {
      const own = members.map((i) => cells[i * width + column]);
      const shown = own.filter((cell) => cell?.isSmall === false);
      if (cells[at * width + column]?.isSmall || own.length - shown.length !== 1) continue;
      const [least] = shown.sort(
        (one, other) => (one?.base ?? 0) - (other?.base ?? 0) || (one?.count ?? 0) - (other?.count ?? 0),
      );
      if (least !== undefined) least.isSmall = true;
    }
  }
}

/** Sets the bases of the columns to numbers that were given. Returns for each column whether there is one: null needs none. */
function setBases({ bases, speaking }: Tally, columns: readonly Line[], given: Map<unknown, number>): boolean[] {
  return columns.map(({ key }, at) => {
    const base = given.get(key);
    const count = speaking.counts[at] as number;
    if (base === undefined && key !== null)
      throw new RangeError(
        `base must have a number for each column, and has none for ${described(key)}${hintOf(key, [...given.keys()])}`,
      );
    if (base !== undefined && base < count)
      throw new RangeError(
        `base of ${described(key)} must be at least ${count}, the number that is counted in it; got ${base}`,
      );
    bases.counts[at] = bases.weights[at] = bases.squares[at] = base ?? 0;
    return base !== undefined;
  });
}
