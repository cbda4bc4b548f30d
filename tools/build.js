/** The build: writes the package to `dist/`. */

import { readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { bundle, bundleReader, entries } from "./bundle.js";
import { run, script } from "./command.js";
import { readExports } from "./docs/reference.js";
import { writeFolder } from "./folder.js";
import { writeLlms } from "./llms.js";
import { buildModule, modules } from "./module.js";
import { publicTypes } from "./public-types.js";
import { dist, target } from "./repository.js";

/** The program of the Python package. */
export const readerFile = join(target, "reader", "read.mjs");

/** Builds the package, and removes from it whatever an earlier build left there. */
async function build() {
  for (const module of modules) await buildModule(module);
  const types = join(target, "types");
  rmSync(types, { recursive: true, force: true });
  await run("tsc", ["--project", "tsconfig.build.json"]);
  /** @type {Map<string, string | Buffer>} */
  const files = new Map([...(await bundle()), ...publicTypes(types, entries)]);
  for (const { file } of modules) files.set(basename(file), readFileSync(file));
  writeFolder(dist, files);
  writeFolder(dirname(readerFile), new Map([[basename(readerFile), await bundleReader()]]));
  writeLlms(readExports());
}

if (import.meta.main) {
  await script(async () => {
    await build();
    console.log("The package is in dist/.");
  });
}
