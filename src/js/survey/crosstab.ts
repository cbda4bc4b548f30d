// Cross tabulations: counts and shares of findings, or of people, by the values of columns or by conditions.

import { entriesOf, itemsOf, membersOf } from "../error/passed-object.js";
import { described, outOfRange, refusal, typeName, wrongType } from "../error/refusal.js";
import type { AnyColumnName } from "../table/column-name.js";
import type { FindingsTable } from "../table/table.js";
import {
  type AnyTable,
  type Axis,
  type AxisKey,
  axisOf,
  bothOf,
  type CheckedAxis,
  countIn,
  countOf,
  countsOf,
  type Distinct,
  keyIdentity,
  placeOf,
  within,
} from "./axis.js";

/** What each count of a {@link CrosstabResult} is divided by: the total of its row, that of its column, or that of the table. */
export type ShareOf = "row" | "column" | "total";

/** Options of {@link crosstab}. */
export interface CrosstabOptions<Finding = unknown> {
  /**
   * The name of a column whose distinct values are counted instead of findings, such as `"RespondentKey"` for people. A list of names
   * counts the distinct combinations, such as `["Wave", "RespondentKey"]` for people of joined waves. Missing and null are no values.
   *
   * @default undefined, which counts findings
   */
  readonly distinct?: AnyColumnName<Finding> | readonly AnyColumnName<Finding>[] | undefined;
  /**
   * What each count is divided by.
   *
   * @default "column"
   */
  readonly share?: ShareOf | undefined;
  /**
   * How many people, or whatever is counted, there are in each column, from another source: the findings have nobody who said
   * nothing. An object or a `Map`, by the value of the column or by the name of its conditions. The shares of a column are then
   * shares of this number. A column in which no finding is gets zeros. Goes with `share: "column"` and with columns of one name or
   * of conditions.
   *
   * @default undefined, which means the totals of the table
   */
  readonly base?: Readonly<Record<string, number>> | ReadonlyMap<unknown, number> | undefined;
  /**
   * The smallest base of a share that one should show: cells with a smaller one have `isSmall`.
   *
   * @default 0
   */
  readonly leastBase?: number | undefined;
}

/** A row or a column of a {@link CrosstabResult}. */
export interface Heading<Key = unknown> {
  /** The value of its column, a list of the values of several columns, or the name of its conditions. */
  readonly key: Key;
  /** The findings, or the distinct values, in all its cells. Counted, not added up: a person with two topics is one person. */
  readonly total: number;
}

/** A cell of a {@link CrosstabResult}. */
export interface Cell<Row = unknown, Column = unknown> {
  /** The key of its row. */
  readonly row: Row;
  /** The key of its column. */
  readonly column: Column;
  /** The number of findings, or of distinct values. */
  readonly count: number;
  /** What the count is divided by; null for a column without a value, if the option `base` has no number for it. */
  readonly base: number | null;
  /** The count as a share of the base, from 0 to 1; null without a base, and for a base of 0. */
  readonly share: number | null;
  /** Whether the base is smaller than the option `leastBase`, or unknown. */
  readonly isSmall: boolean;
}

/** What {@link crosstab} returns: plain data, for a table, Observable Plot or `JSON.stringify`. */
export interface CrosstabResult<Row = unknown, Column = unknown> {
  /** The rows: conditions in the given order, values with the largest total first. */
  readonly rows: readonly Heading<Row>[];
  /** The columns, in an order like that of the rows. With `base`, columns without findings come last. */
  readonly columns: readonly Heading<Column>[];
  /** A cell for each row and column, row by row, those with a count of 0, too. */
  readonly cells: readonly Cell<Row, Column>[];
  /** The findings, or the distinct values, of the whole table. */
  readonly total: number;
  /** What is counted: findings, or the name of the column whose distinct values are; several names have commas between them. */
  readonly counts: string;
  /** What each count is divided by. */
  readonly share: ShareOf;
}

