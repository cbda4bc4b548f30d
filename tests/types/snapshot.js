/** The snapshot of the public types: one committed file, so that a review shows every change of them. */

import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build } from "../../tools/build.js";
import { isStarted, say, script } from "../../tools/command.js";
import { dist, inRepository } from "../../tools/repository.js";
import { setUp } from "../../tools/setup.js";

export const snapshotFile = inRepository("tests", "types", "public.d.ts");

const glue = join(dist, "inspection_findings.d.ts");

/** The public types of the built package. */
export function currentTypes() {
  const files = publicFiles();
  const sections = files.map((file) => `// ${relative(dist, file)}\n\n${publicPart(file, files)}\n`);
  return `// The public types, as \`npm run update:types\` copies them from dist/. Not to be edited.\n\n${sections.join("\n")}`;
}

/** The files of the built package with public types. */
export function publicFiles() {
  return [...reachable(["index.d.ts", "slim.d.ts"].map((name) => join(dist, name)))].sort();
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
 * The text of a file; of the glue without the raw exports that no other file imports, because they are not public.
 * @param {string} file
 * @param {string[]} files all files of the public types
 */
function publicPart(file, files) {
  const text = readFileSync(file, "utf8");
  if (file !== glue) {
    return text.trim();
  }
  const named = namesFromGlue(files);
  const rawExport =
    /^(?:\/\*\*\n(?: \*.*\n)*? \*\/\n)?(?:export|declare) (?:(?:class|interface) (\w+) \{\n(?:(?!^\}).*\n)*\}|function (\w+) ?\(.*;)\n/gm;
  return text
    .replace(rawExport, (all, type, called) =>
      named.has(type ?? called) || (/^export interface/m.test(all) && type !== "InitOutput") ? all : "",
    )
    .replace(/^export type \{ .* \};\n/gm, "")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
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

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await build();
    writeFileSync(snapshotFile, currentTypes());
    say("tests/types/public.d.ts is up to date.");
  });
}
