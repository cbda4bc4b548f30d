// An error as JSON: the members that a logger may keep.

import { hasMembers, memberOf, orUndefined } from "../host/member.js";

/** The members of an error that its JSON has, in this order. */
const MEMBERS = [
  ...["name", "message", "code", "kind", "inspectionKey", "partitionIndex", "url", "status", "attempts", "messages"],
  ...["retryAfter", "requestId", "expected", "received", "reason"],
];

/** The members of a cause, which may be any object. */
const OF_CAUSE = ["name", "message", "code"];

/** The maximum number of failed partitions in the JSON of an error. */
const MAX_FAILURES = 10;

/** A value that `JSON.stringify` accepts. */
type Json = string | number | boolean | null | undefined | Json[] | JsonObject;
type JsonObject = { [name: string]: Json };

/** Returns an error as JSON: its members without findings, its first failures, and two levels of causes. Never throws. */
export function errorJson(error: object): JsonObject {
  return {
    ...membersOf(error, MEMBERS),
    failures: orUndefined(() => (memberOf(error, "failures") as object[]).slice(0, MAX_FAILURES).map(failureJson)),
    cause: causeJson(memberOf(error, "cause"), 2),
  };
}

function failureJson(failure: object): Json {
  return { ...membersOf(failure, ["partitionIndex"]), error: membersOf(memberOf(failure, "error") as object, MEMBERS) };
}

function causeJson(cause: unknown, levels: number): Json {
  if (levels === 0) return undefined;
  if (!hasMembers(cause)) return primitiveJson(cause);
  return { ...membersOf(cause, OF_CAUSE), cause: causeJson(memberOf(cause, "cause"), levels - 1) };
}

function membersOf(value: object, names: readonly string[]): JsonObject {
  return Object.fromEntries(names.map((name) => [name, primitivesJson(memberOf(value, name))]));
}

/** Returns a primitive or a list of primitives; undefined for another object. */
function primitivesJson(value: unknown): Json {
  return orUndefined(() => (Array.isArray(value) ? value.map(primitiveJson) : primitiveJson(value)));
}

function primitiveJson(value: unknown): Json {
  if (hasMembers(value)) return undefined;
  return typeof value === "bigint" || typeof value === "symbol" ? String(value) : (value as Json);
}
