/** The totals of a test run: how many tests passed and which ones failed, from the output of each runner. */

import { stripVTControlCharacters } from "node:util";

/**
 * @typedef {object} Totals
 * @property {number} passed
 * @property {number} failed
 * @property {string[]} [failures] the failed tests with their messages, as far as the runner reports them
 */

/**
 * The totals of a check without tests, which passes or fails as a whole.
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
  const plain = stripVTControlCharacters(output);
  const results = plain.matchAll(/^test result: .*? (\d+) passed; (\d+) failed;/gm);
  const totals = sum([...results].map(([, passed, failed]) => ({ passed: Number(passed), failed: Number(failed) })));
  return { ...totals, failures: [...plain.matchAll(/^test (\S+) \.\.\. FAILED$/gm)].map(([, name]) => name) };
}

/**
 * @param {string} output of `node --test` with its TAP or spec reporter
 * @returns {Totals}
 */
export function ofNode(output) {
  const plain = stripVTControlCharacters(output);
  const count = (/** @type {string} */ name) =>
    Number(plain.match(new RegExp(`^(?:ℹ|#) ${name} (\\d+)$`, "m"))?.[1] ?? 0);
  // The spec reporter prints every failure twice: in its place, and again at the end.
  const failures = new Set(
    [...plain.matchAll(/^\s*(?:✖|not ok \d+ -) (.+?)(?: \([\d.]+ms\))?$/gm)].map(([, name]) => name),
  );
  failures.delete("failing tests:");
  return { passed: count("pass"), failed: count("fail") + count("cancelled"), failures: [...failures] };
}

/**
 * @param {any} report of Vitest's JSON reporter; a file that could not be run counts as a failure
 * @returns {Totals}
 */
export function ofVitest(report) {
  /** @type {any[]} */
  const files = report.testResults;
  const brokenFiles = files.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.length === 0,
  );
  const tests = files.flatMap(({ assertionResults }) => assertionResults);
  const failed = tests.filter(({ status }) => status === "failed");
  // A test that passes in a second run is reported as passed, with the failures of the earlier runs.
  const flaky = tests.filter(({ status, failureMessages }) => status === "passed" && failureMessages?.length > 0);
  return {
    passed: report.numPassedTests - flaky.length,
    failed: report.numFailedTests + flaky.length + brokenFiles.length,
    failures: [
      ...brokenFiles.map(({ name, message }) => failure(name, message)),
      ...failed.map(({ fullName, failureMessages }) => failure(fullName, failureMessages?.[0])),
      ...flaky.map(({ fullName, failureMessages }) => failure(`${fullName} (flaky)`, failureMessages[0])),
    ],
  };
}

/**
 * @param {any} report of Playwright's JSON reporter
 * @returns {Totals}
 */
export function ofPlaywright({ stats, suites, errors }) {
  return {
    passed: stats.expected,
    failed: stats.unexpected + stats.flaky + errors.length,
    failures: [
      ...suites.flatMap((/** @type {any} */ suite) => failuresIn(suite, [])),
      ...errors.map((/** @type {any} */ { message }) => failure("outside every test", message)),
    ],
  };
}

/**
 * @param {any} suite of Playwright's report
 * @param {string[]} titles of the suites around it
 * @returns {string[]}
 */
function failuresIn({ title, specs = [], suites = [] }, titles) {
  const path = [...titles, title];
  const failed = specs.filter((/** @type {any} */ { ok, tests }) => !ok || tests.some(isFlaky));
  return [
    ...failed.map((/** @type {any} */ spec) => failure(nameOf(spec, path), messageOf(spec))),
    ...suites.flatMap((/** @type {any} */ inner) => failuresIn(inner, path)),
  ];
}

/**
 * @param {any} spec
 * @param {string[]} path
 */
function nameOf({ title, tests }, path) {
  const name = [...path, title].join(" › ");
  return tests.some(isFlaky) ? `${name} (flaky)` : name;
}

/** @param {any} test */
function isFlaky({ status }) {
  return status === "flaky";
}

/** @param {any} spec */
function messageOf({ tests }) {
  const results = tests.flatMap((/** @type {any} */ test) => test.results);
  return results.find((/** @type {any} */ { error }) => error !== undefined)?.error.message;
}

/**
 * @param {string} name
 * @param {string | undefined} message
 */
function failure(name, message) {
  const reason = stripVTControlCharacters(message ?? "")
    .split("\n", 1)[0]
    .trim();
  return reason === "" ? name : `${name}\n${reason}`;
}

/**
 * Corrects totals by the exit status: a runner that fails or runs no tests counts as a failure.
 * @param {Totals} totals
 * @param {number} status
 * @returns {Totals}
 */
export function inLightOf({ failed, ...rest }, status) {
  const unexplained = failed === 0 && (status !== 0 || rest.passed === 0);
  return { ...rest, failed: unexplained ? 1 : failed };
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
