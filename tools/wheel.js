/** The wheel: the Python package, with the program for Node that it starts. */

import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { build, readerFile } from "./build.js";
import { isStarted, log, run, script } from "./command.js";
import { ensurePython } from "./python.js";
import { inRepository, target } from "./repository.js";
import { setUp } from "./setup.js";

/** Builds the wheel with the pip of a Python, and returns its path. */
export async function buildWheel() {
  await build();
  const python = await ensurePython("python-build", ["pip==25.3"]);
  const [sources, wheels] = ["sources", "built"].map((name) => join(target, "wheel", name));
  rmSync(join(target, "wheel"), { recursive: true, force: true });
  mkdirSync(wheels, { recursive: true });
  cpSync(inRepository("src", "python"), sources, { recursive: true, filter: (path) => !path.endsWith("__pycache__") });
  for (const name of ["LICENSE", "THIRD-PARTY-NOTICES"]) cpSync(inRepository(name), join(sources, name));
  cpSync(readerFile, join(sources, "inspection_findings", "read.mjs"));
  const { version } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  writeFileSync(join(sources, "VERSION"), version);
  await run(python, ["-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", wheels, sources], {
    // The time of a commit is not known to a tarball: every file of a zip archive gets the earliest one.
    env: { SOURCE_DATE_EPOCH: "315532800" },
  });
  return join(wheels, readdirSync(wheels)[0]);
}

/**
 * Installs the wheel in an environment, in place of an earlier one, without what it needs.
 * @param {string} python
 */
export async function installWheel(python) {
  const wheel = await buildWheel();
  await run(python, [
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--force-reinstall",
    "--no-deps",
    wheel,
  ]);
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    log(`The wheel is ${await buildWheel()}.`);
  });
}
