/** The run of the steps: each with its output in one piece, those that fail last. */

import process from "node:process";
import { endOf, wording } from "./command.js";
import { tiers } from "./tiers.js";

/**
 * @typedef {import("./steps.js").Step} Step
 * @typedef {{ step: Step, troubles: string[], seconds: number }} Result a step without troubles has passed
 * @typedef {(text: string) => unknown} Print
 */

/**
 * Runs the steps of a tier in their order, side by side as the tier permits, and returns their results in that order. A later step overtakes one
 * that has to wait.
 * @param {Step[]} steps with all those that they need
 * @param {import("./tiers.js").TierName} tier
 * @param {Print} [print]
 * @returns {Promise<Result[]>}
 */
export async function runSteps(steps, tier, print = (text) => process.stdout.write(text)) {
  const { sideBySide } = tiers[tier];
  const isShownAtOnce = sideBySide === 1 || steps.length === 1;
  /** @type {Map<string, Result>} */
  const results = new Map();
  /** @type {Map<Step, Promise<unknown>>} */
  const running = new Map();
  const waiting = [...steps];
  /** @type {string[]} */
  const failures = [];

  /** @param {Step} step */
  const isReady = ({ needs = [], mutex }) =>
    needs.every((name) => results.has(name)) && !(mutex && [...running.keys()].some((other) => other.mutex === mutex));

  /** @param {Step} step */
  const start = async (step) => {
    const failedNeed = step.needs?.find((name) => results.get(name)?.troubles.length !== 0);
    /** @type {string[]} */
    const output = [];
    if (!isShownAtOnce) print(`… ${step.name}\n`);
    const result = await runStep(step, tier, failedNeed, isShownAtOnce ? print : (text) => output.push(text));
    results.set(step.name, result);
    running.delete(step);
    if (result.troubles.length === 0 || isShownAtOnce) return print(output.join(""));
    print(`✗ ${step.name}: its output comes last\n`);
    failures.push(output.join(""));
  };

  while (results.size < steps.length) {
    const next = running.size < sideBySide ? waiting.find(isReady) : undefined;
    if (next === undefined) await Promise.race(running.values());
    else {
      waiting.splice(waiting.indexOf(next), 1);
      running.set(next, start(next));
    }
  }
  for (const output of failures) print(output);
  return steps.map(({ name }) => /** @type {Result} */ (results.get(name)));
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
  show(`\n=== ${step.name} ===\n`);
  const start = performance.now();
  /** @type {string[]} */
  const troubles = [];
  if (failedNeed !== undefined) {
    troubles.push(`Not run, because ${failedNeed} failed: what is there from an earlier run would prove nothing.`);
  } else {
    try {
      for (const { words, env } of step.commands(tier)) {
        const end = await endOf(words, show, { env: { ...tiers[tier].environment, ...env } });
        if (end !== "status 0") troubles.push(`${end}: ${wording(words)}`);
      }
    } catch (error) {
      troubles.push(error instanceof Error ? error.message : String(error));
    }
  }
  const seconds = (performance.now() - start) / 1000;
  const outcome = `--- ${step.name}: ${troubles.length === 0 ? "passed" : "failed"}, ${seconds.toFixed(1)} s\n`;
  show([...troubles, outcome].join("\n"));
  return { step, troubles, seconds };
}
