// The schema of an Arrow stream: its columns and their types, from the documentation, from the values, or from an earlier stream.

import { type DataType, type Field, field, Precision, Type, tableFromIPC } from "@uwdata/flechette";
import { DOCUMENTED, type FieldType } from "../../core/table/documented-fields.js";
import {
  type ArrowWriter,
  BOOLEAN,
  type ColumnType,
  INTEGER,
  NUMBER,
  type PlannedColumn,
  SURROGATE,
  TEXT,
} from "./arrow-columns.js";
import { METADATA } from "./flat-buffer.js";

/** The kinds of values that fit each type. */
const FITTING: Record<ColumnType, number> = {
  int32: INTEGER,
  float64: INTEGER | NUMBER,
  bool: BOOLEAN,
  text: TEXT | SURROGATE,
  json: ~0,
};

/** The types of the columns of documented fields, by those of their values. The columns of an object are not documented. */
const COLUMN_TYPES: Partial<Record<FieldType, ColumnType>> = { integer: "int32", string: "text", boolean: "bool" };

/** A metadata key of fields whose values are not copied from findings: their content is JSON. */
const CONTENT = "inspection-findings.content";

/** The columns of one or several tables, as far as a schema depends on them. */
export type SchemaSource = Pick<ArrowWriter, "names" | "keeps" | "kinds">;

/** Plans the columns of a table: the documented ones, then the others. */
export function ownSchema(writer: SchemaSource, kind: string | undefined, isDictionary: boolean): PlannedColumn[] {
  const documented = new Map<string, ColumnType>();
  for (const [name, [value = "object"]] of Object.entries(DOCUMENTED)) {
    const type = COLUMN_TYPES[value];
    if (type !== undefined && (name !== "Sentiment" || kind === "sentiment")) documented.set(name, type);
  }
  const names = new Set([...[...documented.keys()].filter((name) => writer.keeps(name)), ...writer.names]);
  return [...names].map((name): PlannedColumn => {
    const kinds = writer.kinds(name);
    const fixed = documented.get(name);
    const type = fixed !== undefined && fits(kinds, fixed) ? fixed : typeOf(kinds);
    return { name, of: name, type, isDictionary };
  });
}

/** Plans the columns of an earlier stream. */
export function schemaOf(stream: Uint8Array): PlannedColumn[] {
  return fieldsOf(stream).map(plannedAs);
}

/** Throws if a value of a table does not fit planned columns. */
export function checkFits(writer: ArrowWriter, planned: readonly PlannedColumn[]): void {
  const known = new Set(planned.map(({ of }) => of));
  for (const { of: name, type } of planned) {
    if (!fits(writer.kinds(name), type)) {
      throw new TypeError(`the column ${JSON.stringify(name)} has values that are not ${type}, its type in schema`);
    }
  }
  for (const name of writer.names) {
    if (!known.has(name) && writer.kinds(name) !== 0) {
      throw new TypeError(`the column ${JSON.stringify(name)} has values, but schema has no such column`);
    }
  }
}

/** The columns whose lone surrogates are replaced, because text has none. */
export function replacedColumns(source: SchemaSource, planned: readonly PlannedColumn[]): string[] {
  const isReplaced = ({ of: name, type }: PlannedColumn) => type === "text" && (source.kinds(name) & SURROGATE) !== 0;
  return planned.filter(isReplaced).map(({ name }) => name);
}

/** Makes the field of a column. */
export function fieldOf({ name, type }: PlannedColumn, arrowType: DataType | undefined): Field {
  return field(name, arrowType as DataType, true, type === "json" ? new Map([[CONTENT, type]]) : null);
}

function fits(kinds: number, type: ColumnType): boolean {
  return (kinds & ~FITTING[type]) === 0;
}

/** The narrowest type that all values fit. */
function typeOf(kinds: number): ColumnType {
  const types: ColumnType[] = ["text", "int32", "float64", "bool"];
  return types.find((type) => fits(kinds, type)) ?? "json";
}

/** Reads the fields of a stream from its first message. */
function fieldsOf(stream: Uint8Array): Field[] {
  const wrong = "schema must be a stream that toArrowIPC has written";
  try {
    // Each message begins with a marker and the length of its metadata. Copied, because the view may be unaligned.
    const { byteLength } = stream;
    const length = byteLength < 8 ? 0 : new DataView(stream.buffer, stream.byteOffset, byteLength).getInt32(4, true);
    const { fields } = tableFromIPC(stream.slice(0, METADATA + length)).schema;
    if (fields.length > 0) return fields;
  } catch (cause) {
    throw new TypeError(wrong, { cause });
  }
  throw new TypeError(wrong);
}

/** The column of a field of an earlier stream. */
function plannedAs({ name, type, metadata }: Field): PlannedColumn {
  const isDictionary = type.typeId === Type.Dictionary;
  const content = metadata?.get(CONTENT);
  const known = columnType(
    isDictionary && type.indices.bitWidth === 32 && type.indices.signed ? type.dictionary : type,
  );
  if (known === undefined) {
    throw new TypeError(`the column ${JSON.stringify(name)} of schema has a type that toArrowIPC does not write`);
  }
  return { name, of: name, type: content === "json" && known === "text" ? "json" : known, isDictionary };
}

function columnType(type: DataType): ColumnType | undefined {
  switch (type.typeId) {
    case Type.Int:
      return type.bitWidth === 32 && type.signed ? "int32" : undefined;
    case Type.Float:
      return type.precision === Precision.DOUBLE ? "float64" : undefined;
    case Type.Bool:
      return "bool";
    case Type.Utf8:
      return "text";
  }
  return undefined;
}
