// The types of the values that a condition compares. A condition on strings never meets a number, such as "-2" and -2.

import { described, refusal } from "../../argument/refusal.js";
import type { CheckedCondition, NumberedCondition, PlainCheckedCondition } from "./condition.js";

/** The types of scalars, each with the bits of their kinds in Rust (`table::kind`). */
const KINDS = { number: 3, boolean: 4, string: 8 } as const;

/** The kinds of values that are only known as JSON: arrays, and strings with lone surrogates. */
const JSON_KIND = 16 | 128;

type ScalarType = keyof typeof KINDS;

/**
 * Throws a `TypeError` for a condition on values of a type that a column lacks, if it has values of another type: it would
 * select nothing without a word, as with the values of a form's fields.
 *
 * @param kindsOf returns the kinds of the values of a column, or at least one of those sought
 * @param valuesOf returns the values of a column
 * @param subject what compares the values
 */
export function checkTypes(
  conditions: readonly NumberedCondition[],
  kindsOf: (name: string, sought: number) => number,
  valuesOf: (name: string) => Iterable<unknown>,
  subject?: string,
): void {
  for (const [, name, condition] of conditions) {
    for (const type of typesOf(plainOf(condition))) {
      const kinds = kindsOf(name, KINDS[type] | JSON_KIND);
      if (kinds & (KINDS[type] | JSON_KIND) || !Object.values(KINDS).some((kind) => kinds & kind)) continue;
      for (const value of valuesOf(name))
        if ((typeof value) in KINDS) throw wrongTypes(subject ?? `the condition on ${described(name)}`, type, value);
    }
  }
}

function plainOf(condition: CheckedCondition): PlainCheckedCondition {
  return "not" in condition ? condition.not : condition;
}

/** The types of the values to which a condition compares. An empty text selects by type. */
function typesOf(condition: PlainCheckedCondition): Set<ScalarType> {
  if ("contains" in condition) return new Set(condition.contains === "" ? [] : ["string"]);
  if ("min" in condition) return new Set(["number"]);
  return new Set(condition.map((scalar) => typeof scalar).filter((type) => type in KINDS) as ScalarType[]);
}

function wrongTypes(subject: string, type: ScalarType, value: unknown): TypeError {
  return refusal(
    `${subject} compares ${type}s, but the column has no ${type}: it has ${typeof value}s, such as ${described(value)}`,
  );
}
