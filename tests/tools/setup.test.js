/** The set-up: the scripts run in one Node, whatever the machine has. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository, root } from "../../tools/repository.js";

test("scripts run in the Node that package.json and .node-version name", () => {
  const { devDependencies } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  const version = execFileSync("npm", ["exec", "--", "node", "--version"], { cwd: root, encoding: "utf8" }).trim();
  const named = readFileSync(inRepository(".node-version"), "utf8").trim();
  assert.deepEqual([version, named], [`v${devDependencies.node}`, devDependencies.node]);
});

test("a second set-up installs nothing", () => {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "setup", "build"], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /Installing|Compiling/);
});
