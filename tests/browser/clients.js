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
  const client = new FindingsClient({ fetch: wire.fetch, ...options });
  freeAfterTest(client);
  return client;
}

export function freeAfterTest(/** @type {{ free(): void }} */ one) {
  held.push(one);
}
