/** A tool from crates.io, of one version, built into `target/` when it is missing. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { log, run } from "./command.js";
import { inRepository } from "./repository.js";

/**
 * The path of the tool.
 * @param {{ name: string, version: string, features?: string }} tool
 */
export async function ensureCargoTool({ name, version, features }) {
  const root = inRepository("target", name, version);
  const program = join(root, "bin", name);
  if (!existsSync(program)) {
    log(`Building ${name} (a few minutes) …`);
    const chosen = features === undefined ? [] : ["--features", features];
    await run("cargo", ["install", "--locked", "--quiet", ...chosen, "--root", root, `${name}@${version}`]);
  }
  return program;
}
