/** The tarball: the package exactly as npm would publish it. */

import { execFileSync } from "node:child_process";
import { mkdtempSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { isStarted } from "./command.js";
import { inRepository, root, target } from "./repository.js";

/** Packs the built package, and returns the path of the tarball. Another process may read the one before, whose file stays whole. */
export function pack() {
  const folder = mkdtempSync(join(target, "pack-"));
  const options = ["--json", "--ignore-scripts", "--pack-destination", folder];
  const [{ filename }] = JSON.parse(execFileSync("npm", ["pack", ...options], { cwd: root, encoding: "utf8" }));
  const tarball = inRepository("target", filename);
  renameSync(join(folder, filename), tarball);
  rmSync(folder, { recursive: true });
  return tarball;
}

if (isStarted(import.meta)) console.log(pack());
