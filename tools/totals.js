/** The totals of a test run: how many tests passed and failed, read from what each runner says of itself. */

import { stripVTControlCharacters } from "node:util";

/**
 * @typedef {object} Totals
 * @property {number} passed
 * @property {number} failed
 */

/**
 * A check that is no runner of tests: it passes or fails as a whole.
 * @param {number} status
 * @returns {Totals}
 */
export function ofCheck(status) {
  return status === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

/**
 * @param {string} output of `cargo test`: one result line for each of its programs
 * @returns {Totals}
 */
export function ofCargo(output) {
  const lines = stripVTControlCharacters(output).matchAll(/^test result: .*? (\d+) passed; (\d+) failed;/gm);
  return sum([...lines].map(([, passed, failed]) => ({ passed: Number(passed), failed: Number(failed) })));
}

/**
 * @param {string} output of `node --test` with its TAP or spec reporter
 * @returns {Totals}
 */
export function ofNode(output) {
  const plain = stripVTControlCharacters(output);
  const count = (/** @type {string} */ name) =>
    Number(plain.match(new RegExp(`^(?:ℹ|#) ${name} (\\d+)$`, "m"))?.[1] ?? 0);
  return { passed: count("pass"), failed: count("fail") + count("cancelled") };
}

/**
 * @param {any} report of Vitest's JSON reporter; a file that could not be run at all has failed without a test
 * @returns {Totals}
 */
export function ofVitest(report) {
  const brokenFiles = report.testResults.filter(
    (/** @type {any} */ file) => file.status === "failed" && file.assertionResults.length === 0,
  );
  return { passed: report.numPassedTests, failed: report.numFailedTests + brokenFiles.length };
}

/**
 * @param {any} report of Playwright's JSON reporter
 * @returns {Totals}
 */
export function ofPlaywright({ stats, errors }) {
  return { passed: stats.expected, failed: stats.unexpected + stats.flaky + errors.length };
}

/**
 * The totals of a runner that ended with a status: one that fails, or that ran nothing, is never all passed.
 * @param {Totals} totals
 * @param {number} status
 * @returns {Totals}
 */
export function inLightOf({ passed, failed }, status) {
  const unexplained = failed === 0 && (status !== 0 || passed === 0);
  return { passed, failed: unexplained ? 1 : failed };
}

/**
 * @param {Totals[]} several
 * @returns {Totals}
 */
export function sum(several) {
  return several.reduce((all, one) => ({ passed: all.passed + one.passed, failed: all.failed + one.failed }), {
    passed: 0,
    failed: 0,
  });
}
