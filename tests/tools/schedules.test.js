/** The command line of the schedules. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { chosenWork } from "../../tools/schedules.js";

test("a number of schedules begins at a random seed, and prints it", () => {
  const [once, again] = [chosenWork(["1000000"]), chosenWork(["1000000"])];
  assert.equal(once.env.SCHEDULES, "1000000");
  assert.notEqual(once.env.SEED, again.env.SEED);
  assert.equal(once.heading, `Running 1000000 schedules from seed ${once.env.SEED} on …`);
});

test("the default is a hundred thousand schedules", () => {
  assert.equal(chosenWork([]).env.SCHEDULES, "100000");
});

test("a seed of any size runs one schedule", () => {
  const { test, env } = chosenWork(["--seed", "18446744073709551615"]);
  assert.deepEqual(env, { SEED: "18446744073709551615" });
  assert.notEqual(test, chosenWork([]).test);
});

test("anything else is rejected in one sentence", () => {
  for (const wrong of [["0"], ["-1"], ["many"], ["1e6"], ["--seed", "x"], ["--seed", "18446744073709551616"]]) {
    assert.throws(() => chosenWork(wrong), /^Error: ".+" is not a (seed|number of schedules)\.$/, wrong.join(" "));
  }
  for (const wrong of [["--seed"], ["1", "2"], ["--seed", "1", "2"]]) {
    assert.throws(() => chosenWork(wrong), /takes one thing/, wrong.join(" "));
  }
});
