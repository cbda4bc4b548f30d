// What an export keeps: the findings that meet conditions, and some of their columns.

import { isWithin } from "../core/table/column-path.js";
import { Conditions } from "../core/table/queries/conditions.js";
import type { FindingsTable } from "../core/table/table.js";
import { SOURCE } from "../core/table/table-source.js";
import { documentedColumns } from "./common-schema.js";
import type { Partition } from "./format.js";
import { SlipError } from "./slip-error.js";

/** What `--columns` and `--where` say. */
export interface Selected {
  /** The names of the columns to keep; undefined for all. */
  readonly columns: readonly string[] | undefined;
  /** The conditions that a finding has to meet; undefined for all findings. */
  readonly where: Conditions | undefined;
}

/** Names in the command line, each that of a column. */
export class Names {
  readonly #option: string;
  readonly #conditions: Conditions;

  /** @param option the option that has the names */
  constructor(option: string, names: readonly string[]) {
    this.#option = option;
    this.#conditions = new Conditions(Object.fromEntries(names.map((name) => [name, { missing: true }])), true);
  }

  /** Notes which names some findings lack. */
  ask(table: FindingsTable<object>): void {
    const { columns, column: values } = table[SOURCE]();
    this.#conditions.ask({ columns, values });
  }

  /**
   * Refuses a name that none of the findings so far has.
   *
   * @param others the names of columns that may be missing in all of them
   */
  check(others: readonly string[] = []): void {
    checkSlip(this.#option, () => this.#conditions.check(others));
  }
}

/** Lets an error about the first findings say how to look at all of them, unless no finding of their kind has the field. */
export function checkFirst(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (!(error instanceof SlipError) || error.message.includes("these are topic findings")) throw error;
    throw new SlipError(`${error.message}. If only later findings have it, pass --sparse`);
  }
}

/** Lets an error say which option it is about. */
export function checkSlip<Result>(option: string, check: () => Result): Result {
  try {
    return check();
  } catch (error) {
    throw new SlipError(`${option}: ${(error as Error).message}`);
  }
}

export class Selection {
  readonly #columns: readonly string[] | undefined;
  readonly #where: Conditions | undefined;
  readonly #names: Names;

  constructor({ columns, where }: Selected) {
    this.#columns = columns;
    this.#where = where;
    this.#names = new Names("--columns", columns ?? []);
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
    const known = [...names, ...others];
    // The name of an object is that of no column.
    const objects = (this.#columns ?? []).filter((name) => known.some((one) => isWithin(one, name)));
    // One list may serve both kinds.
    this.#names.check([...documentedColumns("sentiment"), ...others, ...objects]);
    checkSlip("--where", () => this.#where?.check(others));
  }

  /** Returns what is kept of a partition. Its table is the same if all is kept. */
  of(partition: Partition): Partition {
    if (!this.isPart) return partition;
    const { index, table } = partition;
    if (table.columnsTruncated) {
      throw new SlipError(
        `partition ${index} has findings with fields that have no column, such as repeated keys, which --columns and --where cannot see: ` +
          "export to a .ndjson file without them",
      );
    }
    this.#names.ask(table);
    // Conditions of integers that the table has rounded are an error.
    const where = this.#where as never;
    const found = where === undefined ? table : checkSlip("--where", () => table.filter(where));
    if (this.#columns === undefined) return { index, table: found };
    const kept = found.select(this.ordered(found.columns));
    if (found !== table) found.free();
    return { index, table: kept };
  }
}
