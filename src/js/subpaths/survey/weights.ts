// The weights of people: one number each, from a column or from a Map.

import { itemsOf } from "../../core/argument/passed-object.js";
import { described, refusal, typeName, typeOf, wrongType } from "../../core/argument/refusal.js";
import { SOURCE } from "../../core/table/table-source.js";
import { type AnyTable, type Coded, codesOf, NOBODY, whoIs } from "./coded-table.js";

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
  if (weight === undefined) return new Float64Array(keys.length).fill(1);
  const given = typeof weight === "string" ? ofColumn(table, people, weight) : keys.map((key) => weight.get(key));
  return Float64Array.from(keys, (_, code) => {
    const value = given[code];
    if (value === 0 || (typeof value === "number" && value >= 1e-100 && value <= 1e100)) return value;
    const got = value === undefined ? "none" : typeof value === "number" ? value : typeOf(value);
    throw refusal(`each person needs a weight of 0, or from 1e-100 to 1e100; ${whoIs(people, code)} has ${got}`);
  });
}

/** The values of people in a column. A person has one. */
function ofColumn(table: AnyTable, people: Coded, name: string): unknown[] {
  const known: unknown[] = [];
  const values = table[SOURCE]().column(name);
  codesOf(table, [people], true).codes[0]?.forEach((code, at) => {
    if (code === NOBODY) return;
    const value = values[at];
    if (code in known && !Object.is(known[code], value))
      throw refusal(
        `a person has one weight; ${whoIs(people, code)} has ${described(known[code])} and ${described(value)}`,
      );
    known[code] = value;
  });
  return known;
}
