// The schema of several partitions: columns that all their values fit.

import { bool, type DataType, Endianness, float64, int32, type Schema, utf8, Version } from "@uwdata/flechette";
import { isObject } from "../core/host/member.js";
import type { FindingsTable } from "../core/table/table.js";
import { SOURCE } from "../core/table/table-source.js";
import {
  ArrowWriter,
  type ColumnType,
  type PlannedColumn,
  RAW_JSON,
  SURROGATE,
} from "../subpaths/arrow/arrow-columns.js";
import { fieldOf, ownSchema, replacedColumns, type SchemaSource } from "../subpaths/arrow/arrow-schema.js";

const TYPES: Record<ColumnType, () => DataType> = { int32, float64, bool, text: utf8, json: utf8 };

/** The columns of all partitions, and their schema. */
export interface CommonSchema {
  readonly planned: readonly PlannedColumn[];
  readonly schema: Schema;
}

/** The columns that are kept. */
export interface Chosen {
  /** Whether a documented column exists although no finding has it. */
  keeps(name: string): boolean;
  /** Puts all columns in order. */
  ordered(names: readonly string[]): readonly string[];
}

/** The names of the documented columns of a kind. Queries take them for missing where no finding has them. */
export function documentedColumns(kind: string): string[] {
  return new CommonColumns().planned(kind, false).map(({ name }) => name);
}

/** The columns of the partitions that have been added. */
export class CommonColumns implements SchemaSource {
  readonly names = new Set<string>();
  /** Whether some findings have fields without a column. */
  isTruncated = false;
  readonly #kinds = new Map<string, number>();
  /** The number of integers of each column that are rounded. */
  readonly #rounded = new Map<string, number>();
  readonly #chosen: Chosen;
  readonly #keepsJson: boolean;

  /** @param keepsJson whether columns of arrays stay the JSON that they came as */
  constructor(chosen: Chosen = { keeps: () => true, ordered: (names) => names }, keepsJson = false) {
    this.#chosen = chosen;
    this.#keepsJson = keepsJson;
  }

  /** Adds the columns of later partitions. */
  merge(others: CommonColumns): void {
    for (const name of others.names) {
      this.names.add(name);
      this.#kinds.set(name, this.kinds(name) | others.kinds(name));
    }
    this.isTruncated ||= others.isTruncated;
    for (const [name, counts] of others.#rounded) this.#addRounded(name, counts);
  }

  /** Adds the columns of a partition. */
  add(table: FindingsTable<object>): this {
    const writer = new ArrowWriter(table[SOURCE]());
    for (const name of writer.names) {
      this.names.add(name);
      this.#kinds.set(name, this.kinds(name) | writer.kinds(name));
    }
    this.isTruncated ||= table.columnsTruncated;
    for (const name of table.integersRounded ? writer.names : []) {
      const isRead = !this.#keepsJson || (writer.kinds(name) & ~(RAW_JSON | SURROGATE)) !== 0;
      if (isRead) this.#addRounded(name, roundedIn(table.column(name as never)));
    }
    return this;
  }

  /** The columns with integers that are rounded, and how many; empty for none. */
  get rounded(): string {
    const counted = ([name, count]: [string, number]) =>
      `${JSON.stringify(name)} (${count} ${count === 1 ? "value" : "values"})`;
    return Array.from(this.#rounded, counted).join(", ");
  }

  #addRounded(name: string, count: number): void {
    if (count > 0) this.#rounded.set(name, count + (this.#rounded.get(name) ?? 0));
  }

  keeps(name: string): boolean {
    return this.#chosen.keeps(name);
  }

  kinds(name: string): number {
    return this.#kinds.get(name) ?? 0;
  }

  /** Plans the columns of all partitions. */
  planned(kind: string, isDictionary: boolean): PlannedColumn[] {
    const columns = new Map(ownSchema(this, kind, isDictionary).map((column) => [column.name, column]));
    return this.#chosen.ordered([...columns.keys()]).map((name) => columns.get(name) as PlannedColumn);
  }

  /** The columns whose lone surrogates are replaced. */
  replacedColumns(kind: string): string[] {
    return replacedColumns(this, this.planned(kind, false));
  }

  /** Returns the schema of all partitions. Each has another dictionary, so texts are none. */
  schema(kind: string, metadata: Map<string, string>): CommonSchema {
    const planned = this.planned(kind, false);
    const fields = planned.map((column) => fieldOf(column, TYPES[column.type]()));
    return { planned, schema: { version: Version.V5, endianness: Endianness.Little, fields, metadata } };
  }
}

/** The number of integers in a value, such as an array, that JavaScript rounds. */
function roundedIn(value: unknown): number {
  if (isObject(value)) return Object.values(value).reduce((sum: number, one) => sum + roundedIn(one), 0);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 1 : 0;
}
