// The receivers of methods: a method that is called without its object, or on a proxy of it, says so.

import { isObject } from "./member.js";

type Method = (this: unknown, ...parameters: unknown[]) => unknown;

/**
 * Makes the named methods and getters of a class throw a clear `TypeError` unless they are called on an instance.
 *
 * @param instances to which the constructor adds each instance, so that a proxy is none
 * @param noun for messages, such as `client`
 */
export function checkReceivers(prototype: object, instances: Pick<WeakSet<object>, "has">, noun: string): void {
  for (const [name, descriptor] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (name === "constructor") continue;
    const { value, get } = descriptor;
    const checked = (method: Method, happened: string, advice: string): Method =>
      function (this: unknown, ...parameters) {
        if (!isObject(this) || !instances.has(this)) {
          throw new TypeError(
            `${noun}.${name}${happened} without its ${noun}, or on a proxy of it: ${advice} the ${noun}`,
          );
        }
        // Within `try` it is no tail call, which in WebKit would take this function off the stack. A build removes an empty
        // `finally`.
        try {
          return Reflect.apply(method, this, parameters);
        } catch (error) {
          throw error;
        }
      };
    if (typeof value === "function") descriptor.value = checked(value, "() was called", "call it on");
    if (get !== undefined) descriptor.get = checked(get, " was read", "read it from");
    Object.defineProperty(prototype, name, descriptor);
  }
}

/**
 * Tags the instances of a class. State management (Vue, Pinia, Alpine) leaves tagged objects alone. It wraps other
 * objects in a proxy, which cannot read private members.
 */
export function tagInstances(prototype: object, tag: string): void {
  Object.defineProperty(prototype, Symbol.toStringTag, { value: tag, configurable: true });
}
