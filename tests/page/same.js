/** Equality with the result of `JSON.parse`. */

import { expect } from "vitest";

/**
 * Expects the same keys in the same order, at every depth, and the same values by `Object.is`.
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} [path]
 */
export function expectSame(actual, expected, path = "$") {
  if (typeof expected !== "object" || expected === null) {
    if (Object.is(actual, expected)) return;
    expect.fail(`${path}: ${describeValue(actual)} instead of ${describeValue(expected)}`);
  }
  const [one, other] = [Object(actual), Object(expected)];
  expect(Object.getPrototypeOf(one), path).toBe(Object.getPrototypeOf(other));
  expect(Reflect.ownKeys(one), path).toEqual(Reflect.ownKeys(other));
  for (const key of Reflect.ownKeys(other)) {
    const [ofOne, ofOther] = [Object.getOwnPropertyDescriptor(one, key), Object.getOwnPropertyDescriptor(other, key)];
    expectSame(ofOne?.value, ofOther?.value, `${path}[${JSON.stringify(key)}]`);
    expect({ ...ofOne, value: 0 }).toEqual({ ...ofOther, value: 0 });
  }
}

/** A value in words that are its own. @param {unknown} value */
export function describeValue(value) {
  return Object.is(value, -0) ? "-0" : typeof value === "object" ? JSON.stringify(value) : String(value);
}
