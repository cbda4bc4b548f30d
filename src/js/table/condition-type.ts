// The types of the values that a condition compares. A condition on strings never meets a number, such as "-2" and -2.

import { described, refusal } from "../error/refusal.js";
import type { CheckedCondition, NumberedCondition, PlainCheckedCondition } from "./condition.js";

/** The types of scalars, each with the bits of their kinds in Rust (`columns::table::kind`). */
const KINDS = { number: 3, boolean: 4, string: 8 } as const;

/** The kind of values that are only known as JSON, such as strings with lone surrogates. */
const JSON_KIND = 16;

type ScalarType = keyof typeof KINDS;

/**
 * Throws a `TypeError` for a condition on values of a type that a column lacks, if it has values of another type that
 * look the same, as those of a form's fields do.
 *
 * @param kindsOf returns the kinds of the values of a column, or at least one of those sought
 * @param valuesOf returns the values of a column
 */
export function checkTypes(
  conditions: readonly NumberedCondition[],
  kindsOf: (name: string, sought: number) => number,
  valuesOf: (name: string) => Iterable<unknown>,
): void {
  for (const [, name, condition] of conditions) {
    const plain = plainOf(condition);
    for (const type of typesOf(plain)) {
      const kinds = kindsOf(name, KINDS[type] | JSON_KIND);
      if (kinds & (KINDS[type] | JSON_KIND) || !Object.values(KINDS).some((kind) => kinds & kind)) continue;
      for (const value of new Set(valuesOf(name))) {
        if (looksMet(plain, type, value)) throw wrongTypes(name, type, value);
      }
    }
  }
}

function plainOf(condition: CheckedCondition): PlainCheckedCondition {
  return "not" in condition ? condition.not : condition;
}

/** The types of the values to which a condition compares. An empty text and a range without bounds select by type. */
function typesOf(condition: PlainCheckedCondition): Set<ScalarType> {
  if ("contains" in condition) return new Set(condition.contains === "" ? [] : ["string"]);
  if ("min" in condition) return new Set(condition.min === undefined && condition.max === undefined ? [] : ["number"]);
  return new Set(condition.map((scalar) => typeof scalar).filter((type) => type in KINDS) as ScalarType[]);
}

/** Whether a value of another type would meet a condition if it were converted to this type. */
function looksMet(condition: PlainCheckedCondition, type: ScalarType, value: unknown): boolean {
  const converted = convertedTo(type, value);
  if (converted === undefined) return false;
  if ("contains" in condition) return String(converted).toLowerCase().includes(condition.contains.toLowerCase());
  if (!("min" in condition)) {
    return condition.some(
      (scalar) => typeof scalar === type && (scalar === converted || convertedTo(typeof value, scalar) === value),
    );
  }
  const { min = Number.NEGATIVE_INFINITY, max = Number.POSITIVE_INFINITY } = condition;
  return (converted as number) >= min && (converted as number) <= max;
}

/** Converts a scalar to another type, as a text and its content; undefined if that is impossible. */
function convertedTo(type: string, value: unknown): string | number | boolean | undefined {
  if (!((typeof value) in KINDS)) return undefined;
  const text = String(value).trim();
  if (type === "string") return text;
  if (type === "boolean") return text === "true" || text === "false" ? text === "true" : undefined;
  const number = Number(text);
  return text === "" || Number.isNaN(number) ? undefined : number;
}

function wrongTypes(name: string, type: ScalarType, value: unknown): TypeError {
  return refusal(
    `the condition on ${described(name)} compares ${type}s, but the column has no ${type}: it has ${typeof value}s, such ` +
      `as ${described(value)}`,
  );
}
