/** The compilers of TypeScript, on programs that use the built package. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import process from "node:process";
import { inRepository } from "../../../tools/repository.js";

/** @typedef {{ compiler: string, parameters?: string[] }} Compilation */

/**
 * Expects that a project compiles.
 * @param {string} project the path of its tsconfig.json
 * @param {Compilation} compilation
 */
export function compile(project, compilation) {
  assert.equal(errorsOf(project, compilation), "");
}

/**
 * What a compiler says of a project.
 * @param {string} project
 * @param {Compilation} compilation
 */
export function errorsOf(project, { compiler, parameters = [] }) {
  const program = inRepository("node_modules", compiler, "bin", "tsc");
  return spawnSync(process.execPath, [program, "--project", project, ...parameters], { encoding: "utf8" }).stdout;
}
