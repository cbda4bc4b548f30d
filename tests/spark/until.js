/** Waits for a condition that nothing announces. */

import { setTimeout } from "node:timers/promises";

/**
 * Resolves once a condition holds.
 * @param {() => boolean} condition
 */
export async function until(condition) {
  while (!condition()) await setTimeout(20);
}
