/** The counts of the tests in Vitest: each test states that of the full tier, of which a tier makes as many as tests/tier.js says. */

import { inject } from "vitest";

/** @type {{ ruleCases: number, share: number }} */
const { ruleCases, share } = inject(/** @type {never} */ ("counts"));

/**
 * How many cases a test makes of a rule that the Rust tests prove.
 * @param {number} full
 */
export function ruleCasesOf(full) {
  return Math.min(full, ruleCases);
}

/**
 * How often a test does what nothing else proves.
 * @param {number} full
 */
export function timesOf(full) {
  return Math.max(2, Math.ceil(full * share));
}

/**
 * How much of something a test takes.
 * @param {number} full
 */
export function shareOf(full) {
  return Math.min(full, full * share);
}
