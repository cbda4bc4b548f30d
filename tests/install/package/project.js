/** A project: a folder outside the repository, with the package from its tarball. */

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pack } from "../../../tools/tarball.js";

/** The tarball that the script of the tests has packed, or a new one. */
const tarball = () => {
  process.env.TARBALL ??= pack();
  return process.env.TARBALL;
};

/**
 * Makes a project with the given files.
 * @param {Record<string, string>} files contents by name
 * @param {(folder: string) => void} [install] puts the package into the project
 */
export function makeProject(files, install = unpack) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "inspection-findings-")));
  const manifest = JSON.stringify({ private: true, type: "module" });
  for (const [name, content] of Object.entries({ "package.json": manifest, ...files })) {
    writeFileSync(join(folder, name), content);
  }
  install(folder);
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/**
 * Installs the tarball. The package has no dependencies, so this needs no network.
 * @param {string} folder
 */
export function installByNpm(folder) {
  execFileSync("npm", ["install", "--offline", "--no-audit", "--no-fund", tarball()], { cwd: folder });
}

/**
 * Leaves what npm would install, in less time.
 * @param {string} folder
 */
function unpack(folder) {
  const installed = join(folder, "node_modules", "inspection-findings");
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", tarball(), "-C", installed, "--strip-components=1"]);
}

/**
 * A page with scripts.
 * @param {string} script the path of the module that it starts
 * @param {string} [before] what its body has before that
 */
export function html(script, before = "") {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>A project</title><link rel="icon" href="data:,">
    ${before}<script type="module" src="${script}"></script></html>`;
}
