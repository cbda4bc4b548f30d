// What an export keeps: the findings that meet conditions, and some of their columns.

import { isWithin } from "../table/column-path.js";
import type { Conditions } from "../table/queries/conditions.js";
import type { FindingsTable } from "../table/table.js";
import { SOURCE } from "../table/table-source.js";
import type { Partition } from "./format.js";
import { hintOf } from "./name-hint.js";
import { SlipError } from "./slip-error.js";

/** What `--columns` and `--where` say. */
export interface Selected {
  /** The names of the columns to keep; undefined for all. */
  readonly columns: readonly string[] | undefined;
  /** The conditions that a finding has to meet; undefined for all findings. */
  readonly where: Conditions | undefined;
}

export class Selection {
  readonly #columns: readonly string[] | undefined;
  readonly #where: Conditions | undefined;

  constructor({ columns, where }: Selected) {
    this.#columns = columns;
    this.#where = where;
  }

  /** Whether it keeps less than all. */
  get isPart(): boolean {
    return this.#columns !== undefined || this.#where !== undefined;
  }

  /** Whether a column of this name is kept. */
  keeps(name: string): boolean {
    return this.#columns === undefined || this.#columns.some((kept) => isWithin(name, kept));
  }

  /** The columns to write, in the order in which they are named. The name of an object stands for all columns below it. */
  ordered(names: readonly string[]): string[] {
    if (this.#columns === undefined) return [...names];
    return [...new Set(this.#columns.flatMap((kept) => names.filter((name) => isWithin(name, kept))))];
  }

  /**
   * Refuses names and types that none of the findings so far has.
   *
   * @param names of their columns
   * @param others the names of columns that may be missing in all of them
   */
  check(names: readonly string[], others: readonly string[]): void {
    const known = [...new Set([...names, ...others])];
    const unknown = this.#columns?.find((name) => !known.some((one) => isWithin(one, name)));
    if (unknown !== undefined) {
      const hint = hintOf(unknown, known, "the columns of the findings");
      throw new SlipError(
        `no finding has a value in the column ${JSON.stringify(unknown)}, which --columns names${hint}`,
      );
    }
    try {
      this.#where?.check(others);
    } catch (error) {
      throw new SlipError(`--where: ${(error as Error).message}`);
    }
  }

  /** Returns what is kept of a partition. Its table is the same if all is kept. */
  of(partition: Partition): Partition {
    if (!this.isPart) return partition;
    const { index, table, source } = partition;
    if (table.columnsTruncated) {
      throw new SlipError(
        `partition ${index} has findings with fields that have no column, such as repeated keys, which --columns and --where cannot see: ` +
          "export to a .ndjson file without them",
      );
    }
    const found = this.#filtered(table);
    const rows = found === table ? undefined : found[SOURCE]().columns.selectedRows();
    const chosen = rows === undefined ? source : source?.rows(rows);
    if (this.#columns === undefined) return { index, table: found, source: chosen };
    const kept = found.select(this.ordered(found.columns));
    if (found !== table) found.free();
    return { index, table: kept, source: chosen?.select(this.#columns) };
  }

  #filtered(table: FindingsTable<object>): FindingsTable<object> {
    if (this.#where === undefined) return table;
    try {
      return table.filter(this.#where as never);
    } catch (error) {
      // Conditions of integers that the table has rounded.
      if (!(error instanceof TypeError)) throw error;
      throw new SlipError(`--where: ${error.message}`);
    }
  }
}
