/** The run of the steps: which run side by side, in one piece each, and that no failure stops another step or is lost. */

import assert from "node:assert/strict";
import process from "node:process";
import { test } from "node:test";
import { endOf } from "../../tools/command.js";
import { runSteps, table } from "../../tools/run-steps.js";

/**
 * What is printed, in which order steps begin (…) and end (---), and the results.
 * @param {Partial<import("../../tools/steps.js").Step>[]} steps
 * @param {"quick" | "engines"} [tier] the quick one runs two steps side by side
 */
async function outcomeOf(steps, tier = "quick") {
  /** @type {string[]} */
  const printed = [];
  const whole = steps.map((step) => /** @type {any} */ ({ commands: () => [script(sound)], ...step }));
  const results = await runSteps(whole, tier, (text) => printed.push(text));
  const output = printed.join("");
  const events = [...output.matchAll(/^(?:…|---) \w+/gm)].map(([event]) => event);
  return { output, events, results };
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
  const ways = {
    "^SIGKILL: ": () => [script("process.kill(process.pid, 'SIGKILL')")],
    ENOENT: () => [{ words: ["no-such-program"] }],
    "^nothing to run$": () => assert.fail("nothing to run"),
    "^status 1: ": () => [script("throw new Error('too late')")],
  };
  const { results } = await outcomeOf(Object.entries(ways).map(([name, commands]) => ({ name, commands })));
  for (const { step, troubles } of results) assert.match(troubles.join(), new RegExp(step.name));
});

test("a command that hangs is killed, and what it has started holds nothing up", async () => {
  const hanging = script(`
    require("node:child_process").spawn("sleep", ["5"], { stdio: "inherit" });
    setInterval(() => {}, 1000);`);
  assert.equal(await endOf(hanging.words, () => {}, { limit: 600 }), "no end within 0.01 minutes");
});

test("a command sees its tier and its own variables, and all that it prints is kept", async () => {
  const talkative = script("console.log(process.env.TIER, process.env.OWN); console.error('x'.repeat(300_000))");
  const { output } = await outcomeOf([
    { name: "talkative", commands: (tier) => [{ ...talkative, env: { OWN: `of ${tier}` } }] },
  ]);
  assert.match(output, /quick of quick\n/);
  assert.equal(output.match(/xx/g)?.length, 150_000);
});

test("side by side the output of each step is in one piece, and that of a failure comes last", async () => {
  const { output } = await outcomeOf([
    { name: "failing", commands: () => [script("console.log('why'); process.exit(1)")] },
    { name: "sound" },
  ]);
  assert.ok(output.includes("\n=== sound ===\none\ntwo\nthree\n--- sound: passed"), output);
  assert.match(output, /✗ failing: its output comes last.*--- sound: passed.*why\nstatus 1: .*--- failing: failed/s);
});

test("one after the other the output is there as it comes", async () => {
  const { output } = await outcomeOf([{ name: "a" }, { name: "b" }], "engines");
  assert.doesNotMatch(output, /…/);
  assert.ok(output.indexOf("three") < output.indexOf("=== b ==="));
});

test("as many run as the tier permits, and their results come in the order of the steps", async () => {
  const { events, results } = await outcomeOf([{ name: "a" }, { name: "b" }, { name: "c" }]);
  assert.match(events.slice(0, 4).join(), /^… a,… b,--- [ab],… c$/);
  assert.equal(results.map(({ step }) => step.name).join(), "a,b,c");
});

for (const [what, a, b] of /** @type {const} */ ([
  ["needs another", {}, { needs: ["a"] }],
  ["shares a mutex with another", { mutex: "x" }, { mutex: "x" }],
])) {
  test(`a step that ${what} waits for it, and is overtaken`, async () => {
    const { events } = await outcomeOf([{ name: "a", ...a }, /** @type {any} */ ({ name: "b", ...b }), { name: "c" }]);
    assert.deepEqual(events.slice(0, 2), ["… a", "… c"]);
    assert.ok(events.indexOf("--- a") < events.indexOf("… b"));
  });
}