/** The maximum number of cells. */
const MAX_CELLS = 1_000_000;

/** What is divided by what, checked. */
interface Reading {
  readonly distinct: Distinct | undefined;
  readonly share: ShareOf;
  readonly base: ReadonlyMap<string, readonly [key: unknown, base: number]> | undefined;
  readonly leastBase: number;
}

/**
 * Counts findings, or people, by two axes, with totals and shares. Of a {@link LiveTable}, call it for each snapshot: only partitions that are new are
 * counted.
 *
 * @param rows the name of a column, a list of names, or conditions by name
 * @param columns the same
 * @throws RangeError if no finding has a value under one of the names, if `base` lacks a number for a value, or for more than 1 000 000 cells
 * @throws TypeError if a condition or an option is invalid
 * @example
 * import { crosstab } from "inspection-findings/survey";
 *
 * const mood = { negative: { Sentiment: { max: -1 } }, positive: { Sentiment: { min: 1 } } };
 * const { cells } = crosstab(table, mood, "TopicGroup", { distinct: "RespondentKey" });
 * for (const { row, column, share, base } of cells) console.log(`${share} of the ${base} people in ${column} are ${row}`);
 */
export function crosstab<Finding, const Rows extends Axis<Finding>, const Columns extends Axis<Finding>>(
  table: FindingsTable<Finding>,
  rows: Rows,
  columns: Columns,
  options: CrosstabOptions<Finding> = {},
): CrosstabResult<AxisKey<Finding, Rows>, AxisKey<Finding, Columns>> {
  const [rowAxis, columnAxis] = [axisOf("rows", rows), axisOf("columns", columns)];
  const reading = readingOf(options, columnAxis);
  const { distinct, share } = reading;
  const any = table as AnyTable;
  const rowHeadings = headingsOf(any, rowAxis, distinct);
  const columnHeadings = withBases(headingsOf(any, columnAxis, distinct), reading);
  if (rowHeadings.length * columnHeadings.length > MAX_CELLS) {
    throw outOfRange("the number of cells", `at most ${MAX_CELLS}`, rowHeadings.length * columnHeadings.length);
  }
  const total = countOf(any, distinct);
  const counts = cellCounts(any, rowAxis, columnAxis, distinct);
  const cells = rowHeadings.flatMap((row) =>
    columnHeadings.map((column) => {
      const count = counts.get(placeOf({ row: row.key, column: column.key })) ?? 0;
      const base = share === "row" ? row.total : share === "total" ? total : column.base;
      const isKnown = base !== null && base > 0;
      return {
        row: row.key,
        column: column.key,
        count,
        base,
        share: isKnown ? count / base : null,
        isSmall: base === null || base < reading.leastBase,
      };
    }),
  );
  const plain = columnHeadings.map(({ key, total }) => ({ key, total }));
  return {
    rows: rowHeadings,
    columns: plain,
    cells,
    total,
    counts: distinct === undefined ? "findings" : String(distinct),
    share,
  } as never;
}

function headingsOf(table: AnyTable, axis: CheckedAxis, distinct: Distinct | undefined): Heading[] {
  return countsOf(table, axis, distinct).map(([key, total]) => ({ key, total }));
}

/** The bases of the columns, and the columns of which only the base is known. */
function withBases(headings: Heading[], { base }: Reading): (Heading & { base: number | null })[] {
  if (base === undefined) return headings.map((heading) => ({ ...heading, base: heading.total }));
  const known = headings.map((heading) => ({ ...heading, base: baseOf(heading.key, base) }));
  const keys = new Set(headings.map(({ key }) => baseIdentity(key)));
  const others = [...base].filter(([identity]) => !keys.has(identity));
  return [...known, ...others.map(([, [key, base]]) => ({ key, total: 0, base }))];
}

