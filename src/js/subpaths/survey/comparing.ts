// What crosstab and meanOf ask of a comparison.

import type { CrosstabCell, CrosstabColumn, CrosstabRow, CrosstabTest } from "./crosstab-result.js";
import type { GroupMean } from "./mean-result.js";
import type { Line } from "./rows.js";
import type { EachPerson, Tally } from "./tally.js";

/** The methods of a comparison. */
export interface Comparing {
  /** Begins to compare the columns of a tabulation. */
  readonly columns: (columns: readonly Line[], rowCount: number) => ComparedColumns;
  /** The quantile of the normal distribution of an interval. */
  readonly quantile: number;
  /** Compares the groups at these places, in this order. */
  readonly groups: (groups: readonly Summary[], found: readonly number[], points: readonly Point[]) => ComparedGroup[];
}

/** The columns of a tabulation while they are compared. */
export interface ComparedColumns extends EachPerson {
  /** The letter of each column; null if it is not compared. */
  readonly letters: readonly (string | null)[];
  /** Tests the columns of each row, and writes the letters into the cells. */
  readonly tests: (
    tally: Tally,
    rows: readonly CrosstabRow[],
    columns: readonly CrosstabColumn[],
    cells: readonly ComparedCell[],
  ) => CrosstabTest[];
}

/** A cell, whose letters a comparison writes. */
export type ComparedCell = { -readonly [Name in "isSmall" | "letters" | "smallLetters"]: CrosstabCell[Name] };

/** What a comparison adds to a group. */
export type ComparedGroup = Pick<GroupMean, "letter" | "letters" | "tests">;

/** A group without its comparisons. */
export type Summary = Omit<GroupMean, keyof ComparedGroup>;

/** The mean of a person in a group: those of a person follow one another. */
export type Point = Readonly<Record<"person" | "group" | "mean" | "weight", number>>;
