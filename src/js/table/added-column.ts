// The column that `with` adds to a table: its values by those of another column.

import { described, refusal, wrongType } from "../error/refusal.js";
import { isObject } from "../host/member.js";

/** A value of a column that {@link FindingsTable.with} adds. */
export type AddedValue = string | number | boolean | null;

/**
 * The values of the column that {@link FindingsTable.with} adds, by the values of the column `by`: a `Map`, an object, or
 * two lists of the same length, `keys` and `values`. Keys are strings or numbers, as they are in the column: `1` and `"1"`
 * differ, and the keys of an object are strings. An undefined value is missing.
 *
 * @example
 * const column: AddedColumn<"RespondentId", string> = { by: "RespondentId", keys: ["r1", "r2"], values: ["new", "old"] };
 */
export type AddedColumn<By extends string = string, Value extends AddedValue = AddedValue> =
  | {
      /** The name of the column with the keys. */
      readonly by: By;
      /** The value of each key. */
      readonly values: ReadonlyMap<string | number, Value | undefined> | { readonly [key: string]: Value | undefined };
      readonly keys?: undefined;
    }
  | {
      /** The name of the column with the keys. */
      readonly by: By;
      /** The keys, each once. */
      readonly keys: ArrayLike<string | number>;
      /** The value of each key. */
      readonly values: ArrayLike<Value | undefined>;
    };

/** Checks the values, and returns them by key. */
export function addedValues(added: {
  readonly keys?: unknown;
  readonly values?: unknown;
}): Map<string | number, AddedValue> {
  const { keys, values } = added;
  if (!isObject(values) || (keys === undefined && Array.isArray(values))) {
    throw wrongType("values", "a Map or an object, or a list beside the list keys", values);
  }
  const checked = new Map<string | number, AddedValue>();
  for (const [key, value] of keys === undefined ? entriesOf(values) : pairsOf(keys, values)) {
    if (typeof key !== "string" && !Number.isFinite(key)) throw wrongType("a key", "a string or a finite number", key);
    if (checked.has(key as string)) throw refusal(`the key ${described(key)} occurs twice`);
    if (!isValue(value) && value !== undefined) {
      const name = `the value of ${described(key)}`;
      throw wrongType(name, "a string, a finite number, a boolean, null or undefined", value);
    }
    checked.set(key as string, value as AddedValue);
  }
  for (const [key, value] of checked) if (value === undefined) checked.delete(key);
  return checked;
}

function entriesOf(values: object): Iterable<[unknown, unknown]> {
  return Object.prototype.toString.call(values) === "[object Map]"
    ? (values as Map<unknown, unknown>)
    : Object.entries(values);
}

function pairsOf(keys: unknown, values: unknown): [unknown, unknown][] {
  if (!isObject(keys)) throw wrongType("keys", "a list", keys);
  const [ofKeys, ofValues] = [
    Array.from(keys as unknown as ArrayLike<unknown>),
    Array.from(values as ArrayLike<unknown>),
  ];
  if (ofKeys.length !== ofValues.length) {
    throw refusal(`keys and values must have the same length; got ${ofKeys.length} keys and ${ofValues.length} values`);
  }
  return ofKeys.map((key, index) => [key, ofValues[index]]);
}

function isValue(value: unknown): value is AddedValue {
  return value === null || typeof value === "string" || typeof value === "boolean" || Number.isFinite(value);
}
