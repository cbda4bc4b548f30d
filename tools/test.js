/** The tests: sets up what they need, runs every step, and ends with one line of totals. */

import process from "node:process";
import { browserPath } from "./browser.js";
import { Failure, say, script } from "./command.js";
import { setUp, setUpChecks } from "./setup.js";
import { buildStep, steps } from "./steps.js";
import { sum } from "./test-summary.js";

/**
 * @typedef {import("./steps.js").Step} Step
 * @typedef {import("./test-summary.js").Totals} Totals
 * @typedef {{ step: Step, totals: Totals, seconds: number }} Result
 */

await script(async () => {
  const chosen = chosenSteps();
  await setUp();
  await setUpChecks();
  if (chosen.some(({ usesBrowser }) => usesBrowser)) {
    say(`The browser is ${browserPath()}.`);
  }
  if (process.stdout.isTTY) {
    Object.assign(process.env, { FORCE_COLOR: "1", CARGO_TERM_COLOR: "always" });
  }
  const results = await runAll(chosen);
  const totals = sum(results.map((result) => result.totals));
  summarise(results);
  process.exitCode = totals.failed === 0 ? 0 : 1;
  say(wording(totals));
});

/** The steps named on the command line, or all of them; a step about the package brings the build with it. */
function chosenSteps() {
  const names = process.argv.slice(2);
  const known = steps.map(({ name }) => name);
  const unknown = names.find((name) => !known.includes(name));
  if (unknown !== undefined) {
    throw new Failure(`There is no step "${unknown}"; the steps are ${known.join(", ")}.`);
  }
  const named = names.length === 0 ? steps : steps.filter(({ name }) => names.includes(name));
  const needsBuild = named.some(({ usesPackage }) => usesPackage);
  return steps.filter((step) => named.includes(step) || (needsBuild && step === buildStep));
}

/**
 * Runs every step, whatever becomes of those before it.
 * @param {Step[]} chosen
 */
async function runAll(chosen) {
  /** @type {Result[]} */
  const results = [];
  for (const step of chosen) {
    const isBuilt = results.every((result) => result.step !== buildStep || result.totals.failed === 0);
    results.push(await runOne(step, isBuilt));
  }
  return results;
}

/**
 * @param {Step} step
 * @param {boolean} isBuilt
 * @returns {Promise<Result>}
 */
async function runOne(step, isBuilt) {
  say(`\n=== ${step.heading} (${step.name}) ===`);
  const start = performance.now();
  const totals = await totalsOf(step, isBuilt);
  const seconds = (performance.now() - start) / 1000;
  say(`--- ${step.name}: ${wording(totals)}, ${seconds.toFixed(1)} s`);
  return { step, totals, seconds };
}

/**
 * @param {Step} step
 * @param {boolean} isBuilt
 * @returns {Promise<Totals>}
 */
async function totalsOf(step, isBuilt) {
  try {
    if (step.usesPackage && !isBuilt) {
      throw new Failure("Not run, because the build failed: an earlier package would prove nothing.");
    }
    return await step.run();
  } catch (error) {
    say(error instanceof Failure ? error.message : String(error instanceof Error ? error.stack : error));
    return { passed: 0, failed: 1 };
  }
}

/** @param {Result[]} results */
function summarise(results) {
  say("");
  for (const { step, totals, seconds } of results) {
    const mark = totals.failed === 0 ? "✓" : "✗";
    say(`${mark} ${step.name.padEnd(12)} ${`${seconds.toFixed(1)} s`.padStart(8)}   ${wording(totals)}`);
    for (const failure of totals.failures ?? []) {
      say(`    ${failure.replaceAll("\n", "\n      ")}`);
    }
  }
  say("");
}

/** @param {Totals} totals */
function wording({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}