function baseOf(key: unknown, base: NonNullable<Reading["base"]>): number | null {
  const found = base.get(baseIdentity(key));
  if (found !== undefined) return found[1];
  if (key === undefined || key === null) return null;
  const similar = [...base.values()].find(
    ([other]) => String(other).trim().toLowerCase() === String(key).trim().toLowerCase(),
  );
  const question = similar === undefined ? "" : ` (did you mean ${described(similar[0])}?)`;
  throw outOfRange("base", `an object with a number for each value of the columns${question}`, String(key));
}

/** The name of a key in `base`: an object has only texts as keys. */
function baseIdentity(key: unknown): string {
  return typeof key === "string" ? key : keyIdentity(key);
}

/** The number in each cell, by its place. */
function cellCounts(
  table: AnyTable,
  rows: CheckedAxis,
  columns: CheckedAxis,
  distinct: Distinct | undefined,
): Map<string, number> {
  const counts = new Map<string, number>();
  const note = (row: unknown, column: unknown, count: number) => counts.set(placeOf({ row, column }), count);
  const { names } = rows;
  if (names === undefined) {
    for (const [row, where] of rows.conditions) {
      within(table, where, (view) => {
        for (const [column, more] of columns.conditions) {
          // On all findings where that is possible: a live table then counts only what is new.
          const both = bothOf(where, more);
          note(row, column, both === undefined ? countIn(view, more, distinct) : countIn(table, both, distinct));
        }
        if (columns.names === undefined) return;
        for (const [column, count] of countsOf(view, columns, distinct)) note(row, column, count);
      });
    }
  } else if (columns.names === undefined) {
    for (const [column, where] of columns.conditions) {
      within(table, where, (view) => {
        for (const [row, count] of countsOf(view, rows, distinct)) note(row, column, count);
      });
    }
  } else {
    const both = { names: [...names, ...columns.names], conditions: [], isSingle: false };
    for (const [key, count] of countsOf(table, both, distinct) as readonly (readonly [unknown[], number])[]) {
      const [row, column] = [key.slice(0, names.length), key.slice(names.length)];
      note(rows.isSingle ? row[0] : row, columns.isSingle ? column[0] : column, count);
    }
  }
  return counts;
}

/** Reads each option once, and checks it. */
function readingOf(options: CrosstabOptions, columns: CheckedAxis): Reading {
  const given = membersOf(options, "options", ["distinct", "share", "base", "leastBase"]);
  const { share = "column", base, leastBase = 0 } = given;
  const distinct = distinctOf(given.distinct);
  if (share !== "row" && share !== "column" && share !== "total")
    throw wrongType("share", '"row", "column" or "total"', share);
  if (typeof leastBase !== "number" || !(leastBase >= 0))
    throw wrongType("leastBase", "a number of at least 0", leastBase);
  if (base === undefined) return { distinct, share, base, leastBase };
  if (share !== "column")
    throw refusal(`base divides the counts of columns: leave share out, or pass "column"; got ${described(share)}`);
  if (columns.names !== undefined && !columns.isSingle)
    throw refusal("base needs columns of one name, or conditions by name");
  return { distinct, share, base: basesOf(base), leastBase };
}

/** Copies a name, or a list of names. */
function distinctOf(given: unknown): Distinct | undefined {
  const names = Array.isArray(given) ? Array.from(given) : given;
  const isRight = Array.isArray(names) ? names.every((name) => typeof name === "string") : typeof names === "string";
  if (names === undefined || isRight) return names as Distinct | undefined;
  throw wrongType("distinct", "the name of a column, or a list of names", names);
}

function basesOf(given: unknown): NonNullable<Reading["base"]> {
  const isMap = typeName(given) === "Map";
  const entries = isMap
    ? (itemsOf(given, "base") as [unknown, unknown][])
    : entriesOf(given, "base", "an object or a Map of numbers");
  return new Map(
    entries.map(([key, base]) => {
      if (typeof base !== "number" || !(base >= 0))
        throw wrongType(`base of ${described(key)}`, "a number of at least 0", base);
      return [baseIdentity(key), [key, base]];
    }),
  );
}
