/** The set-up: the scripts run in one Node, whatever the machine has. */

import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository, root } from "../../tools/repository.js";

test("scripts run in the Node that tools/node and .node-version name", () => {
  const { version } = JSON.parse(readFileSync(inRepository("tools", "node", "package.json"), "utf8"));
  const run = execFileSync("npm", ["exec", "--", "node", "--version"], { cwd: root, encoding: "utf8" }).trim();
  assert.deepEqual([run, readFileSync(inRepository(".node-version"), "utf8").trim()], [`v${version}`, version]);
});

test("a second set-up installs nothing", () => {
  const { status, stdout, stderr } = spawnSync("npm", ["run", "--silent", "setup", "build"], {
    cwd: root,
    encoding: "utf8",
  });
  assert.equal(status, 0, stderr);
  assert.doesNotMatch(stdout + stderr, /Installing|Compiling/);
});
