// The errors of wrong arguments and options.

import { ownError } from "../error/call-stack.js";
import { isObject, memberOf } from "../host/member.js";
import { tagOf } from "../host/tag.js";

/** The maximum number of characters of a value in a message. */
const MAX_CHARACTERS = 100;

/** The maximum number of characters of a type, which a class can choose. */
const MAX_TYPE = 40;

/** Makes the error for an argument or option of the wrong type. */
export function refusal(message: string): TypeError {
  return ownError(new TypeError(message));
}

/** Makes the error for a value of the wrong type. */
export function wrongType(name: string, expected: string, value: unknown, describe = described): TypeError {
  return refusal(`${name} must be ${expected}; got ${describe(value)}`);
}

/** Makes the error for a value that is no table of this copy of the package. */
export function noTable(name: string, value: unknown): TypeError {
  const isOther = typeName(value) === "FindingsTable";
  const got = (value: unknown) => `${described(value)}${isOther ? " of another copy or entry of the package" : ""}`;
  return wrongType(name, "a FindingsTable", value, got);
}

/** Makes the error for a number out of range. */
export function outOfRange(name: string, expected: string, value: number | bigint | string): RangeError {
  return ownError(new RangeError(`${name} must be ${expected}; got ${described(value)}`));
}

/** Describes a value. Throws nothing. */
export function described(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > MAX_CHARACTERS ? `${value.slice(0, MAX_CHARACTERS)}…` : value);
  }
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  // A bigint may have millions of digits.
  if (typeof value === "bigint") return BigInt.asIntN(64, value) === value ? `${value}n` : "a bigint beyond 64 bits";
  return typeOf(value);
}

/** Describes the type of a value, which may be secret: "an array", "a Map"; and what to do about it. Throws nothing. */
export function typeOf(value: unknown, remedy?: string): string {
  const type = typeName(value);
  const advice = remedy ?? (type === "promise" ? "await it" : "");
  const what = value === null || value === undefined ? value : `${/^[aeio]/i.test(type) ? "an" : "a"} ${type}`;
  return `${what}${advice && `: ${advice}`}`;
}

/** Names the type of a value: that of `typeof`, "array", "promise" for whatever has a `then`, or the tag of another object. */
export function typeName(value: unknown): string {
  if (!isObject(value)) return typeof value;
  if (typeof memberOf(value, "then") === "function") return "promise";
  const tag = tagOf(value);
  return tag === "Object" || tag === "Array" ? tag.toLowerCase() : tag.slice(0, MAX_TYPE);
}

/** Lists names: `one, two and three`. */
export function listed(names: readonly string[], conjunction: "and" | "or"): string {
  return [names.slice(0, -1).join(", "), ...names.slice(-1)].filter((part) => part !== "").join(` ${conjunction} `);
}
