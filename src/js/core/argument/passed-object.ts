// The reader of the objects that callers pass, such as options: plain ones and iterables, or an error that says what came.

import { resultOfCaller } from "../error/call-stack.js";
import { isObject } from "../host/member.js";
import { described, refusal, typeName, typeOf, wrongType } from "./refusal.js";

/** What to pass instead, by the type of the value that came, as {@link typeName} names it. */
export type Remedies = Readonly<Record<string, string>>;

/** How members are read. */
interface Reading<Name extends string> {
  /** What the value has to be. */
  readonly expected?: string;
  readonly remedies?: Remedies;
  /** The names that an error lists; all if absent. */
  readonly listed?: readonly Name[];
}

const FROM_ENTRIES = "convert it by Object.fromEntries()";

/** What to do with the objects whose entries are no members. */
const COLLECTIONS: Remedies = { Map: FROM_ENTRIES, URLSearchParams: FROM_ENTRIES, FormData: FROM_ENTRIES };

/**
 * Checks that a value is a plain object, also one of another realm or of a class of the caller. Anything else has no members to
 * read, and would pass for an empty object: a `Map`, a promise, an array, or another object with a class of the host.
 */
export function plainObject(
  value: unknown,
  name: string,
  expected = "an object",
  remedies: Remedies = {},
): Record<string, unknown> {
  if (isObject(value) && /^(object|Module)$/.test(typeName(value))) return value;
  throw wrongObject(value, name, expected, { ...COLLECTIONS, ...remedies });
}

/** Copies the items of an iterable object. A promise and the body of a response have none, and would pass for an empty list. */
export function itemsOf(value: unknown, name: string, expected = "a list", remedies: Remedies = {}): unknown[] {
  const items = resultOfCaller(() => {
    const isIterable = isObject(value) && typeof Reflect.get(value, Symbol.iterator) === "function";
    return isIterable ? [...(value as unknown as Iterable<unknown>)] : undefined;
  });
  if (items !== undefined) return items;
  throw wrongObject(value, name, expected, remedies);
}

/**
 * Reads the members of an object as WebIDL reads a dictionary: each known name once, own or inherited. An own member with another
 * name is a `TypeError`.
 *
 * @param name of the object in errors
 */
export function membersOf<const Name extends string>(
  value: unknown,
  name: string,
  known: readonly Name[],
  { expected, remedies, listed = known }: Reading<Name> = {},
): { readonly [Each in Name]: unknown } {
  const object = plainObject(value, name, expected, remedies);
  const unknown = Object.keys(object).find((member) => !known.includes(member as Name));
  if (unknown !== undefined) throw unknownMember(name, unknown, listed);
  const read = () => known.map((member) => [member, Reflect.get(object, member)]);
  return Object.fromEntries(resultOfCaller(read)) as { [Each in Name]: unknown };
}

/**
 * Reads the own members of an object whose names the caller chooses, such as conditions. If it has none, it has to be `{}`:
 * other objects may have members that are inherited or private.
 *
 * @param name of the object in errors
 */
export function entriesOf(value: unknown, name: string, expected: string, remedies?: Remedies): [string, unknown][] {
  const object = plainObject(value, name, expected, remedies);
  const entries = Object.entries(object);
  const prototype: unknown = entries.length > 0 ? null : Object.getPrototypeOf(object);
  if (prototype === null || Object.getPrototypeOf(prototype) === null) return entries;
  throw refusal(`${name} must be ${expected}; got an object without own members: copy the inherited ones`);
}

function wrongObject(value: unknown, name: string, expected: string, remedies: Remedies): TypeError {
  const type = typeName(value);
  const remedy = Object.hasOwn(remedies, type) ? remedies[type] : undefined;
  return wrongType(name, expected, value, () => typeOf(value, remedy));
}

function unknownMember(name: string, unknown: string, known: readonly string[]): TypeError {
  const beginning = (member: string) => member.slice(0, 4).toLowerCase();
  // Such as `retries` for `retry`, but not `maxRetryAfter` for `maxRetries`.
  const similar = known.find(
    (member) => beginning(member) === beginning(unknown) && Math.abs(member.length - unknown.length) <= 2,
  );
  const question = similar === undefined ? "" : ` (did you mean ${similar}?)`;
  const [what, of, noun] =
    name === "options" ? ["unknown option", "", "option"] : ["unknown member", ` of ${name}`, "member"];
  const names = known.length === 1 ? `only ${noun} is` : `${noun}s are`;
  return refusal(`${what} ${described(unknown)}${of}${question}; the ${names} ${known.join(", ")}`);
}
