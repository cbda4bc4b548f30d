/** The mutants: what the command line may ask for, and what it is told when it asks for something else. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readOptions } from "../../tools/mutants.js";

test("without a number there are a hundred, the same ones each time, at the counts of the quick tier", () => {
  assert.deepEqual(readOptions([]), { count: 100, seed: 1, tier: "quick" });
});

test("a number, a seed and the full tier are taken", () => {
  assert.deepEqual(readOptions(["20", "--seed", "7", "--full"]), { count: 20, seed: 7, tier: "full" });
});

test("anything else is refused in one sentence", () => {
  for (const wrong of [["0"], ["many"], ["--seed", "x"]]) {
    assert.throws(() => readOptions(wrong), /^Error: ".+" is not a (seed|number of mutants)\.$/, wrong.join(" "));
  }
  assert.throws(() => readOptions(["1", "2"]), /takes one number/);
  assert.throws(() => readOptions(["--nonsense"]), /--nonsense/);
});
