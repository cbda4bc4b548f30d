/** The build: writes the package to `dist/`. */

import { readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { bundle, bundleReader, entries } from "./bundle.ts";
import { run, script } from "./command.js";
import { readExports } from "./docs/reference.ts";
import { writeFolder } from "./folder.js";
import { writeLlms } from "./llms.ts";
import { buildModule, modules } from "./module.ts";
import { publicTypes } from "./public-types.ts";
import { dist, target } from "./repository.js";

/** The program of the Python package. */
export const readerFile = join(target, "reader", "read.mjs");

/** Builds the package, and removes from it whatever an earlier build left there. */
async function build() {
  for (const module of modules) await buildModule(module);
  const types = join(target, "types");
  rmSync(types, { recursive: true, force: true });
  await run("tsc", ["--project", "tsconfig.build.json"]);
  const files: Map<string, string | Buffer> = new Map([...(await bundle()), ...publicTypes(types, entries)]);
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
