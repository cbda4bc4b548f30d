/** The public types: they compile in a caller's project, their examples too, and equal the reviewed snapshot. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { packageCommand } from "../../tools/command.js";
import { inRepository } from "../../tools/repository.js";
import { writeExamples } from "./examples.js";
import { currentTypes, snapshotFile } from "./snapshot.js";

for (const [resolution, parameters] of /** @type {[string, string[]][]} */ ([
  ["a bundler", []],
  ["Node", ["--module", "nodenext", "--moduleResolution", "nodenext"]],
])) {
  test(`a file that uses the whole interface compiles strictly, resolved as ${resolution} does`, () => {
    compile("tests/types/tsconfig.json", parameters);
  });
}

test("every example in the documentation of the types compiles strictly", () => {
  const { count, project } = writeExamples();
  assert.ok(count > 0, "the types have examples");
  compile(project);
});

test("the public types equal the committed snapshot", () => {
  const current = inRepository("target", "public.d.ts");
  writeFileSync(current, currentTypes());
  const { status, stdout } = spawnSync("git", ["diff", "--no-index", snapshotFile, current], { encoding: "utf8" });
  assert.ok(status === 0, `They changed; if that is meant, run \`npm run update:types\`.\n${stdout}`);
});

/**
 * @param {string} project
 * @param {string[]} [parameters]
 */
function compile(project, parameters = []) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [packageCommand("typescript"), "--project", project, ...parameters],
    { encoding: "utf8" },
  );
  assert.ok(status === 0, stdout);
}
