/** The examples in the documentation comments of the public types, as modules that TypeScript can check. */

import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { dist, inRepository } from "../../tools/repository.js";

/** Examples may use these names of the package without an import, and these constants without a declaration. */
const names = [
  "FindingsClient",
  "FindingsError",
  "FindingsTable",
  "getFindings",
  "getPartition",
  "getPartitionCounts",
  "messageOf",
  "preload",
];
const types = [
  "ColumnName",
  "ColumnValue",
  "ColumnValues",
  "Condition",
  "GroupKey",
  "InspectionFinding",
  "NumberColumnName",
  "Options",
  "Picked",
  "Resume",
];
const testingImport = 'import { createFakeService } from "inspection-findings/testing";';
const constants = { client: "FindingsClient", table: "FindingsTable" };

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
  const missing = [...names, ...types.map((name) => `type ${name}`)].filter(
    (name) => !imports.some((line) => new RegExp(`\\b${name}\\b`).test(line)),
  );
  const forTests = /\bimport \{ createFakeService \}/.test(code) ? [] : [testingImport];
  const declarations = Object.entries(constants).map(([name, type]) => `declare const ${name}: ${type};`);
  return [
    ...imports,
    `import { ${missing.join(", ")} } from "inspection-findings";`,
    ...forTests,
    ...declarations,
    `export async function example() {\n${body}\n}`,
    "",
  ].join("\n");
}
