// The columns that `with` and `concat` add.

import { entriesOf, itemsOf, membersOf } from "../../argument/passed-object.js";
import { described, refusal, typeName, wrongType } from "../../argument/refusal.js";
import type { Columns } from "../../engine/engine.js";
import type { ColumnValue, NamedKey } from "../column-name.js";
import type { InspectionFinding } from "../finding.js";
import { bodyOf } from "../made-table.js";
import type { TableData } from "../table-data.js";
import { columnOf } from "./column.js";
import { joinedColumns } from "./concat.js";
import type { Widened } from "./condition.js";
import { checkType } from "./conditions.js";
import { columnName } from "./query-arguments.js";

/** A value of a column that {@link FindingsTable.with} or {@link FindingsTable.concat} adds. */
export type AddedValue = string | number | boolean | null;

/**
 * The values of the column that {@link FindingsTable.with} adds, by the values of the column `by`: a `Map`, an object, or
 * two lists of the same length, `keys` and `values`. Keys are strings or numbers, as they are in the column: `1` and `"1"`
 * differ, and the keys of an object are strings. An undefined value is missing.
 *
 * @example
 * const column: AddedColumn<"RespondentId", string> = { by: "RespondentId", keys: ["r1", "r2"], values: ["new", "old"] };
 */
export type AddedColumn<
  By extends string = string,
  Value extends AddedValue = AddedValue,
  Key extends string | number = AddedKey<InspectionFinding, By>,
> =
  | {
      /** The name of the column with the keys. */
      readonly by: By;
      /** The value of each key. */
      readonly values:
        | ReadonlyMap<Key, Value | undefined>
        | (string extends Key ? { readonly [key: string]: Value | undefined } : never);
      readonly keys?: undefined;
    }
  | {
      /** The name of the column with the keys. */
      readonly by: By;
      /** The keys, each once. */
      readonly keys: Iterable<Key>;
      /** The value of each key. */
      readonly values: Iterable<Value | undefined>;
    };

/**
 * The column that {@link FindingsTable.concat} adds: for each table, the value that its findings get. An undefined value is missing.
 *
 * @example
 * const wave: SourceColumn<"Wave", string> = { name: "Wave", values: ["spring", "autumn"] };
 */
export interface SourceColumn<Name extends string = string, Value extends AddedValue = AddedValue> {
  /** The key of the new field, as it is. */
  readonly name: Name;
  /** The value of each table, in the order of the tables. */
  readonly values: Iterable<Value | undefined>;
}

/** The type of the keys of a column: strings, numbers or both, as its values may be. */
export type AddedKey<Finding, By extends string> = Extract<Widened<ColumnValue<Finding, By>>, string | number>;

/** The name of a column to add. Its member explains the error if findings of this type have a field of that name. */
export type NewName<Name extends string, Finding> =
  Name extends NamedKey<Finding> ? { readonly "the table has a column with this name": never } : Name;

/** The documented fields of a finding, and none of these others: findings of a type that is not known yet may have them, those of a known type do not. */
export type DocumentedWithout<Name extends string> = InspectionFinding & {
  readonly [Key in Exclude<
    Name extends `${infer First}.${string}` ? First : Name,
    NamedKey<InspectionFinding>
  >]?: never;
};

/** A finding with one more field. If the name is not known, each other field may be the new one. */
export type WithField<Finding, Name extends string, Value> = string extends Name
  ? Finding & { [key: string]: unknown }
  : Finding & { [Key in Name]?: Value };

/**
 * Copies the table with one more column.
 *
 * @internal
 */
export function withColumn(table: TableData, name: unknown, column: unknown): Columns {
  const key = newKey(name);
  // Reading the values may run code of the caller, which may free this table: so all is read before the table is used.
  const { by, values } = addedColumn(column);
  const body = bodyOf([...values].map(([key, value]) => ({ key, value })));
  const types = new Set([...values.keys()].map((key) => typeof key));
  const { columns } = table;
  const [type, other] = types as Set<"number" | "string">;
  if (type !== undefined && other === undefined) {
    checkType(type, "with", by, { columns, values: (name) => columnOf(table, name) });
  }
  return columns.withColumn(body, by, key);
}

