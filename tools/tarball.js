/** The tarball: the package exactly as npm would publish it. */

import { mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { capture, Failure } from "./command.js";
import { inRepository } from "./repository.js";

/**
 * Packs the built package, and returns the path of the tarball.
 * @param {string} [folder] which has nothing else
 * @returns {string}
 */
export function pack(folder = inRepository("target", "tarball")) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const report = capture("npm", ["pack", "--json", "--ignore-scripts", "--pack-destination", folder]);
  if (report === undefined) {
    throw new Failure("The package could not be packed: see what `npm pack` says.");
  }
  return join(folder, JSON.parse(report)[0].filename);
}
