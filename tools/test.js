/** The tests: sets up what they need, runs every step of a tier, and ends with one line of totals. */

import process from "node:process";
import { browserPath } from "./browser.js";
import { chosenSteps } from "./choice.js";
import { say, script } from "./command.js";
import { inRepository } from "./repository.js";
import { setUp, setUpChecks } from "./setup.js";
import { runSideBySide } from "./side-by-side.js";
import { runStepProcess } from "./step-process.js";
import { steps } from "./steps.js";
import { sum } from "./test-summary.js";
import { tiers } from "./tiers.js";

/**
 * @typedef {import("./steps.js").Step} Step
 * @typedef {import("./tiers.js").Tier} Tier
 * @typedef {import("./test-summary.js").Totals} Totals
 * @typedef {{ step: Step, totals: Totals, seconds: number }} Result
 */

await script(async () => {
  const start = performance.now();
  const { tier, chosen } = chosenSteps(process.argv.slice(2), steps);
  await setUp();
  await setUpChecks();
  if (chosen.some(({ usesBrowser }) => usesBrowser)) {
    say(`The browser is ${browserPath()}.`);
  }
  if (process.stdout.isTTY) {
    Object.assign(process.env, { FORCE_COLOR: "1", CARGO_TERM_COLOR: "always" });
  }
  say(`The set-up took ${since(start)}.`);
  const results = await runAll(chosen, tiers[tier]);
  const totals = sum(results.map((result) => result.totals));
  summarise(results);
  process.exitCode = totals.failed === 0 ? 0 : 1;
  say(`${wording(totals)}, ${since(start)}`);
});

/**
 * Runs every step, whatever becomes of the others.
 * @param {Step[]} chosen
 * @param {Tier} tier
 * @returns {Promise<Result[]>}
 */
function runAll(chosen, { environment, sideBySide }) {
  /** @type {Map<string, Totals>} */
  const done = new Map();
  const isShownAtOnce = sideBySide === 1 || chosen.length === 1;
  const jobs = chosen.map((step) => ({
    name: step.name,
    after: step.needs,
    holds: step.holds,
    alone: step.alone,
    run: async () => {
      const result = await runOne(step, environment, isShownAtOnce, failedNeed(step, done));
      done.set(step.name, result.totals);
      return result;
    },
  }));
  return runSideBySide(jobs, sideBySide);
}

/**
 * @param {Step} step
 * @param {Map<string, Totals>} done
 */
function failedNeed({ needs = [] }, done) {
  return needs.find((name) => done.get(name)?.failed !== 0);
}

/**
 * @param {Step} step
 * @param {Record<string, string>} environment
 * @param {boolean} isShownAtOnce
 * @param {string | undefined} failedNeed
 * @returns {Promise<Result>}
 */
async function runOne(step, environment, isShownAtOnce, failedNeed) {
  const heading = `\n=== ${step.heading} (${step.name}) ===\n`;
  let output = "";
  const show = isShownAtOnce
    ? (/** @type {string} */ text) => void process.stdout.write(text)
    : (/** @type {string} */ text) => {
        output += text;
      };
  if (!isShownAtOnce) {
    say(`… ${step.name}`);
  }
  show(heading);
  const start = performance.now();
  const totals = await totalsOf(step, environment, show, failedNeed);
  process.stdout.write(output);
  say(`--- ${step.name}: ${wording(totals)}, ${since(start)}`);
  return { step, totals, seconds: (performance.now() - start) / 1000 };
}

/**
 * @param {Step} step
 * @param {Record<string, string>} environment
 * @param {(text: string) => void} show
 * @param {string | undefined} failedNeed
 * @returns {Promise<Totals>}
 */
async function totalsOf({ name }, environment, show, failedNeed) {
  if (failedNeed !== undefined) {
    show(`Not run, because ${failedNeed} failed: what is there from an earlier run would prove nothing.\n`);
    return { passed: 0, failed: 1 };
  }
  return runStepProcess(inRepository("tools", "step.js"), [name], environment, show);
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

/** @param {number} start */
function since(start) {
  return `${((performance.now() - start) / 1000).toFixed(1)} s`;
}
