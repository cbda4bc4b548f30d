// The tags of the public classes.

/**
 * Tags the instances of a class. State management (Vue, Pinia, Alpine) leaves tagged objects alone. It wraps other
 * objects in a proxy, which cannot read private members.
 */
export function tagInstances(prototype: object, tag: string): void {
  Object.defineProperty(prototype, Symbol.toStringTag, { value: tag, configurable: true });
}
