/** The choice of the mutants. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readChoice } from "../../tools/mutants.js";

test("without parameters the first group is tried, at the counts of the quick tier", () => {
  assert.deepEqual(readChoice([]), { group: 0, tier: "quick" });
});

test("a group and the full counts can be chosen", () => {
  assert.deepEqual(readChoice(["--full", "18"]), { group: 18, tier: "full" });
});

for (const parameters of [["19"], ["-1"], ["one"], ["1", "2"], ["--fast"]]) {
  test(`"${parameters.join(" ")}" is refused with the groups that there are`, () => {
    assert.throws(() => readChoice(parameters), /from 0 to 18/);
  });
}
