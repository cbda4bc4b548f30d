// The error of the use of what has been freed.

import { isObject, memberOf } from "../host/member.js";

/** Marks the errors of what has been freed, of every copy of the package. */
const FREED = Symbol.for("inspection-findings.freed");

/** What to do about an object that has been freed. */
const REMEDIES = {
  FindingsClient: "create another one",
  FindingsTable: "call free() after its last use, or load it again",
  LiveTable: "call watchTable again",
} as const;

/** Says that an object has been freed, and what to do. */
export function freedText(name: keyof typeof REMEDIES): string {
  return `this ${name} has been freed: ${REMEDIES[name]}`;
}

/** Makes the reason of the calls that the `free()` of an object ends. */
export function freed(name: keyof typeof REMEDIES): TypeError {
  return Object.defineProperty(new TypeError(freedText(name)), FREED, { value: true });
}

/** Whether a `free()` has ended a call that rejects with this value. */
export function isFreed(error: unknown): boolean {
  return isObject(error) && memberOf(error, FREED) === true;
}
