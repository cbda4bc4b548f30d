// The weights of people: one number each, from a column or from a Map.

import { itemsOf } from "../argument/passed-object.js";
import { refusal, typeName, typeOf, wrongType } from "../argument/refusal.js";
import { SOURCE } from "../table/table-source.js";
import { textOf } from "./axis.js";
import { type AnyTable, type Coded, codesOf, NOBODY } from "./coded-table.js";

/** The weights, as the caller gives them: the name of a column, or a number for each person. */
export type Weight = string | ReadonlyMap<unknown, unknown>;

/** Reads the option: the weights of people with one name. */
export function weightOf(given: unknown, people: readonly string[] | undefined, option: string): Weight | undefined {
  if (given === undefined) return undefined;
  if (people?.length !== 1) {
    throw refusal(
      `weight needs ${option}, the name of one column of people, such as "RespondentKey": a finding has no weight of its own`,
    );
  }
  if (typeof given === "string") return given;
  if (typeName(given) !== "Map")
    throw wrongType("weight", "the name of a column, or a Map of numbers", given, (value) => typeOf(value));
  return new Map(itemsOf(given, "weight") as [unknown, unknown][]);
}

/** Returns the weight of each person, by code. */
export function weightsOf(table: AnyTable, people: Coded, weight: Weight | undefined): Float64Array {
  const { keys } = people.numbering;
  const weights = new Float64Array(keys.length);
  if (weight === undefined) return weights.fill(1);
  const what = (code: number) => `${people.names.join()} ${textOf(keys[code])}`;
  const check = (code: number, value: unknown) => {
    if (typeof value === "number" && value >= 0 && value < Number.POSITIVE_INFINITY) return value;
    const got = value === undefined ? "none" : typeof value === "number" ? String(value) : typeOf(value);
    throw refusal(`each person needs a weight of at least 0; ${what(code)} has ${got}`);
  };
  if (typeof weight !== "string") {
    keys.forEach((key, code) => {
      weights[code] = check(code, weight.get(key));
    });
    return weights;
  }
  const known: unknown[] = [];
  const values = table[SOURCE]().column(weight);
  codesOf(table, [people], true).codes[0]?.forEach((code, at) => {
    if (code === NOBODY) return;
    const value = check(code, values[at]);
    if (known[code] !== undefined && known[code] !== value)
      throw refusal(`a person has one weight; ${what(code)} has ${known[code]} and ${value}`);
    known[code] = value;
    weights[code] = value;
  });
  keys.forEach((_, code) => {
    check(code, known[code]);
  });
  return weights;
}
