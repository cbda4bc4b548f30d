/**
 * The tiers of the tests. The quick one proves every promise once; the full one runs the whole of each step that the quick one cuts
 * short, and most of the engines' one; that of the engines runs in Firefox and WebKit what the quick one runs in Chromium; that of the packaging runs the package in other
 * people's toolchains.
 */

import process from "node:process";

/** @typedef {"quick" | "full" | "engines" | "packaging"} TierName */

/**
 * @typedef {object} Tier
 * @property {string} command
 * @property {number} sideBySide steps that run at the same time, at most
 * @property {Record<string, string>} environment what the tests read of the tier
 */

/**
 * Each test states its count in the full tier. The quick tier replaces these counts here, and nowhere else; a test that is run by itself
 * has the full ones.
 * @type {Record<TierName, Tier>}
 */
export const tiers = {
  quick: {
    command: "npm test",
    sideBySide: 2,
    environment: {
      TIER: "quick",
      // Random schedules of calls, in virtual time.
      SCHEDULES: "10000",
      // Cases of a property in Rust; a few properties take a multiple of it.
      PROPTEST_CASES: "64",
      // Cases in a browser of a rule that the Rust tests prove with many.
      RULE_CASES: "2",
      // The share of all other counts: cases of random tests and repetitions.
      SHARE: "0.1",
    },
  },
  full: { command: "npm run test:full", sideBySide: 2, environment: { TIER: "full" } },
  engines: { command: "npm run test:engines", sideBySide: 1, environment: { TIER: "engines" } },
  packaging: { command: "npm run test:packaging", sideBySide: 1, environment: { TIER: "packaging" } },
};

/** Whether the tests that take long are left out. */
export function isQuick() {
  return process.env.TIER === "quick";
}

/** The counts as tests in Vitest are given them. */
export function providedCounts() {
  const { RULE_CASES: ruleCases, SHARE: share = "1" } = process.env;
  return { ruleCases: ruleCases === undefined ? Number.MAX_SAFE_INTEGER : Number(ruleCases), share: Number(share) };
}
