/** The help of the scripts that take options. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";

for (const [script, option] of Object.entries({
  bench: "--figures",
  fuzz: "keep",
  mutants: "GROUP",
  soak: "MINUTES",
  test: "browser-worker",
})) {
  test(`tools/${script}.js --help prints the options, and ends with status 0 before any work`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [inRepository("tools", `${script}.js`), "--help"], {
      encoding: "utf8",
    });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.ok(stdout.includes(option), stdout);
    assert.doesNotMatch(stdout, /Building|Installing|Compiling/);
  });
}
