/** The choice of the steps: those of a tier, or the ones of them that the command line names. */

import { Failure } from "./command.js";
import { tiers } from "./tiers.js";

/**
 * @typedef {import("./steps.js").Step} Step
 * @typedef {import("./tiers.js").TierName} TierName
 */

const tierNames = /** @type {TierName[]} */ (Object.keys(tiers));

/**
 * What the command line asks for: steps, and those that they need.
 * @param {string[]} parameters
 * @param {Step[]} steps
 */
export function chosenSteps(parameters, steps) {
  const tier = tierNames.find((name) => parameters.includes(`--${name}`)) ?? "quick";
  const names = parameters.filter((parameter) => parameter !== `--${tier}`);
  const known = namesOf(tier, steps);
  for (const name of names.filter((name) => !known.includes(name))) {
    throw new Failure(`\`${tiers[tier].command}\` has no step "${name}". The steps are:\n${help(steps)}`);
  }
  const wanted = new Set(names.length === 0 ? known : names);
  // A step comes after those that it needs.
  for (const { name, needs = [] } of steps.toReversed()) {
    if (wanted.has(name)) for (const need of needs) wanted.add(need);
  }
  return { tier, chosen: steps.filter(({ name }) => wanted.has(name)) };
}

/**
 * What the command line can ask for.
 * @param {Step[]} steps
 */
export function help(steps) {
  return tierNames
    .map((tier) => `${tiers[tier].command} [-- STEP …], of ${namesOf(tier, steps).join(", ")}`)
    .join("\n");
}

/**
 * @param {TierName} tier
 * @param {Step[]} steps
 */
function namesOf(tier, steps) {
  return steps.filter(({ tiers }) => tiers.includes(tier)).map(({ name }) => name);
}
