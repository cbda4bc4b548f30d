/** The clients of a test, and other objects that are freed after the test. */

import { afterEach } from "vitest";
import { FindingsClient } from "./place.js";

/** @type {{ free(): void }[]} */
const held = [];

afterEach(() => {
  for (const one of held.splice(0)) {
    one.free();
  }
});

/**
 * Creates a client that is freed after the test.
 * @param {import("./wire.js").Wire} wire
 * @param {import("inspection-findings").Options} [options]
 */
export function clientOf(wire, options) {
  return freeAfterTest(new FindingsClient({ fetch: wire.fetch, ...options }));
}

/**
 * @template {{ free(): void }} One
 * @param {One} one
 */
export function freeAfterTest(one) {
  held.push(one);
  return one;
}
