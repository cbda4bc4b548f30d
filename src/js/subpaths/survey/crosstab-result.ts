// What a cross tabulation returns.

import type { CompareOptions } from "./compare-options.js";

/** What each count of a {@link CrosstabResult} is divided by: the total of its row, that of its column, or that of the table. */
export type ShareOf = "row" | "column" | "total";

/** A row of a {@link CrosstabResult}. */
export interface CrosstabRow<Key = unknown> {
  /** The value of its column, a list of the values of several columns, the name of its conditions, or of a net. */
  readonly key: Key;
  /** The name that several rows side by side have in common. */
  readonly of?: string;
  /** The keys of the rows that a net unites, or the rest. */
  readonly net?: readonly Key[];
  /**
   * The findings, or the people, of the row, also those in no column: those without a finding that meets a condition of the columns are in no cell, but here.
   * Counted, not added up: a person with two topics is one person.
   */
  readonly total: number;
  /** The base: how many people or findings its shares divide by; null if it is unknown. */
  readonly base: number | null;
  /** The sum of their weights; without weights, their number. */
  readonly weighted: number;
  /** Their effective base (Kish): how many people without weights would make the shares as certain. */
  readonly effective: number;
}

/** A column of a {@link CrosstabResult}. Its `total` has those with a finding in it, also in no row. */
export interface CrosstabColumn<Key = unknown> extends Omit<CrosstabRow<Key>, "net"> {
  /** Its letter; null without `compare`, and for a column that is not compared: that of null, and one that stands alone. */
  readonly letter: string | null;
}

/** A cell of a {@link CrosstabResult}. */
export interface CrosstabCell<Row = unknown, Column = unknown> {
  /** The key of its row. */
  readonly row: Row;
  /** The key of its column. */
  readonly column: Column;
  /** The number of findings, or of people. */
  readonly count: number;
  /** The sum of the weights of these people; without weights, their number. */
  readonly weighted: number;
  /** The base: how many people or findings the share divides by; null for a column without a value, if the option `base` has no number for it. */
  readonly base: number | null;
  /** The weight as a share of the weight of the base, from 0 to 1; null without a base, for a base of 0, and if `isSmall`. */
  readonly share: number | null;
  /**
   * The ends of the interval of the share (Wilson's, on the effective base): of 95 %, or of the option `level` of `compare`. Null where the share is, and
   * where findings are counted.
   */
  readonly low: number | null;
  readonly high: number | null;
  /** Whether the base is smaller than the option `leastBase`, or unknown, or hidden with another row of its net. */
  readonly isSmall: boolean;
  /**
   * The letters of the columns whose share is smaller by more than chance; `"↑"` or `"↓"` with `compare: { with: "rest" }`. A cell that `isSmall` has none and
   * gives none: it would be in the rest of each other column, so with `"rest"` its row has no tests there.
   */
  readonly letters: string;
  /** Those of the letters whose test `isSmall`. */
  readonly smallLetters: string;
}

/** A test of {@link crosstab}: whether the share of a row differs between two columns. */
export interface CrosstabTest<Row = unknown, Column = unknown> {
  readonly row: Row;
  readonly column: Column;
  /** The key of the other column; undefined for all other people. */
  readonly other: Column | undefined;
  /** The name that both columns have in common. */
  readonly of?: string;
  /** The share of the column minus that of the other. */
  readonly difference: number;
  /** How many standard errors the difference is away from 0; null if both shares are 0 or 1. */
  readonly z: number | null;
  /** The probability of a difference at least as large if there were none; null without `z`. */
  readonly p: number | null;
  /** The same, corrected for the tests of the row. */
  readonly corrected: number | null;
  /** Whether fewer than 5 are to be expected in or out of a cell, so that `p` does not hold. */
  readonly isSmall: boolean;
}

/** What the rows or the columns of a {@link CrosstabResult} are, or those with one name of several: values of columns, or conditions. */
export interface CrosstabAxisPart {
  /** The name that they have in common. */
  readonly of?: string;
  /** The names of the columns whose values they are. */
  readonly columns?: readonly string[];
  /** Their conditions by name: a list of alternatives, in which each column has a list of values, or what else the condition asks. */
  readonly conditions?: Readonly<Record<string, readonly Readonly<Record<string, unknown>>[]>>;
}

/** What {@link crosstab} returns: plain data, for a table, Observable Plot or `JSON.stringify`. */
export interface CrosstabResult<Row = unknown, Column = unknown> {
  readonly rows: readonly CrosstabRow<Row>[];
  readonly columns: readonly CrosstabColumn<Column>[];
  /** A cell for each row and column, row by row, those with a count of 0, too. */
  readonly cells: readonly CrosstabCell<Row, Column>[];
  /** What the rows and the columns are. */
  readonly axes: { readonly rows: readonly CrosstabAxisPart[]; readonly columns: readonly CrosstabAxisPart[] };
  /** How many rows the option `top` left out, or united in the rest. */
  readonly leftOut: number;
  /** The name of those without a value; null without the option `none`. */
  readonly none: string | null;
  /** The findings, or the people, of the whole table: those who were asked, with a table as `base`. */
  readonly total: number;
  readonly weighted: number;
  readonly effective: number;
  /** What is counted: findings, or the name of the column whose distinct values are; several names have commas between them. */
  readonly counts: string;
  /** What each count is divided by. */
  readonly share: ShareOf;
  /** Who the bases are: those with a finding, numbers that were given, or the people of a table. */
  readonly bases: "findings" | "given" | "people";
  /** Whether people have weights. */
  readonly isWeighted: boolean;
  /** What a file of it shows: shares, if one of `share`, `base`, `weight` and `compare` was asked for. */
  readonly values: "count" | "share";
  readonly leastBase: number;
  /** How columns were compared. */
  readonly compare?: Required<CompareOptions>;
  /** The tests of each pair of columns, row by row; empty without `compare`. */
  readonly tests: readonly CrosstabTest<Row, Column>[];
}
