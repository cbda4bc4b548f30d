/** The run of the tests: no failure is lost, and none stops a script that does not need it. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { inRepository, target } from "../../tools/repository.js";

/**
 * Runs scripts in their order, the first as the build.
 * @param {Record<string, string>} scripts
 */
function run(scripts) {
  const folder = mkdtempSync(join(target, "scripts-"));
  writeFileSync(join(folder, "package.json"), JSON.stringify({ scripts }));
  const program = inRepository("tools", "test.js");
  const options = /** @type {const} */ ({ cwd: folder, encoding: "utf8" });
  const { status, stdout } = spawnSync(process.execPath, [program, ...Object.keys(scripts)], options);
  rmSync(folder, { recursive: true });
  return { status, lines: stdout.trim().split("\n") };
}

test("the output of failures comes last, each in one piece, before the table and the numbers", () => {
  const { status, lines } = run({
    build: "echo built",
    first: "echo why && exit 3",
    killed: "kill -9 $$",
    sound: "echo one && sleep 0.2 && echo two",
  });
  const begin = lines.indexOf("=== sound ===");
  assert.deepEqual(lines.slice(begin, begin + 4), ["=== sound ===", "one", "two", "--- sound: Passed."]);
  assert.ok(lines.indexOf("why") > begin);
  assert.ok(lines.some((line) => /^--- first: Ended with status 3\.$/.test(line)));
  // Two lanes end in any order.
  const table = lines.slice(-7, -3).map((line) => line.split(/ +/, 2).join(" "));
  assert.deepEqual(table.sort(), ["✓ build", "✓ sound", "✗ first", "✗ killed"]);
  assert.deepEqual([status, lines.at(-1)], [1, "2 passed, 2 failed"]);
});

test("where the build fails, only the script beside it runs", () => {
  const { status, lines } = run({ build: "exit 1", beside: "echo beside", after: "echo after" });
  assert.ok(lines.includes("beside") && !lines.includes("after"));
  assert.ok(lines.includes("--- after: Not run, because build failed."));
  assert.deepEqual([status, lines.at(-1)], [1, "1 passed, 2 failed"]);
});

test("without a failure the status is 0", () => {
  const { status, lines } = run({ build: "true", other: "true" });
  assert.deepEqual([status, lines.at(-1)], [0, "2 passed, 0 failed"]);
});
