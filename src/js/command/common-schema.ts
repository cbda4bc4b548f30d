// The schema of several tables: columns that all their values fit.

import {
  bool,
  type DataType,
  dictionary,
  Endianness,
  float64,
  int32,
  type Schema,
  Table,
  tableToIPC,
  utf8,
  Version,
} from "@uwdata/flechette";
import { ArrowWriter, type ColumnType } from "../arrow/arrow-columns.js";
import { fieldOf, ownSchema, type SchemaSource } from "../arrow/arrow-schema.js";
import type { FindingsTable } from "../table/table.js";
import { SOURCE } from "../table/table-source.js";

const TYPES: Record<ColumnType, () => DataType> = {
  int32,
  float64,
  bool,
  text: utf8,
  json: utf8,
  presence: bool,
};

/** A schema, also as the first message of a stream. */
export interface CommonSchema {
  readonly schema: Schema;
  readonly stream: Uint8Array;
}

/** The columns of the tables that have been added. */
export class CommonColumns implements SchemaSource {
  readonly names = new Set<string>();
  readonly #kinds = new Map<string, number>();

  /** Adds the columns of a table. */
  add(table: FindingsTable<unknown>): void {
    const writer = new ArrowWriter(table, table[SOURCE]().columns);
    for (const name of writer.names) {
      this.names.add(name);
      this.#kinds.set(name, this.kinds(name) | writer.kinds(name));
    }
  }

  keeps(): boolean {
    return true;
  }

  kinds(name: string): number {
    return this.#kinds.get(name) ?? 0;
  }

  /** Returns the schema of all tables, with text columns as dictionaries or not. */
  schema(kind: string, isDictionary: boolean, metadata: Map<string, string>): CommonSchema {
    const fields = ownSchema(this, kind, isDictionary, false).map((column) => {
      const type = TYPES[column.type]();
      const isText = column.type === "text" || column.type === "json";
      return fieldOf(column, isText && isDictionary ? dictionary(type, int32()) : type);
    });
    const schema: Schema = { version: Version.V5, endianness: Endianness.Little, fields, metadata };
    return { schema, stream: tableToIPC(new Table(schema, []), { format: "stream" }) as Uint8Array };
  }
}
