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
import { ArrowWriter, type ColumnType, type PlannedColumn } from "../arrow/arrow-columns.js";
import { fieldOf, ownSchema, replacedColumns, type SchemaSource } from "../arrow/arrow-schema.js";
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
  /** Whether some integers are rounded. */
  areRounded = false;
  readonly #kinds = new Map<string, number>();
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
    this.areRounded ||= others.areRounded;
  }

  /** Adds the columns of a partition. */
  add(table: FindingsTable<object>): void {
    const writer = new ArrowWriter(table[SOURCE]());
    for (const name of writer.names) {
      this.names.add(name);
      this.#kinds.set(name, this.kinds(name) | writer.kinds(name));
    }
    this.isTruncated ||= table.columnsTruncated;
    this.areRounded ||= table.length > 0 && table.integersRounded;
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
