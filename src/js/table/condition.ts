// A condition of a filter, as the caller passes it. Copied and checked before Rust reads it.

import { described, wrongType } from "../client/options/refusal.js";

/**
 * A condition on the values of a column: equal to a scalar, equal to one of several scalars, a number from `min` to `max`
 * inclusive, or a string that contains another, ignoring case.
 *
 * If the type of the values is known, only conditions that they can meet: numbers and ranges for a column of numbers,
 * strings and `contains` for a column of strings. Null and undefined are always allowed.
 *
 * @example
 * const where: Record<string, Condition> = {
 *   TopicGroup: ["Delivery", "Price"],
 *   Sentiment: { max: -1 },
 *   Comment: { contains: "refund" },
 * };
 * const negative: Condition<number> = { max: -1 };
 */
export type Condition<Value = unknown> =
  | Scalar<Value>
  | readonly Scalar<Value>[]
  | (number extends Widened<Value> ? { readonly min?: number | undefined; readonly max?: number | undefined } : never)
  | (string extends Widened<Value> ? { readonly contains: string } : never);

/** A value to compare with the values of a column, by their type; undefined stands for a missing field. */
export type Scalar<Value = unknown> = Widened<Value> | null | undefined;

/** The types of the scalars among values of a type, without their literals. */
type Widened<Value> = unknown extends Value
  ? string | number | boolean
  : Value extends string
    ? string
    : Value extends number
      ? number
      : Value extends boolean
        ? boolean
        : never;

/** Copies conditions. Reading them may run code of the caller, such as getters, so this happens before the query begins. */
export function conditionsOf(where: unknown): Record<string, Condition> {
  if (typeof where !== "object" || where === null || Array.isArray(where)) {
    throw wrongType("where", "an object of conditions by the names of columns", where);
  }
  return Object.fromEntries(Object.entries(where).map(([name, condition]) => [name, conditionOf(name, condition)]));
}

function conditionOf(name: string, condition: unknown): Condition {
  const column = `the condition on ${described(name)}`;
  if (Array.isArray(condition)) return Array.from(condition, (value) => scalarOf(`a value of ${column}`, value));
  if (typeof condition !== "object" || condition === null) return scalarOf(column, condition);
  const own: Record<string, unknown> = { ...condition };
  const { min, max, contains, ...others } = own;
  const hasContains = "contains" in own;
  const hasRange = "min" in own || "max" in own;
  if (Object.keys(others).length > 0 || hasContains === hasRange) {
    throw wrongType(column, "a value, an array of values, { min, max } or { contains }", condition);
  }
  if (!hasContains) return { min: boundOf(`min of ${column}`, min), max: boundOf(`max of ${column}`, max) };
  if (typeof contains !== "string") throw wrongType(`contains of ${column}`, "a string", contains);
  return { contains };
}

function scalarOf(what: string, value: unknown): Scalar {
  if (value === null || /^(string|number|boolean|undefined)$/.test(typeof value)) return value as Scalar;
  throw wrongType(what, "a string, number, boolean, null or undefined", value);
}

function boundOf(what: string, bound: unknown): number | undefined {
  if (bound !== undefined && typeof bound !== "number") throw wrongType(what, "a number", bound);
  return bound;
}
