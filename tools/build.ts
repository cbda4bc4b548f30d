/**
 * The build: writes the package to `dist/`. With the parameter `demo`, which needs no entry `objects`, it leaves that out unless it has been built
 * before.
 */

import { existsSync, readFileSync, rmSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import process from "node:process";
import { bundle, bundleReader, entries, sourceOf } from "./bundle.ts";
import { Failure, isStarted, run, script } from "./command.js";
import { readExports } from "./docs/reference.ts";
import { writeFolder } from "./folder.ts";
import { writeLlms } from "./llms.ts";
import { buildModules, full, objects } from "./module.ts";
import { dist, inRepository, target } from "./repository.js";

/** What another file of types is imported by: the folder, and the name. */
const IMPORTED = /(?<=(?:from|import|import\()\s*["'])((?:\.\.?\/)+(?:[\w-]+\/)*)([\w-]+)(?=\.js["'])/g;

/** The program of the Python package. */
export const readerFile = join(target, "reader", "read.mjs");

/** Builds the package, and removes from it whatever an earlier build left there. */
async function build() {
  const modules = process.argv.includes("demo") && !existsSync(objects.file) ? [full] : [full, objects];
  await buildModules(modules);
  const types = join(target, "types");
  rmSync(types, { recursive: true, force: true });
  await run("tsc", ["--project", "tsconfig.build.json"]);
  const files: Map<string, string | Buffer> = new Map([...(await bundle(modules)), ...publicTypes(types)]);
  for (const { file } of modules) files.set(basename(file), readFileSync(file));
  writeFolder(dist, files);
  writeFolder(dirname(readerFile), new Map([[basename(readerFile), await bundleReader()]]));
  writeLlms(readExports());
}

/** The texts of the files of types that the entries reach in a folder, for one flat folder, by name. Those of the glue are not among them. */
function publicTypes(folder: string) {
  const types = new Map<string, string>();
  // Grows while it is walked.
  const files = new Set(
    entries.map((name) => sourceOf(name).replace(inRepository("src", "js"), folder).replace(/ts$/, "d.ts")),
  );
  for (const file of files) {
    const text = readFileSync(file, "utf8");
    const others = [...text.matchAll(IMPORTED)].map(([, path, name]) => join(dirname(file), path, `${name}.d.ts`));
    for (const other of others.filter(existsSync)) files.add(other);
    types.set(basename(file), text.replaceAll(IMPORTED, "./$2"));
  }
  if (types.size < files.size) throw new Failure("Two files of public types have the same name.");
  return types;
}

if (isStarted(import.meta)) {
  await script(async () => {
    await build();
    console.log("The package is in dist/.");
  });
}
