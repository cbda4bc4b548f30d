/** The run of the steps: each with its output in one piece, those that fail last. */

import process from "node:process";
import { endOf, wording } from "./command.js";
import { runSideBySide } from "./side-by-side.js";
import { tiers } from "./tiers.js";

/**
 * @typedef {import("./steps.js").Step} Step
 * @typedef {{ step: Step, troubles: string[], seconds: number }} Result a step without troubles has passed
 * @typedef {(text: string) => void} Print
 */

/**
 * Runs the steps of a tier.
 * @param {Step[]} steps
 * @param {import("./tiers.js").TierName} tier
 * @param {Print} [print]
 * @returns {Promise<Result[]>}
 */
export async function runSteps(steps, tier, print = (text) => process.stdout.write(text)) {
  const { sideBySide } = tiers[tier];
  const isShownAtOnce = sideBySide === 1 || steps.length === 1;
  /** @type {Set<string>} */
  const passed = new Set();
  /** @type {string[]} */
  const failures = [];
  const jobs = steps.map((step) => ({
    name: step.name,
    after: step.needs,
    mutex: step.mutex,
    alone: step.alone?.includes(tier),
    run: async () => {
      const failedNeed = step.needs?.find((name) => !passed.has(name));
      const run = (/** @type {Print} */ show) => runStep(step, tier, failedNeed, show);
      const result = await (isShownAtOnce ? run(print) : inOnePiece(step.name, run, print, failures));
      if (result.troubles.length === 0) passed.add(step.name);
      return result;
    },
  }));
  const results = await runSideBySide(jobs, sideBySide);
  for (const output of failures) print(output);
  return results;
}

/**
 * A line for each step, one for each of its troubles, and one with the sums.
 * @param {Result[]} results
 */
export function table(results) {
  const failed = results.filter(({ troubles }) => troubles.length > 0).length;
  return [
    ...results.flatMap(({ step, troubles, seconds }) => [
      `${troubles.length === 0 ? "✓" : "✗"} ${step.name.padEnd(14)} ${`${seconds.toFixed(1)} s`.padStart(8)}`,
      ...troubles.map((trouble) => `    ${trouble}`),
    ]),
    "",
    `${results.length - failed} passed, ${failed} failed`,
  ];
}

/**
 * @param {Step} step
 * @param {import("./tiers.js").TierName} tier
 * @param {string | undefined} failedNeed
 * @param {Print} show
 * @returns {Promise<Result>}
 */
async function runStep(step, tier, failedNeed, show) {
  show(`\n=== ${step.heading} (${step.name}) ===\n`);
  const start = performance.now();
  const troubles =
    failedNeed === undefined
      ? await troublesOf(step, tier, show)
      : [`Not run, because ${failedNeed} failed: what is there from an earlier run would prove nothing.`];
  const seconds = (performance.now() - start) / 1000;
  show(
    [...troubles, `--- ${step.name}: ${troubles.length === 0 ? "passed" : "failed"}, ${seconds.toFixed(1)} s\n`].join(
      "\n",
    ),
  );
  return { step, troubles, seconds };
}

/**
 * Runs all commands of a step, and says which of them failed.
 * @param {Step} step
 * @param {import("./tiers.js").TierName} tier
 * @param {Print} show
 */
async function troublesOf(step, tier, show) {
  /** @type {string[]} */
  const troubles = [];
  try {
    for (const { words, env } of step.commands(tier)) {
      const end = await endOf(words, show, { env: { ...tiers[tier].environment, ...env } });
      if (end !== "status 0") troubles.push(`${end}: ${wording(words)}`);
    }
  } catch (error) {
    troubles.push(error instanceof Error ? error.message : String(error));
  }
  return troubles;
}

/**
 * Shows the output when the step has ended, or adds it to the failures.
 * @param {string} name
 * @param {(show: Print) => Promise<Result>} run
 * @param {Print} print
 * @param {string[]} failures
 */
async function inOnePiece(name, run, print, failures) {
  let output = "";
  print(`… ${name}\n`);
  const result = await run((text) => {
    output += text;
  });
  if (result.troubles.length === 0) {
    print(output);
  } else {
    print(`✗ ${name}: its output comes last\n`);
    failures.push(output);
  }
  return result;
}
