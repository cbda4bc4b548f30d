/** The public types: they compile in a caller's project, their examples too, and equal the reviewed snapshot. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { packageCommand } from "../../tools/command.js";
import { inRepository } from "../../tools/repository.js";
import { isQuick } from "../../tools/tiers.js";
import { writeExamples } from "./examples.js";
import { currentTypes, snapshotFile } from "./snapshot.js";

/** The oldest compiler that the documentation names, the last that is written in JavaScript, and the newest, which is written in Go. */
const allCompilers = /** @type {const} */ (["typescript-5.7", "typescript-5", "typescript"]);

/** The quick tier leaves out the one between the other two. */
const compilers = allCompilers.filter((name) => !(isQuick() && name === "typescript-5"));

for (const compiler of compilers) {
  for (const [resolution, parameters] of /** @type {[string, string[]][]} */ ([
    ["a bundler", []],
    ["Node", ["--module", "nodenext", "--moduleResolution", "nodenext"]],
  ])) {
    test(`files that use the whole interface compile strictly with ${compiler}, resolved as ${resolution} does`, () => {
      compile("tests/types/tsconfig.json", { compiler, parameters });
    });
  }

  test(`a program without the types of the web platform compiles strictly with ${compiler}`, () => {
    compile("tests/types/without-dom/tsconfig.json", { compiler });
  });

  test(`every example in the documentation of the types compiles strictly with ${compiler}`, () => {
    const { count, project } = writeExamples();
    assert.ok(count > 0, "the types have examples");
    compile(project, { compiler });
  });
}

test("the public types equal the committed snapshot", () => {
  const current = inRepository("target", "public.d.ts");
  writeFileSync(current, currentTypes());
  const { status, stdout } = spawnSync("git", ["diff", "--no-index", snapshotFile, current], { encoding: "utf8" });
  assert.ok(status === 0, `They changed; if that is meant, run \`npm run update:types\`.\n${stdout}`);
});

/**
 * @param {string} project
 * @param {object} [options]
 * @param {(typeof allCompilers)[number]} [options.compiler]
 * @param {string[]} [options.parameters]
 */
function compile(project, { compiler = "typescript", parameters = [] } = {}) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [packageCommand(compiler, "tsc"), "--project", project, ...parameters],
    { encoding: "utf8" },
  );
  assert.ok(status === 0, stdout);
}
