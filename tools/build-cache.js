/** The build cache: keeps a result as long as the hash of its sources, its fingerprint, is unchanged, and a file as long as its content is. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRepository } from "./repository.js";

/**
 * Hashes files and folders of the repository, by name and content, and further texts.
 * @param {string[]} paths relative to the repository; a missing file changes the hash
 * @param {...string} facts
 */
export function fingerprint(paths, ...facts) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesIn).sort()) {
    const file = inRepository(path);
    const content = existsSync(file) ? createHash("sha256").update(readFileSync(file)).digest("hex") : "missing";
    hash.update(`${path}\0${content}\0`);
  }
  return hash.update(facts.join("\0")).digest("hex");
}

/**
 * Makes a result unless its fingerprint is unchanged.
 * @param {object} result
 * @param {string} result.name
 * @param {string} result.from its fingerprint
 * @param {string[]} result.to its files or folders
 * @param {() => Promise<void>} result.make
 * @returns {Promise<boolean>} whether it was made
 */
export async function unlessUnchanged({ name, from, to, make }) {
  const kept = inRepository("target", "fingerprints", name);
  if (to.every((path) => existsSync(path)) && existsSync(kept) && readFileSync(kept, "utf8") === from) {
    return false;
  }
  rmSync(kept, { force: true });
  await make();
  mkdirSync(dirname(kept), { recursive: true });
  writeFileSync(kept, from);
  return true;
}

/**
 * Makes a folder have these files and no others. One that is unchanged is not written, and none is ever missing meanwhile: a program may watch or
 * read the folder.
 * @param {string} folder
 * @param {ReadonlyMap<string, string | Buffer>} files contents by path
 */
export function writeFolder(folder, files) {
  for (const [path, content] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file) || !readFileSync(file).equals(Buffer.from(content))) writeFileSync(file, content);
  }
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!files.has(path) && statSync(join(folder, path)).isFile()) rmSync(join(folder, path));
  }
}

/**
 * @param {string} path
 * @returns {string[]}
 */
function filesIn(path) {
  const full = inRepository(path);
  if (!statSync(full, { throwIfNoEntry: false })?.isDirectory()) return [path];
  return readdirSync(full).flatMap((name) => filesIn(join(path, name)));
}
