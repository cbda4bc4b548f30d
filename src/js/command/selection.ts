// What an export keeps: the findings that meet conditions, and some of their columns.

import { FindingsTable } from "../entries/inline.js";
import { isWithin, keysOf, nameOf } from "../table/column-path.js";
import type { Condition } from "../table/queries/condition.js";
import { FinalError } from "./final-error.js";
import { type Partition, withAllFields } from "./format.js";
import { hintOf } from "./name-hint.js";
import type { PartitionSource } from "./partition-source.js";

/** Conditions by column, as `FindingsTable.filter` takes them. */
export type Where = Readonly<Record<string, Condition>>;

/** What `--columns` and `--where` say. */
export interface Selected {
  /** The names of the columns to keep; undefined for all. */
  readonly columns: readonly string[] | undefined;
  /** The alternatives of which a finding has to meet one; undefined for all findings. */
  readonly where: readonly Where[] | undefined;
}

/** Opens findings, as the service wrote them, as a table. */
type Open = (source: PartitionSource) => Promise<FindingsTable<object>>;

/** The key of the number of a finding, and of the mark of a finding that no inspection has. */
const ROW = "inspection-findings row";
const MARK = "inspection-findings mark";

/** A value of each type that conditions compare. */
const SAMPLES = [0, "", true];

export class Selection {
  readonly #columns: readonly string[] | undefined;
  readonly #where: readonly Where[] | undefined;
  readonly #open: Open;
  /**
   * Findings with all columns that the conditions name, and with values of all types there: a partition may lack a column, or have values of one
   * type only. Undefined without conditions.
   */
  readonly #samples: FindingsTable<object> | undefined;

  private constructor({ columns, where }: Selected, open: Open, samples: FindingsTable<object> | undefined) {
    this.#columns = columns;
    this.#where = where?.map((conditions) => ({ ...conditions, [nameOf([MARK])]: { missing: true } }));
    this.#open = open;
    this.#samples = samples;
  }

  static async of(selected: Selected, open: Open): Promise<Selection> {
    const { where } = selected;
    if (where === undefined) return new Selection(selected, open, undefined);
    const names = [...new Set(where.flatMap((conditions) => Object.keys(conditions)))];
    const samples = names.flatMap((name) => SAMPLES.map((value) => ({ ...objectWith(name, value), [MARK]: true })));
    return new Selection(selected, open, await FindingsTable.from(samples));
  }

  /** Whether a column of this name is kept. */
  keeps(name: string): boolean {
    return this.#columns === undefined || this.#columns.some((kept) => isWithin(name, kept));
  }

  /** Refuses names that are none of the columns of all findings, as far as there are findings. */
  check(names: readonly string[]): void {
    if (names.length === 0) return;
    const isKnown = (name: string) => names.some((known) => isWithin(known, name));
    const ofConditions = this.#where?.flatMap((conditions) => Object.keys(conditions)) ?? [];
    for (const [option, named] of [
      ["--columns", this.#columns ?? []],
      ["--where", ofConditions.filter((name) => name !== nameOf([MARK]))],
    ] as const) {
      const unknown = named.find((name) => !isKnown(name));
      if (unknown === undefined) continue;
      const hint = hintOf(unknown, names, "the columns of the findings");
      throw new FinalError(
        `no finding has a value in the column ${JSON.stringify(unknown)}, which ${option} names${hint}`,
      );
    }
  }

  /** Returns what is kept of a partition. Its table is the same if all is kept, otherwise a copy. */
  async of(partition: Partition): Promise<Partition> {
    if (this.#columns === undefined && this.#where === undefined) return partition;
    const { index, table } = withAllFields(
      partition,
      "Export to a .ndjson file without --columns and --where instead.",
    );
    const columns = this.#columns?.filter((name) => table.columns.some((known) => isWithin(known, name)));
    const { view, source } = await this.#found(partition);
    const kept = view.select(columns ?? table.columns);
    if (view !== table) view.free();
    return { index, table: kept, source: columns === undefined ? source : source?.select(columns) };
  }

  /** The findings of a partition that meet the conditions. Their table may have more columns. */
  async #found({
    table,
    source,
  }: Partition): Promise<{ view: FindingsTable<object>; source: PartitionSource | undefined }> {
    if (this.#where === undefined || this.#samples === undefined) return { view: table, source };
    // What the service wrote is kept for the findings with these numbers.
    const numbered = source && (await this.#open(source.numbered(ROW)));
    const joined = FindingsTable.concat<FindingsTable<object>>([numbered ?? table, this.#samples]);
    const view = joined.filter(this.#where as never);
    const rows = numbered && (view.column(nameOf([ROW]) as never) as number[]);
    joined.free();
    numbered?.free();
    return { view, source: rows && source?.rows(rows) };
  }

  free(): void {
    this.#samples?.free();
  }
}

/** An object with a value under the name of a column. */
function objectWith(name: string, value: unknown): object {
  return keysOf(name).reduceRight<unknown>((inner, key) => Object.fromEntries([[key, inner]]), value) as object;
}
