/** The process of a step: its totals come through, all of its output is kept, and no way to end makes a failure a success. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { inRepository, target } from "../../tools/repository.js";
import { runStepProcess } from "../../tools/step-process.js";

const folder = mkdtempSync(join(target, "step-"));
after(() => rmSync(folder, { recursive: true }));

/**
 * What comes of a script.
 * @param {string} script
 */
async function outcomeOf(script) {
  const path = join(folder, "step.mjs");
  writeFileSync(path, script);
  let output = "";
  const totals = await runStepProcess(path, ["browser"], { TIER: "quick" }, (text) => {
    output += text;
  });
  return { totals, output };
}

const passed = "process.send({ passed: 3, failed: 0 })";
const failed = { passed: 0, failed: 1 };

test("the totals and all that it has printed", async () => {
  const { totals, output } = await outcomeOf(
    `console.log(process.argv[2], process.env.TIER); console.error("x".repeat(300_000)); ${passed}; process.disconnect();`,
  );
  assert.deepEqual(totals, { passed: 3, failed: 0 });
  assert.match(output, /browser quick\n/);
  assert.equal(output.match(/x/g)?.length, 300_000);
});

test("a process that ends without totals has failed, and says with what status", async () => {
  const { totals, output } = await outcomeOf("console.log('half way'); process.exit(0)");
  assert.deepEqual(totals, failed);
  assert.match(output, /half way\n.*status 0/s);
});

test("a process that fails after its totals has failed", async () => {
  const { totals, output } = await outcomeOf(`${passed}; throw new Error("too late")`);
  assert.deepEqual(totals, failed);
  assert.match(output, /too late/);
});

test("a process that is killed has failed", async () => {
  const { totals, output } = await outcomeOf("process.kill(process.pid, 'SIGKILL')");
  assert.deepEqual(totals, failed);
  assert.match(output, /SIGKILL/);
});

test("a step that there is not has failed in one sentence", async () => {
  let output = "";
  const totals = await runStepProcess(inRepository("tools", "step.js"), ["nonsense"], {}, (text) => {
    output += text;
  });
  assert.deepEqual(totals, failed);
  assert.equal(output, 'There is no step "nonsense".\n');
});
