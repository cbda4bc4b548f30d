/** The run of the steps: each in a process of its own, with its output in one piece, whatever becomes of the others. */

import process from "node:process";
import { inRepository } from "./repository.js";
import { runSideBySide } from "./side-by-side.js";
import { runStepProcess } from "./step-process.js";

/**
 * @typedef {import("./steps.js").Step} Step
 * @typedef {import("./tiers.js").Tier} Tier
 * @typedef {import("./test-summary.js").Totals} Totals
 * @typedef {{ step: Step, totals: Totals, seconds: number }} Result
 * @typedef {(text: string) => void} Print
 */

const stepScript = inRepository("tools", "step.js");

/**
 * Runs the steps as the tier has it.
 * @param {Step[]} steps
 * @param {Tier} tier
 * @param {{ print?: Print, script?: string }} [options]
 * @returns {Promise<Result[]>}
 */
export function runSteps(steps, { environment, sideBySide }, { print = toOutput, script = stepScript } = {}) {
  /** @type {Map<string, Totals>} */
  const done = new Map();
  const isShownAtOnce = sideBySide === 1 || steps.length === 1;
  const jobs = steps.map((step) => ({
    name: step.name,
    after: step.needs,
    holds: step.holds,
    alone: step.alone,
    run: async () => {
      const failedNeed = step.needs?.find((name) => done.get(name)?.failed !== 0);
      const run = (/** @type {Print} */ show) =>
        failedNeed === undefined ? runStepProcess(script, [step.name], environment, show) : notRun(failedNeed, show);
      const result = await (isShownAtOnce ? shownAtOnce(step, run, print) : shownInOnePiece(step, run, print));
      done.set(step.name, result.totals);
      return result;
    },
  }));
  return runSideBySide(jobs, sideBySide);
}

/**
 * A line for each step, and one for each of its failures.
 * @param {Result[]} results
 */
export function table(results) {
  return results.flatMap(({ step, totals, seconds }) => {
    const mark = totals.failed === 0 ? "✓" : "✗";
    return [
      `${mark} ${step.name.padEnd(12)} ${`${seconds.toFixed(1)} s`.padStart(8)}   ${wording(totals)}`,
      ...(totals.failures ?? []).map((failure) => `    ${failure.replaceAll("\n", "\n      ")}`),
    ];
  });
}

/** @param {Totals} totals */
export function wording({ passed, failed }) {
  return `${passed} passed, ${failed} failed`;
}

/**
 * @param {string} failedNeed
 * @param {Print} show
 * @returns {Promise<Totals>}
 */
async function notRun(failedNeed, show) {
  show(`Not run, because ${failedNeed} failed: what is there from an earlier run would prove nothing.\n`);
  return { passed: 0, failed: 1 };
}

/**
 * @param {Step} step
 * @param {(show: Print) => Promise<Totals>} run
 * @param {Print} print
 * @returns {Promise<Result>}
 */
async function shownInOnePiece(step, run, print) {
  let output = "";
  print(`… ${step.name}\n`);
  const result = await shownAtOnce(step, run, (text) => {
    output += text;
  });
  print(output);
  return result;
}

/**
 * @param {Step} step
 * @param {(show: Print) => Promise<Totals>} run
 * @param {Print} print
 * @returns {Promise<Result>}
 */
async function shownAtOnce(step, run, print) {
  print(`\n=== ${step.heading} (${step.name}) ===\n`);
  const start = performance.now();
  const totals = await run(print);
  const seconds = (performance.now() - start) / 1000;
  print(`--- ${step.name}: ${wording(totals)}, ${seconds.toFixed(1)} s\n`);
  return { step, totals, seconds };
}

/** @param {string} text */
function toOutput(text) {
  process.stdout.write(text);
}
