/** The public types: the files that the types of an entry reach. The types of the glue are not among them. */

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * The public files of types in a folder.
 * @param {string} folder
 * @param {string[]} entries names of the entries, without their endings
 * @returns {Map<string, string>} their texts by name
 */
export function publicTypes(folder, entries) {
  const files = [...reachable(entries.map((name) => join(folder, `${name}.d.ts`)))].sort();
  return new Map(files.map((file) => [basename(file), readFileSync(file, "utf8")]));
}

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