/** The checked column that {@link FindingsTable.concat} adds. */
export interface CheckedSourceColumn {
  readonly key: string;
  readonly values: readonly (AddedValue | undefined)[];
}

/**
 * Reads the column that tells tables apart, and checks it.
 *
 * @param tables the number of tables
 * @internal
 */
export function sourceColumnOf(column: unknown, tables: number): CheckedSourceColumn {
  const given = membersOf(column, "the column", ["name", "values"], {
    ...{ expected: "an object with name and values", remedies: { FindingsTable: "pass all tables in one list" } },
  });
  const values = itemsOf(given.values, "values");
  if (values.length !== tables) {
    throw refusal(`values must have one value for each table; got ${values.length} values and ${tables} tables`);
  }
  for (const value of values) checkValue("each value", value);
  return { key: newKey(given.name), values: values as (AddedValue | undefined)[] };
}

/**
 * Joins tables, each of which gets its value in the column.
 *
 * @internal
 */
export function joinedWithSource(all: readonly Columns[], { key, values }: CheckedSourceColumn): Columns {
  const extended: Columns[] = [];
  try {
    all.forEach((columns, index) => {
      extended.push(columns.withColumn(bodyOf([{ value: values[index] }]), undefined, key));
    });
    return joinedColumns(extended);
  } finally {
    for (const columns of extended) columns.free();
  }
}

/** Checks the key of a new field. */
function newKey(name: unknown): string {
  const key = columnName(name);
  // No column has such a key, and UTF-8 cannot write it.
  if (/\p{Surrogate}/u.test(key))
    throw refusal(`the name of a new column must have no lone surrogate; got ${described(key)}`);
  return key;
}

/** Reads the column, and checks it: the name of the column with the keys, and the values by key. */
function addedColumn(column: unknown): { by: string; values: Map<string | number, AddedValue> } {
  const given = membersOf(column, "the column", ["by", "keys", "values"], {
    ...{ expected: "an object with by and values", remedies: { Map: 'pass { by: "RespondentId", values: map }' } },
  });
  const checked = new Map<string | number, AddedValue>();
  const entries = given.keys === undefined ? valuesByKey(given.values) : pairsOf(given.keys, given.values);
  for (const [key, value] of entries) {
    if (typeof key !== "string" && !Number.isFinite(key)) throw wrongType("a key", "a string or a finite number", key);
    if (checked.has(key as string)) throw refusal(`the key ${described(key)} occurs twice`);
    checkValue(`the value of ${described(key)}`, value);
    checked.set(key as string, value as AddedValue);
  }
  for (const [key, value] of checked) if (value === undefined) checked.delete(key);
  return { by: columnName(given.by, "by"), values: checked };
}

function valuesByKey(values: unknown): [unknown, unknown][] {
  if (typeName(values) === "Map") return itemsOf(values, "values") as [unknown, unknown][];
  return entriesOf(values, "values", "a Map or an object, or a list beside the list keys");
}

function pairsOf(keys: unknown, values: unknown): [unknown, unknown][] {
  const [ofKeys, ofValues] = [itemsOf(keys, "keys"), itemsOf(values, "values")];
  if (ofKeys.length !== ofValues.length) {
    throw refusal(`keys and values must have the same length; got ${ofKeys.length} keys and ${ofValues.length} values`);
  }
  return ofKeys.map((key, index) => [key, ofValues[index]]);
}

function checkValue(name: string, value: unknown): void {
  const isScalar = value == null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
  if (!isScalar) throw wrongType(name, "a string, a finite number, a boolean, null or undefined", value);
}
