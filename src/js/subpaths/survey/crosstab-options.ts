// What the caller wants of a cross tabulation, checked.

import { entriesOf, itemsOf, membersOf } from "../../core/argument/passed-object.js";
import { described, refusal, typeName, typeOf, wrongType } from "../../core/argument/refusal.js";
import { isObject } from "../../core/host/member.js";
import type { AskedName, ColumnValue } from "../../core/table/column-name.js";
import type { Widened } from "../../core/table/queries/condition.js";
import type { FindingsTable } from "../../core/table/table.js";
import { axisOf, nameOrNames } from "./axis.js";
import { type AnyTable, checkTable } from "./coded-table.js";
import { type Comparison, comparisonOf, leastBaseOf } from "./comparison.js";
import type { ShareOf } from "./crosstab-result.js";
import type { KeyOrder } from "./order.js";
import { netsOf, orderOf, topOf } from "./rows.js";
import { weightOf } from "./weights.js";

/** Options of {@link crosstab}. */
export interface CrosstabOptions<Finding = unknown, Distinct extends string = string, Asked = unknown> {
  /**
   * The name of a column whose distinct values are counted instead of findings, such as `"RespondentKey"` for people. A list of names
   * counts the distinct combinations, such as `["Wave", "RespondentKey"]` for people of joined waves. Missing and null are no values.
   *
   * @default undefined, which counts findings
   */
  readonly distinct?: AskedName<Finding, Distinct> | readonly AskedName<Finding, Distinct>[] | undefined;
  /**
   * What each count is divided by.
   *
   * @default "column"
   */
  readonly share?: ShareOf | undefined;
  /**
   * The people who were asked: those who said nothing have no finding. A table of people, with a row for each person or interview, has the columns of `distinct` and
   * those of the axis `columns`; the findings need not have the latter. Or an object or a `Map` of numbers, by the value of the column or by the name of its
   * conditions; these go with `share: "column"` and with columns of one name or of conditions.
   *
   * @default undefined, which means the people who have a finding
   */
  readonly base?: FindingsTable<Asked> | Readonly<Record<string, number>> | ReadonlyMap<unknown, number> | undefined;
  /**
   * The weight of each person: the name of a column of the table `base`, or else of this table, or a `Map` by person. Needs `distinct` with one name. Shares
   * are then those of the weights, and tests use effective bases.
   *
   * @default undefined, which means 1
   */
  readonly weight?: string | ReadonlyMap<unknown, number> | undefined;
  /**
   * Rows that unite values of the rows: lists of values, by the name of the net. A person who is in two of them is one person. Needs rows of one name. A value
   * that nobody has is a row of 0, here and in `order` and `columnOrder`. Where an axis has the values of several columns, it gets no row.
   */
  readonly nets?: Readonly<Record<string, readonly unknown[]>> | undefined;
  /**
   * The order of the rows: the largest `"total"` first, as `"given"` (conditions, or the first occurrence of a value), the largest share of a column first,
   * or a list of values that come first. Null is the last row, unless the list has it.
   *
   * @default the order that the names say: numbers, bands, dates, months, periods with a year, and versions; others by their total; conditions as given
   */
  readonly order?: "total" | "given" | { readonly column: unknown } | readonly unknown[] | undefined;
  /** The order of the columns, as `order` has that of the rows. `compare` with `"previous"` or `"first"` needs it where their names say no order. */
  readonly columnOrder?: "total" | "given" | readonly unknown[] | undefined;
  /** How many rows to show, besides nets, their members, the rest, and null. Needs rows of one name. */
  readonly top?: number | undefined;
  /** The name of a row that unites the rows beyond `top`. Without a name, they are left out. */
  readonly rest?: string | undefined;
  /** The key of the row and the column of those whose value is null or missing. */
  readonly none?: string | undefined;
  /**
   * The smallest base whose shares are shown: below it, a share is null, and its cell `isSmall`. If it hides one row of a net, it hides a second one, so
   * that nobody can subtract.
   *
   * @default 0
   */
  readonly leastBase?: number | undefined;
  /**
   * Compares the columns of each row: a cell gets the letter of each column whose share is smaller by more than chance. Pass a result of
   * {@link letters}. Needs `distinct`.
   *
   * @default undefined, which compares nothing
   */
  readonly compare?: Comparison | undefined;
}

/** The bases that fit columns: the keys of an object are strings, which no number and no boolean equals. */
export type BaseFor<Finding, Columns> = Columns extends string
  ? string extends Widened<ColumnValue<Finding, Columns>>
    ? unknown
    : { readonly base?: FindingsTable<unknown> | ReadonlyMap<unknown, number> | undefined }
  : unknown;

