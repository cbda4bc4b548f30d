// The tags of classes: those of the public ones, and of any object.

import { orUndefined } from "./member.js";

/**
 * Tags the instances of a class. State management (Vue, Pinia, Alpine) leaves tagged objects alone. It wraps other
 * objects in a proxy, which cannot read private members.
 */
export function tagInstances(prototype: object, tag: string): void {
  Object.defineProperty(prototype, Symbol.toStringTag, { value: tag, configurable: true });
}

/** Returns the tag of an object of any realm, such as "Map"; "Object" if it has none, or none that can be read. */
export function tagOf(object: object): string {
  return orUndefined(() => Object.prototype.toString.call(object).slice(8, -1)) ?? "Object";
}
