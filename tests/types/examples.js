/** The examples in the documentation comments of the public types, as modules that TypeScript can check. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { readExports } from "../../tools/docs/reference.ts";
import { dist, inRepository } from "../../tools/repository.js";

/** What examples may use without an import. */
const exports = readExports();

/** What they may use without a declaration. */
const constants = ["client: FindingsClient", "table: FindingsTable"];

/**
 * Writes each example into a module of its own, inside the repository, where the package's own name resolves to it.
 * @returns the number of modules, and the path of their tsconfig.json
 */
export function writeExamples() {
  const folder = inRepository("target", "examples");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const files = readdirSync(dist).filter((name) => name.endsWith(".d.ts"));
  const examples = files.flatMap((file) => {
    const codes = examplesIn(readFileSync(join(dist, file), "utf8"));
    return codes.map((code, index) => ({ name: `${basename(file, ".d.ts")}-${index + 1}.ts`, code }));
  });
  for (const { name, code } of examples) {
    writeFileSync(join(folder, name), moduleOf(code));
  }
  return { count: examples.length, project: projectIn(folder) };
}

/** @param {string} types text of a file of types */
function examplesIn(types) {
  return [...types.matchAll(/\/\*\*\n(.*?)\*\//gs)].flatMap(([, comment = ""]) => {
    const text = comment.replaceAll(/^ *\* ?/gm, "");
    const [, ...tags] = text.split(/^@/m);
    return tags.filter((tag) => tag.startsWith("example\n")).map((tag) => tag.slice("example\n".length).trimEnd());
  });
}

/**
 * Writes the tsconfig.json of a folder below `target`.
 * @param {string} folder
 * @returns its path
 */
function projectIn(folder) {
  const project = join(folder, "tsconfig.json");
  writeFileSync(project, JSON.stringify({ extends: "../../tests/types/tsconfig.json", include: ["*.ts"] }));
  return project;
}

/** @param {string} code */
function moduleOf(code) {
  const imports = code.match(/^import .*;$/gm) ?? [];
  const body = code.replaceAll(/^import .*;\n/gm, "");
  const isIn = (/** @type {string} */ name, /** @type {string[]} */ texts) =>
    texts.some((text) => new RegExp(`\\b${name}\\b`).test(text));
  const missing = exports.filter(({ name }) => isIn(name, [body, ...constants]) && !isIn(name, imports));
  return [
    ...imports,
    ...missing.map(({ name, entry }) => `import { ${name} } from "${entry}";`),
    ...constants.map((constant) => `declare const ${constant};`),
    `export async function example() {\n${body}\n}`,
    "",
  ].join("\n");
}
