/** The run of the steps: a failure stops nothing beside it and is told at the end, and each step's output is in one piece. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { target } from "../../tools/repository.js";
import { runSteps, table } from "../../tools/run-steps.js";

const folder = mkdtempSync(join(target, "steps-"));
after(() => rmSync(folder, { recursive: true }));

/** A step that fails where its name says so, and says a few things with pauses between them. */
const script = join(folder, "step.mjs");
writeFileSync(
  script,
  `import { setTimeout } from "node:timers/promises";
  const [name] = process.argv.slice(2);
  for (const word of ["one", "two", "three"]) {
    console.log(name, word);
    await setTimeout(50);
  }
  const failed = name.startsWith("failing") ? 1 : 0;
  process.send({ passed: 2 - failed, failed, failures: failed ? [name + " is wrong"] : [] });
  process.disconnect();`,
);

/**
 * What is printed, and the results.
 * @param {Partial<import("../../tools/steps.js").Step>[]} steps
 * @param {number} sideBySide
 */
async function outcomeOf(steps, sideBySide) {
  let output = "";
  const print = (/** @type {string} */ text) => {
    output += text;
  };
  const results = await runSteps(
    steps.map((step) => /** @type {any} */ ({ heading: "A step", ...step })),
    { command: "npm test", sideBySide, environment: {} },
    { print, script },
  );
  return { output, results };
}

test("of two chains side by side one fails: the other goes on, and the table tells of both", async () => {
  const { output, results } = await outcomeOf(
    [{ name: "failing" }, { name: "sound" }, { name: "after it", needs: ["failing"] }, { name: "later" }],
    2,
  );
  assert.deepEqual(
    results.map(({ totals }) => totals.failed),
    [1, 0, 1, 0],
  );
  assert.match(output, /Not run, because failing failed/);
  assert.doesNotMatch(output, /after it one/);
  const lines = table(results).map((line) => line.replace(/ +\d+\.\d s +/, " in time: "));
  assert.deepEqual(lines, [
    "✗ failing in time: 1 passed, 1 failed",
    "    failing is wrong",
    "✓ sound in time: 2 passed, 0 failed",
    "✗ after it in time: 0 passed, 1 failed",
    "✓ later in time: 2 passed, 0 failed",
  ]);
});

test("side by side the output of each step is in one piece", async () => {
  const { output } = await outcomeOf([{ name: "a" }, { name: "b" }], 2);
  for (const name of ["a", "b"]) {
    const piece = `\n=== A step (${name}) ===\n${name} one\n${name} two\n${name} three\n--- ${name}: 2 passed, 0 failed`;
    assert.ok(output.includes(piece), output);
  }
});

test("one after the other the output is there as it comes", async () => {
  const { output } = await outcomeOf([{ name: "a" }, { name: "b" }], 1);
  assert.doesNotMatch(output, /…/);
  assert.ok(output.indexOf("a three") < output.indexOf("b one"));
});
