/** The compilers of TypeScript, on programs that use the built package. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { inRepository } from "../../tools/repository.js";

/**
 * Expects that a project compiles.
 * @param {string} project the path of its tsconfig.json
 * @param {{ compiler: string, parameters?: string[] }} options
 */
export function compile(project, { compiler, parameters = [] }) {
  const program = inRepository("node_modules", compiler, "bin", "tsc");
  const { status, stdout } = spawnSync(process.execPath, [program, "--project", project, ...parameters], {
    encoding: "utf8",
  });
  assert.ok(status === 0, stdout);
}
