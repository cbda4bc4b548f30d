/** An environment of Python below `target/`, with packages of one version each. */

import { log, run } from "./command.js";
import { inRepository } from "./repository.js";

/**
 * Installs packages in an environment, and returns the path of its Python.
 * @param {string} folder below `target/`
 * @param {string[]} packages
 */
export async function ensurePython(folder, packages) {
  const environment = inRepository("target", folder);
  // Also completes an environment that was interrupted.
  await run("python3", ["-m", "venv", environment], {
    otherwise: "Python 3.9 or later with `venv` is needed: get it with `apt-get install python3-venv`.",
  });
  log(`Installing ${packages.join(", ")} …`);
  const python = inRepository("target", folder, "bin", "python");
  await run(python, ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", ...packages]);
  return python;
}
