/** The public types compile in a caller's project, and so do their examples. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { isQuick } from "../tier.js";
import { writeExamples } from "./examples.js";

/** The oldest compiler that the documentation names, the last that is written in JavaScript, and the newest, which is written in Go. */
const allCompilers = /** @type {const} */ (["typescript-5.7", "typescript-5", "typescript"]);

/** The quick tier leaves out the one between the other two. */
const compilers = allCompilers.filter((name) => !(isQuick && name === "typescript-5"));

const resolutions = {
  Node: ["--module", "nodenext", "--moduleResolution", "nodenext"],
  "a bundler": [],
};

for (const compiler of compilers) {
  // The compilers in JavaScript are slow: the quick tier gives the oldest one less to do.
  const doesAll = !isQuick || compiler === "typescript";
  const { Node } = resolutions;
  for (const [resolution, parameters] of Object.entries(doesAll ? resolutions : { Node })) {
    test(`files that use the whole interface compile strictly with ${compiler}, resolved as ${resolution} does`, () => {
      compile("tests/types/tsconfig.json", { compiler, parameters });
    });
  }

  test(`a program without the types of the web platform compiles strictly with ${compiler}`, () => {
    compile("tests/types/without-dom/tsconfig.json", { compiler });
  });

  if (doesAll) {
    test(`every example in the documentation of the types compiles strictly with ${compiler}`, () => {
      const { count, project } = writeExamples();
      assert.ok(count > 0, "the types have examples");
      compile(project, { compiler });
    });
  }
}

/**
 * @param {string} project
 * @param {object} [options]
 * @param {(typeof allCompilers)[number]} [options.compiler]
 * @param {string[]} [options.parameters]
 */
function compile(project, { compiler = "typescript", parameters = [] } = {}) {
  const { status, stdout } = spawnSync(
    process.execPath,
    [inRepository("node_modules", compiler, "bin", "tsc"), "--project", project, ...parameters],
    { encoding: "utf8" },
  );
  assert.ok(status === 0, stdout);
}
