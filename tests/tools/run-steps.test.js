/** The run of the steps: a failure stops nothing beside it and is shown at the end, and each step's output is in one piece. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { runSteps, table } from "../../tools/run-steps.js";

/**
 * What is printed, and the results.
 * @param {Partial<import("../../tools/steps.js").Step>[]} steps
 * @param {"quick" | "engines"} [tier]
 */
async function outcomeOf(steps, tier = "quick") {
  let output = "";
  const results = await runSteps(
    steps.map((step) => /** @type {any} */ ({ heading: "A step", commands: () => [script(sound)], ...step })),
    tier,
    (text) => {
      output += text;
    },
  );
  return { output, results };
}

const sound = `
  const words = ["one", "two", "three"];
  setInterval(() => (words.length > 0 ? console.log(words.shift()) : process.exit()), 30);`;

/** @param {string} text */
function script(text) {
  return { words: [process.execPath, "--eval", text] };
}

test("a step that fails stops only those that need it, and the table lists all", async () => {
  const { output, results } = await outcomeOf([
    { name: "failing", commands: () => [script("process.exit(3)"), script("console.log('still run')")] },
    { name: "sound" },
    { name: "after it", needs: ["failing"], commands: () => [script("console.log('never')")] },
    { name: "later" },
  ]);
  assert.match(output, /still run/);
  assert.doesNotMatch(output, /never/);
  const lines = table(results).map((line) => line.replace(/ +\d+\.\d s/, ""));
  assert.deepEqual(lines, [
    "✗ failing",
    "    status 3: node --eval process.exit(3)",
    "✓ sound",
    "✗ after it",
    "    Not run, because failing failed: what is there from an earlier run would prove nothing.",
    "✓ later",
    "",
    "2 passed, 2 failed",
  ]);
});

test("no way to end makes a failure a success", async () => {
  const { results } = await outcomeOf([
    { name: "killed", commands: () => [script("process.kill(process.pid, 'SIGKILL')")] },
    { name: "not there", commands: () => [{ words: ["no-such-program"] }] },
    {
      name: "not begun",
      commands: () => {
        throw new Error("nothing to run");
      },
    },
    { name: "uncaught", commands: () => [script("throw new Error('too late')")] },
  ]);
  const [killed, notThere, notBegun, uncaught] = results.map(({ troubles }) => troubles.join());
  assert.match(killed, /^SIGKILL: /);
  assert.match(notThere, /ENOENT/);
  assert.equal(notBegun, "nothing to run");
  assert.match(uncaught, /^status 1: /);
});

test("a command sees its tier and its own variables, and all that it prints is kept", async () => {
  const { output } = await outcomeOf([
    {
      name: "talkative",
      commands: (tier) => [
        {
          ...script("console.log(process.env.TIER, process.env.OWN); console.error('x'.repeat(300_000))"),
          env: { OWN: `of ${tier}` },
        },
      ],
    },
  ]);
  assert.match(output, /quick of quick\n/);
  assert.equal(output.match(/xx/g)?.length, 150_000);
});

test("side by side the output of each step is in one piece", async () => {
  const { output } = await outcomeOf([{ name: "a" }, { name: "b" }]);
  for (const name of ["a", "b"]) {
    const piece = `\n=== A step (${name}) ===\none\ntwo\nthree\n--- ${name}: passed`;
    assert.ok(output.includes(piece), output);
  }
});

test("side by side the output of a step that fails comes last", async () => {
  const { output } = await outcomeOf([
    { name: "failing", commands: () => [script("console.log('why'); process.exit(1)")] },
    { name: "sound" },
  ]);
  assert.match(output, /✗ failing: its output comes last.*--- sound: passed.*why\nstatus 1: .*--- failing: failed/s);
});

test("one after the other the output is there as it comes", async () => {
  const { output } = await outcomeOf([{ name: "a" }, { name: "b" }], "engines");
  assert.doesNotMatch(output, /…/);
  assert.ok(output.indexOf("three") < output.indexOf("(b)"));
});
