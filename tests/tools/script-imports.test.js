/** The layers of the TypeScript code: no folder uses another that uses it. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { circles } from "./rust-imports.js";

/** The public types of options, progress and errors, which refer to each other: an error can resume its call with more options. */
const publicTypes = ["client/options.ts", "client/progress.ts", "error/error.ts", "error/objects-error.ts"];

test("the folders of src/js form no circle", () => {
  const imports = folderImports(inRepository("src", "js"));
  assert.ok(imports.get("client")?.has("table"));
  assert.deepEqual(circles(imports), []);
});

/**
 * The folders that each folder imports from. A file of `entries` counts as a folder, because the command uses other entries. So do the files of
 * `engine`: Rust is below all that call `engine.ts`, and above all that `host-functions.ts` uses.
 * @param {string} root
 */
function folderImports(root) {
  /** @type {Map<string, Set<string>>} */
  const imports = new Map();
  for (const file of globSync("**/*.ts", { cwd: root })) {
    const from = folderOf(file);
    const used = imports.get(from) ?? new Set();
    imports.set(from, used);
    const code = readFileSync(join(root, file), "utf8");
    for (const [, type, path] of code.matchAll(/^(?:im|ex)port( type)?\b[^;"]*? from "(\.[^"]+)\.js";$/gm)) {
      const target = `${join(dirname(file), path)}.ts`;
      if (type && (publicTypes.includes(file) || publicTypes.includes(target))) continue;
      if (folderOf(target) !== from) used.add(folderOf(target));
    }
  }
  return imports;
}

/** @param {string} file */
function folderOf(file) {
  const [folder] = file.split("/");
  return ["entries", "engine"].includes(folder) ? `entries/${basename(file)}` : folder;
}
