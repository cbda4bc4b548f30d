/** The tier of the tests: the quick one, of `npm test`, or else the full one, which a test that is run by itself has, too. */

import process from "node:process";

const { ENGINE: engine = "chromium", TIER: tier, DECODE: place } = process.env;

/** Whether the tests that take long are left out. */
export const isQuick = tier === "quick";

/** Whether the whole full tier runs, and not a file by itself. */
export const isFull = tier === "full";

/** The browser that runs the tests of the public interface. */
export { engine };

/** Whether workers decode all bodies. */
export const inWorker = place === "worker";

/** What the caches of tests in a browser are apart by. */
export const mode = inWorker ? `${engine}-worker` : engine;

/** Whether the tests in Vitest run in full. The other engines run what the quick tier runs in Chromium. */
export const runsAll = !isQuick && engine === "chromium";

/**
 * What tests in Vitest are given: how many cases a test makes, at most, of a rule that the Rust tests prove with many, and the share of all other
 * counts. A test states its count in the full tier.
 */
export const counts = runsAll ? { ruleCases: Number.MAX_SAFE_INTEGER, share: 1 } : { ruleCases: 2, share: 0.1 };
