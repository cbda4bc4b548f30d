/** Programs of the system: named by a variable, found in the usual places, or installed with apt-get. */

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, resolve } from "node:path";
import process from "node:process";
import { Failure, log } from "./command.js";

/**
 * Returns the path that a variable names; undefined where it is not set.
 * @param {string} variable
 */
export function pathFromEnv(variable) {
  const path = process.env[variable];
  if (path && !existsSync(path)) {
    throw new Failure(
      `$${variable} names ${path}, which does not exist: correct it, or unset it to have a browser found.`,
    );
  }
  return path || undefined;
}

/**
 * Returns the first of the programs that is in a folder of `PATH` or in one of the other folders.
 * @param {string[]} programs their names or paths, the best first
 * @param {string[]} [others]
 */
export function findProgram(programs, others = []) {
  const folders = [...(process.env.PATH ?? "").split(delimiter).filter(Boolean), "/usr/bin", ...others];
  return programs.flatMap((program) => folders.map((folder) => resolve(folder, program))).find(existsSync);
}

/**
 * Installs packages of Debian where apt-get can be used.
 * @param {string} title
 * @param {string[]} packages
 */
export function installWithApt(title, packages) {
  if (process.getuid?.() !== 0 || !existsSync("/usr/bin/apt-get")) return;
  log(`Installing ${title} with apt-get (under a minute) …`);
  for (const words of [
    ["update", "-qq"],
    ["install", "-y", "-qq", "--no-install-recommends", ...packages],
  ]) {
    const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive" };
    spawnSync("apt-get", words, { stdio: ["ignore", "inherit", "inherit"], env });
  }
}
