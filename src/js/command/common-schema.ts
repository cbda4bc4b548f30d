// The schema of several partitions: columns that all their values fit.

import {
  bool,
  type DataType,
  dictionary,
  Endianness,
  float64,
  int32,
  type Schema,
  utf8,
  Version,
} from "@uwdata/flechette";
import { ArrowWriter, type ColumnType, type PlannedColumn, RAW_JSON, SURROGATE } from "../arrow/arrow-columns.js";
import { fieldOf, ownSchema, replacedColumns, type SchemaSource } from "../arrow/arrow-schema.js";
import { isObject } from "../host/member.js";
import type { FindingsTable } from "../table/table.js";
import { SOURCE } from "../table/table-source.js";

const TYPES: Record<ColumnType, () => DataType> = {
  int32,
  float64,
  bool,
  text: utf8,
  json: utf8,
};

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
  /** The number of integers of each column that are rounded: where its values are read, and where the JSON of its arrays stays. */
  readonly #rounded = new Map<string, readonly [read: number, kept: number]>();
  readonly #chosen: Chosen;

  constructor(chosen: Chosen = { keeps: () => true, ordered: (names) => names }) {
    this.#chosen = chosen;
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
      const count = roundedIn(table.column(name as never));
      this.#addRounded(name, [count, (writer.kinds(name) & ~(RAW_JSON | SURROGATE)) === 0 ? 0 : count]);
    }
    return this;
  }

  /**
   * The columns with integers that are rounded, and how many; empty for none.
   *
   * @param keepsJson whether the file has the JSON of arrays as it came
   */
  rounded(keepsJson: boolean): string {
    return Array.from(this.#rounded, ([name, [read, kept]]) => [JSON.stringify(name), keepsJson ? kept : read] as const)
      .flatMap(([name, count]) => (count > 0 ? [`${name} (${count} ${count === 1 ? "value" : "values"})`] : []))
      .join(", ");
  }

  #addRounded(name: string, [read, kept]: readonly [number, number]): void {
    const [before, keptBefore] = this.#rounded.get(name) ?? [0, 0];
    this.#rounded.set(name, [before + read, keptBefore + kept]);
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

  /** Returns the schema of all partitions, with text columns as dictionaries or not. */
  schema(kind: string, isDictionary: boolean, metadata: Map<string, string>): CommonSchema {
    const planned = this.planned(kind, isDictionary);
    const fields = planned.map((column) => {
      const type = TYPES[column.type]();
      const isText = column.type === "text" || column.type === "json";
      return fieldOf(column, isText && isDictionary ? dictionary(type, int32()) : type);
    });
    return { planned, schema: { version: Version.V5, endianness: Endianness.Little, fields, metadata } };
  }
}

/** The number of integers in a value, such as an array, that JavaScript rounds. */
function roundedIn(value: unknown): number {
  if (isObject(value)) return Object.values(value).reduce((sum: number, one) => sum + roundedIn(one), 0);
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? 1 : 0;
}
