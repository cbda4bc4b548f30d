/** The choice of the steps: those of a tier, or the ones of them that the command line names. */

import { Failure } from "./command.js";
import { tiers } from "./tiers.js";

/**
 * @typedef {import("./steps.js").Step} Step
 * @typedef {import("./tiers.js").TierName} TierName
 */

/**
 * What the command line asks for; a step about the package brings the build with it.
 * @param {string[]} parameters
 * @param {Step[]} steps
 * @returns {{ tier: TierName, chosen: Step[] }}
 */
export function chosenSteps(parameters, steps) {
  const tierNames = /** @type {TierName[]} */ (Object.keys(tiers));
  const tier = tierNames.find((name) => parameters.includes(`--${name}`)) ?? "quick";
  const names = parameters.filter((parameter) => !tierNames.some((name) => parameter === `--${name}`));
  const ofTier = steps.filter(({ tiers }) => tiers.includes(tier));
  for (const name of names) {
    expectStep(name, tier, steps);
  }
  const named = names.length === 0 ? ofTier : ofTier.filter(({ name }) => names.includes(name));
  const needed = new Set(named.flatMap(({ needs = [] }) => needs));
  return { tier, chosen: steps.filter((step) => named.includes(step) || needed.has(step.name)) };
}

/**
 * What the command line can ask for.
 * @param {Step[]} steps
 */
export function help(steps) {
  const tierNames = /** @type {TierName[]} */ (Object.keys(tiers));
  return tierNames
    .map((tier) => {
      const names = steps.filter((step) => step.tiers.includes(tier)).map(({ name }) => name);
      return `${tiers[tier].command} [-- STEP …], of ${names.join(", ")}`;
    })
    .join("\n");
}

/**
 * @param {string} name
 * @param {TierName} tier
 * @param {Step[]} steps
 */
function expectStep(name, tier, steps) {
  const step = steps.find((step) => step.name === name);
  if (step === undefined) {
    const known = steps.filter(({ tiers }) => tiers.includes(tier)).map(({ name }) => name);
    throw new Failure(`There is no step "${name}"; the steps of \`${tiers[tier].command}\` are ${known.join(", ")}.`);
  }
  if (!step.tiers.includes(tier)) {
    const others = step.tiers.map((other) => `\`${tiers[other].command}\``).join(" and ");
    throw new Failure(`The step "${name}" is one of ${others}, not of \`${tiers[tier].command}\`.`);
  }
}
