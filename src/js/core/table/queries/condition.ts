// A condition of a filter, as the caller passes it. Copied and checked before Rust reads it.

import { entriesOf, type Remedies } from "../../argument/passed-object.js";
import { described, refusal, wrongType } from "../../argument/refusal.js";
import { isObject } from "../../host/member.js";
import type { ColumnName, ColumnValue, OtherName } from "../column-name.js";

/**
 * A condition on the values of a column: equal to a scalar, equal to one of several scalars, a number from `min` to
 * `max` inclusive, a string that contains another, ignoring case and taking ς, σ and Σ for one letter, a missing field,
 * or `not` one of these. Null and missing values meet each `not` that does not name them. In a list, undefined stands
 * for a missing field.
 *
 * If the column's type is known, TypeScript allows only conditions that its values can meet: numbers and ranges for a
 * column of numbers, strings and `contains` for a column of strings. Null and `{ missing: true }` are always allowed.
 *
 * @example
 * const where: Record<string, Condition> = {
 *   TopicGroup: ["Delivery", "Price"],
 *   Sentiment: { max: -1 },
 *   Comment: { contains: "refund" },
 *   ExpressionGroup: { not: null },
 * };
 * const negative: Condition<number> = { max: -1 };
 */
export type Condition<Value = unknown> = PlainCondition<Value> | { readonly not: PlainCondition<Value> };

/** A condition without `not`. */
type PlainCondition<Value> =
  | Exclude<Scalar<Value>, undefined>
  | readonly Scalar<Value>[]
  | { readonly missing: true }
  | (number extends Widened<Value> ? Range : never)
  | (string extends Widened<Value> ? { readonly contains: string } : never);

/** The numbers from `min` to `max`, of which one may be missing or undefined. */
type Range =
  | { readonly min: number; readonly max?: number | undefined }
  | { readonly min?: number | undefined; readonly max: number };

/** Conditions by the names of the columns that the type of the findings has: only those that their values can meet. */
export type KnownConditions<Finding> = {
  readonly [Name in ColumnName<Finding>]?: Condition<ColumnValue<Finding, Name>>;
};

/** Conditions by the names of columns, also of those below an object of any fields. */
export type ConditionsOf<Finding> = KnownConditions<Finding> & {
  readonly [Name in OtherName<Finding> as Record<never, never> extends Record<Name, 1> ? Name : never]: Condition;
};

/** The same, and by the names of objects, which editors do not complete. */
export type ObjectConditions<Finding> = ConditionsOf<Finding> & {
  readonly [Name in Exclude<OtherName<Finding>, ColumnName<Finding>>]?: Condition;
};

/** A value to compare with the values of a column, by their type. In a list, undefined stands for a missing field. */
export type Scalar<Value = unknown> = Widened<Value> | null | undefined;

/** The types of the scalars among values of a type, without their literals. */
export type Widened<Value> = unknown extends Value
  ? string | number | boolean
  : Value extends string
    ? string
    : Value extends number
      ? number
      : Value extends boolean
        ? boolean
        : never;

/** A checked condition as Rust reads it. Undefined stands for a missing field. */
export type CheckedCondition = PlainCheckedCondition | { readonly not: PlainCheckedCondition };

export type PlainCheckedCondition =
  | readonly Scalar[]
  | { readonly min: number | undefined; readonly max: number | undefined }
  | { readonly contains: string };

/** A condition with the number of its alternative and the name of its column. */
export type NumberedCondition = readonly [alternative: number, name: string, condition: CheckedCondition];

const FORMS = "a value, an array of values, { min, max }, { contains }, { missing: true } or { not }";

/** What to pass in place of objects that could be conditions. */
const REMEDIES: Remedies = { RegExp: "use { contains }", Set: "pass [...set]" };

/** Copies and checks the condition on a column. Reading it may run code of the caller, such as getters. */
export function conditionOf(name: string, condition: unknown): CheckedCondition {
  const column = `the condition on ${described(name)}`;
  if (!isObject(condition) || Array.isArray(condition)) return plainCondition(column, condition);
  const own = Object.fromEntries(entriesOf(condition, column, FORMS, REMEDIES));
  if (!Object.hasOwn(own, "not")) return plainCondition(column, own);
  const { not, ...others } = own;
  if (Object.keys(others).length > 0) throw wrongType(column, "{ not } without other members", own, withMembers);
  return { not: plainCondition(`not of ${column}`, not) };
}

/** Copies a condition without `not`. A scalar becomes a list. */
function plainCondition(column: string, condition: unknown): PlainCheckedCondition {
  if (Array.isArray(condition)) {
    return [...condition].map((value) => (value === undefined ? value : scalarOf(`a value of ${column}`, value)));
  }
  if (!isObject(condition)) return [scalarOf(column, condition)];
  const own = Object.fromEntries(entriesOf(condition, column, FORMS, REMEDIES));
  const { min, max, contains, missing, ...others } = own;
  if (missing === true && Object.keys(own).length === 1) return [undefined];
  const hasContains = "contains" in own;
  const hasRange = "min" in own || "max" in own;
  if (Object.keys(others).length > 0 || "missing" in own || hasContains === hasRange) {
    throw wrongType(column, FORMS, own, withMembers);
  }
  if (!hasContains) return rangeOf(column, min, max);
  if (typeof contains !== "string") throw wrongType(`contains of ${column}`, "a string", contains);
  return { contains };
}

function withMembers(own: unknown): string {
  const names = Object.keys(own as object);
  return names.length === 0 ? "an empty object" : `an object with ${described(names.join(", "))}`;
}

function scalarOf(what: string, value: unknown): Scalar {
  if (Number.isNaN(value))
    throw refusal(`${what} is NaN, which equals no value: pass a number, or leave the condition out`);
  if (value === null || /^(string|number|boolean)$/.test(typeof value)) return value as Scalar;
  const hint = value === undefined ? ": use { missing: true } for missing fields, or leave the condition out" : "";
  throw refusal(`${what} must be a string, number, boolean or null; got ${described(value)}${hint}`);
}

/** Copies a range, which may contain values. */
function rangeOf(column: string, min: unknown, max: unknown) {
  const range = { min: boundOf(`min of ${column}`, min), max: boundOf(`max of ${column}`, max) };
  if (range.min === undefined && range.max === undefined) {
    throw refusal(`${column} has neither min nor max: pass a number as one of them, or leave the condition out`);
  }
  if (range.min !== undefined && range.max !== undefined && range.min > range.max) {
    throw refusal(`min of ${column} must be at most its max; got ${range.min} and ${range.max}`);
  }
  return range;
}

function boundOf(what: string, bound: unknown): number | undefined {
  if (bound !== undefined && (typeof bound !== "number" || Number.isNaN(bound)))
    throw wrongType(what, "a number", bound);
  return bound;
}
