/** The public types: the files that the types of an entry reach. The types of the glue are not among them. */

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "./command.js";

/**
 * The public files of types in a folder and those below, for one flat folder.
 * @param {string} folder
 * @param {string[]} entries names of the entries, without their endings
 * @returns {Map<string, string>} their texts by name
 */
export function publicTypes(folder, entries) {
  const files = [...reachable(entries.map((name) => join(folder, "entries", `${name}.d.ts`)))].sort();
  const flat = files.map((file) => [basename(file), readFileSync(file, "utf8").replaceAll(relativeFolder, "./")]);
  const types = new Map(/** @type {[string, string][]} */ (flat));
  if (types.size < files.length) throw new Failure("Two files of public types have the same name.");
  return types;
}

/** The folder in an import of another file of types. */
const relativeFolder = /(?<=(?:from|import|import\()\s*["'])\.\.?\/(?:[\w-]+\/)*/g;

/**
 * Files of types with all those that they import or export from.
 * @param {string[]} entries
 */
function reachable(entries) {
  /** @type {Set<string>} */
  const files = new Set();
  const waiting = [...entries];
  for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
    if (!files.has(file)) {
      files.add(file);
      waiting.push(...mentioned(file));
    }
  }
  return files;
}

/** @param {string} file */
function mentioned(file) {
  const names = readFileSync(file, "utf8").matchAll(/(?:from|import|import\()\s*["'](\.[^"']+)\.js["']/g);
  return [...names].map(([, name]) => join(dirname(file), `${name}.d.ts`)).filter((path) => existsSync(path));
}
