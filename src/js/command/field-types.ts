// The fields of findings: what types their values have, compared with those that the service documents.

import { isObject } from "../core/host/member.js";
import { nameOf } from "../core/table/column-path.js";
import { DOCUMENTED, type FieldType } from "../core/table/documented-fields.js";

/** The types of the values of each field, by its dotted name. */
export type FieldTypes = Readonly<Record<string, readonly FieldType[]>>;

/** Collects the types of the fields of findings, those of nested objects, too. A field that only some findings have is missing in the others. */
export function fieldTypesOf(findings: readonly unknown[]): FieldTypes {
  const types = new Map<string, Set<FieldType>>();
  const counts = new Map<string, number>();
  const visit = (object: Record<string, unknown>, above: readonly string[]) => {
    for (const [key, value] of Object.entries(object)) {
      const keys = [...above, key];
      const name = nameOf(keys);
      const known = types.get(name) ?? new Set();
      types.set(name, known.add(fieldTypeOf(value)));
      if (above.length === 0) counts.set(name, (counts.get(name) ?? 0) + 1);
      if (isObject(value) && !Array.isArray(value)) visit(value, keys);
    }
  };
  for (const finding of findings) if (isObject(finding)) visit(finding, []);
  for (const [name, count] of counts) if (count !== findings.length) types.get(name)?.add("missing");
  return Object.fromEntries([...types].map(([name, known]) => [name, [...known].sort()]));
}

/** Says what differs from the documentation, and what that means, in one line each. */
export function differencesOf(types: FieldTypes, kind: "sentiment" | "topics"): string[] {
  return Object.entries(DOCUMENTED).flatMap(([name, documented]) => {
    if (name === "Sentiment" && kind === "topics") return [];
    const found = types[name] ?? ["missing"];
    const others = found.filter(
      (type) => !documented.includes(type) && !(type === "null" && documented.includes("missing")),
    );
    if (others.length === 0) return [];
    const similar = Object.keys(types).find((other) => other !== name && other.toLowerCase() === name.toLowerCase());
    if (found.length === 1 && found[0] === "missing") {
      const remedy =
        similar === undefined
          ? "queries see it as missing"
          : `use ${JSON.stringify(similar)}, as the service writes it`;
      return [`no ${kind} finding has ${name}: ${remedy}`];
    }
    return [
      `${name} of ${kind} findings is ${others.join(" or ")}, documented as ${documented.join(" or ")}: pass your own type to the calls`,
    ];
  });
}

function fieldTypeOf(value: unknown): FieldType {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value as "string" | "boolean" | "object";
}
