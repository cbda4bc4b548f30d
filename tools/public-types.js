/** The public types: the files that the types of an entry reach, without the raw exports of the module. */

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/** The types of the glue. Most of them serve the package's own code only. */
const glue = "inspection_findings.d.ts";

/**
 * The public files of types in a folder.
 * @param {string} folder
 * @param {string[]} entries names of the entries, without their endings
 * @returns {Map<string, string>} their texts by name
 */
export function publicTypes(folder, entries) {
  const files = [...reachable(entries.map((name) => join(folder, `${name}.d.ts`)))].sort();
  return new Map(files.map((file) => [basename(file), publicPart(file, files)]));
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

/**
 * The text of a file; of the glue without the raw exports that no other file imports.
 * @param {string} file
 * @param {string[]} files all files of the public types
 */
function publicPart(file, files) {
  const text = readFileSync(file, "utf8");
  if (basename(file) !== glue) {
    return text;
  }
  const named = namesFromGlue(files);
  const rawExport =
    /^(?:\/\*\*\n(?: \*.*\n)*? \*\/\n)?(?:export|declare) (?:(?:class|interface) (\w+) \{\n(?:(?!^\}).*\n)*\}|function (\w+) ?\(.*;)\n/gm;
  const isPublic = (/** @type {string} */ all, /** @type {string} */ name) =>
    named.has(name) || (/^export interface/m.test(all) && name !== "InitOutput");
  return text
    .replace(rawExport, (all, type, called) => (isPublic(all, type ?? called) ? all : ""))
    .replace(/^export type (?:\{ .* \}|(?:Sync)?InitInput = .*);\n/gm, "")
    .replace(/\n{3,}/g, "\n\n");
}

/** @param {string[]} files */
function namesFromGlue(files) {
  const imports = /\{([^{}]*)\}\s*from\s*["']\.\/inspection_findings\.js["']/g;
  const lists = files.flatMap((file) => [...readFileSync(file, "utf8").matchAll(imports)].map(([, list]) => list));
  return new Set(lists.flatMap((list) => list.match(/\w+/g) ?? []));
}

/** @param {string} file */
function mentioned(file) {
  const names = readFileSync(file, "utf8").matchAll(/(?:from|import|import\()\s*["'](\.[^"']+)\.js["']/g);
  return [...names].map(([, name]) => join(dirname(file), `${name}.d.ts`)).filter((path) => existsSync(path));
}
