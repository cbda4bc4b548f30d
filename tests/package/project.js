/** A project: a folder outside the repository, with the package installed from its tarball. */

import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { pack } from "../../tools/tarball.js";

/**
 * Makes a project with the given files.
 * @param {Record<string, string>} files contents by name
 */
export function makeProject(files) {
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
function install(folder) {
  const { status, stderr } = spawnSync("npm", ["install", "--offline", "--no-audit", "--no-fund", pack()], {
    cwd: folder,
    encoding: "utf8",
    shell: process.platform === "win32",
  });
  if (status !== 0) {
    throw new Error(`npm could not install the tarball: ${stderr}`);
  }
}
