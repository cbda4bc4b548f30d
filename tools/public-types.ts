/** The public types: the files that the types of an entry reach. The types of the glue are not among them. */

import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { Failure } from "./command.js";

/** The folder in an import of another file of types. */
const relativeFolder = /(?<=(?:from|import|import\()\s*["'])\.\.?\/(?:[\w-]+\/)*/g;

/**
 * The public files of types in a folder and those below, for one flat folder.
 * @param entries names of the entries, without their endings
 * @returns their texts by name
 */
export function publicTypes(folder: string, entries: string[]): Map<string, string> {
  // Grows while it is walked.
  const files = new Set(entries.map((name) => join(folder, "entries", `${name}.d.ts`)));
  for (const file of files) for (const other of mentioned(file)) files.add(other);
  const types = new Map();
  for (const file of files) types.set(basename(file), readFileSync(file, "utf8").replaceAll(relativeFolder, "./"));
  if (types.size < files.size) throw new Failure("Two files of public types have the same name.");
  return types;
}

/** The files of types that one imports or exports from. */
function mentioned(file: string) {
  const names = readFileSync(file, "utf8").matchAll(/(?:from|import|import\()\s*["'](\.[^"']+)\.js["']/g);
  return [...names].map(([, name]) => join(dirname(file), `${name}.d.ts`)).filter((path) => existsSync(path));
}