/** @internal What is asked, checked. */
export type Question = ReturnType<typeof questionOf>;

const OPTIONS = "distinct share base weight nets order columnOrder top rest none leastBase compare".split(
  " ",
) as (keyof CrosstabOptions)[];

/** @internal Reads each argument and option once, and checks it. */
export function questionOf(table: AnyTable, rows: unknown, columns: unknown, options: unknown) {
  if (options === undefined && isObject(columns) && !Array.isArray(columns)) {
    const names = Object.keys(columns);
    if (names.length > 0 && names.every((name) => OPTIONS.some((option) => option === name))) {
      throw refusal(
        "columns is missing: call crosstab(table, rows, columns, options), with { all: {} } for a single column",
      );
    }
  }
  const axes = { rows: axisOf(table, "rows", rows), columns: axisOf(table, "columns", columns) };
  const read = membersOf(options ?? {}, "options", OPTIONS);
  const { share = "column", none } = read;
  const distinct = read.distinct === undefined ? undefined : nameOrNames("distinct", read.distinct);
  if (share !== "row" && share !== "column" && share !== "total")
    throw wrongType("share", '"row", "column" or "total"', share);
  if (none !== undefined && typeof none !== "string") throw wrongType("none", "a text", none);
  const asked = isTable(read.base) ? checkTable(read.base, "base") : undefined;
  const given = read.base === undefined || asked !== undefined ? undefined : numbersOf(read.base, none);
  const weight = weightOf(read.weight, distinct, "distinct");
  const compare = comparisonOf(read.compare);
  // Those without a value have the key null, however they are called.
  const keyOf = (key: unknown) => (key === none ? null : key);
  const listOf = (order: KeyOrder) => (typeof order === "object" ? order.map(keyOf) : order);
  const orderOfRows = () => {
    if (!isObject(read.order) || typeName(read.order) !== "object") return listOf(orderOf("order", read.order));
    const { column } = membersOf(read.order, "order", ["column"]);
    if (column === undefined) throw wrongType("column of order", "the key of a column", column);
    return { column: keyOf(column) };
  };
  const nets = netsOf(read.nets).map(([name, members]) => [name, members.map(keyOf)] as const);
  const wishes = { order: orderOfRows(), nets, ...topOf(read.top, read.rest) };
  const isNamed = axes.rows.length === 1 && axes.rows[0]?.isSingle;
  if (!isNamed && (wishes.nets.length > 0 || wishes.top !== undefined))
    throw refusal("nets and top need rows of one name");
  if (asked !== undefined && distinct === undefined)
    throw refusal("a table as base needs distinct, the column of the people");
  if (given !== undefined) {
    if (share !== "column")
      throw refusal(`base divides the counts of columns: leave share out, or pass "column"; got ${described(share)}`);
    const [block] = axes.columns;
    if (axes.columns.length !== 1 || (block?.names.length ?? 0) > 1)
      throw refusal("base needs columns of one name, or conditions by name");
    if (compare?.with === "rest" || compare?.overlap === "account")
      throw refusal("compare needs to know who is in a base: pass a table of people as base");
    if (weight !== undefined)
      throw refusal("weight needs the people of a base: pass their table as base, or leave base out");
  }
  if (compare !== undefined && distinct === undefined)
    throw refusal("compare needs distinct, the column of the people: a person with ten findings is no ten people");
  if (compare !== undefined && share !== "column") throw refusal("compare tests shares of columns: leave share out");
  const isShare = [read.share, read.base, read.weight, read.compare].some((option) => option !== undefined);
  return {
    ...axes,
    distinct,
    share,
    asked,
    given,
    weight,
    wishes,
    columnOrder: listOf(orderOf("columnOrder", read.columnOrder)),
    none,
    leastBase: leastBaseOf(read),
    compare,
    values: isShare ? "share" : "count",
  } as const;
}

/** Whether a base is a table, or something that was meant to be one. */
function isTable(base: unknown): boolean {
  return /^(FindingsTable|LiveTable|promise|array)$/.test(typeName(base)) || (isObject(base) && isObject(base.table));
}

/** Copies the numbers of bases. */
function numbersOf(given: unknown, none: unknown): [unknown, number][] {
  const isMap = typeName(given) === "Map";
  const entries = isMap
    ? (itemsOf(given, "base") as [unknown, unknown][])
    : entriesOf(given, "base", "a FindingsTable of people, or an object or a Map of numbers");
  return entries.map(([key, base]) => {
    if (typeof base !== "number" || !(base >= 0 && base <= 1e100))
      throw wrongType(`base of ${described(key)}`, "a number from 0 to 1e100", base, (base) =>
        typeof base === "number" ? String(base) : typeOf(base),
      );
    return [key === none ? null : key, base];
  });
}
