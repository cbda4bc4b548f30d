/** The choice of the steps: what the command line names, of the tier that it names, with what these steps need. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenSteps } from "../../tools/choice.js";
import { steps } from "../../tools/steps.js";

/** @param {...string} parameters */
function namesOf(...parameters) {
  return chosenSteps(parameters, steps).chosen.map(({ name }) => name);
}

test("nothing named is every step of the tier", () => {
  for (const tier of /** @type {const} */ (["quick", "full"])) {
    const expected = steps.filter(({ tiers }) => tiers.includes(tier));
    assert.deepEqual(chosenSteps([`--${tier}`], steps), { tier, chosen: expected });
  }
  assert.equal(chosenSteps([], steps).tier, "quick");
});

test("a step that is named brings those that it needs, and what those need, in the order of all", () => {
  assert.deepEqual(namesOf("demo", "clippy"), ["build", "clippy", "demo-build", "demo"]);
  assert.deepEqual(namesOf("format"), ["format"]);
});

test("every step has its own name and a tier, and what it needs is of all its tiers and starts before it", () => {
  assert.equal(new Set(steps.map(({ name }) => name)).size, steps.length);
  for (const [at, { name, needs = [], tiers }] of steps.entries()) {
    assert.ok(tiers.length > 0, name);
    for (const need of needs) {
      const needed = steps.slice(0, at).find((step) => step.name === need);
      assert.ok(needed !== undefined && tiers.every((tier) => needed.tiers.includes(tier)), `${name} needs ${need}`);
    }
  }
});

test("a step that the tier does not have is refused, with the steps of every tier", () => {
  assert.throws(
    () => namesOf("nonsense"),
    /^Error: `npm test` has no step "nonsense"\. .*\nnpm test .*, of build, .*\n/,
  );
  assert.throws(() => namesOf("--full", "biome"), /^Error: `npm run test:full` has no step "biome"\. /);
});
