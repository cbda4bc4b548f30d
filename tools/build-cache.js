/** A fingerprint: the hash of everything that a result was made from, kept beside it to know whether it still holds. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { inRepository } from "./repository.js";

/**
 * The hash of files and folders of the repository, by name and content, and of any further facts.
 * @param {string[]} paths relative to the repository; one that does not exist counts as such
 * @param {...string} facts
 */
export function fingerprint(paths, ...facts) {
  const hash = createHash("sha256");
  for (const path of paths.flatMap(filesIn).sort()) {
    const file = inRepository(path);
    hash.update(`${path}\0${existsSync(file) ? contentHash(file) : "missing"}\0`);
  }
  return hash.update(facts.join("\0")).digest("hex");
}

/**
 * Makes a result unless the one that is there was made from the same.
 * @param {object} result
 * @param {string} result.name names the result
 * @param {string} result.from its fingerprint
 * @param {string[]} result.to the files or folders that it consists of
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
 * @param {string} path
 * @returns {string[]}
 */
function filesIn(path) {
  const full = inRepository(path);
  if (!existsSync(full) || !statSync(full).isDirectory()) {
    return [path];
  }
  return readdirSync(full).flatMap((name) => filesIn(join(path, name)));
}

/** @param {string} file */
function contentHash(file) {
  return createHash("sha256").update(readFileSync(file)).digest("hex");
}
