/** The totals: each runner's own words counted, and nothing taken for a success that is not one. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inLightOf, ofCargo, ofCheck, ofNode, ofPlaywright, ofVitest, sum } from "../../tools/totals.js";

test("every program of cargo test counts, coloured or not", () => {
  const output = [
    "test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out; finished in 0.01s",
    "test result: \u001b[31mFAILED\u001b[0m. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s",
  ].join("\n");
  assert.deepEqual(ofCargo(output), { passed: 15, failed: 2 });
});

test("a cancelled test of Node's runner has failed", () => {
  assert.deepEqual(ofNode("ℹ tests 6\nℹ pass 3\nℹ fail 1\nℹ cancelled 2\n"), { passed: 3, failed: 3 });
});

test("a file that Vitest could not run has failed", () => {
  const report = {
    numPassedTests: 4,
    numFailedTests: 1,
    testResults: [
      { status: "failed", assertionResults: [] },
      { status: "failed", assertionResults: [{}] },
    ],
  };
  assert.deepEqual(ofVitest(report), { passed: 4, failed: 2 });
});

test("a flaky test and an error outside every test of Playwright have failed", () => {
  const report = { stats: { expected: 7, unexpected: 1, flaky: 1, skipped: 0 }, errors: [{ message: "no server" }] };
  assert.deepEqual(ofPlaywright(report), { passed: 7, failed: 3 });
});

test("a runner that ends with an error has not passed, whatever it counted", () => {
  assert.deepEqual(inLightOf({ passed: 9, failed: 0 }, 1), { passed: 9, failed: 1 });
  assert.deepEqual(inLightOf({ passed: 9, failed: 2 }, 1), { passed: 9, failed: 2 });
});

test("a runner that ran nothing has not passed", () => {
  assert.deepEqual(inLightOf({ passed: 0, failed: 0 }, 0), { passed: 0, failed: 1 });
});

test("a check counts as one test", () => {
  assert.deepEqual(sum([ofCheck(0), ofCheck(0), ofCheck(101)]), { passed: 2, failed: 1 });
});
