/** The code of the documentation and of the types' comments: every block has a rule that proves it, and compiles strictly. */

import assert from "node:assert/strict";
import { existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { isQuick } from "../tier.js";
import { compile } from "../unit/types/compile.js";
import { allBlocks, documents, nameOf, readDocument, saveFiles } from "./documents.js";
import { examplesOfTypes } from "./examples.js";
import { mistakeOf, proofOf } from "./rules.js";

const blocks = allBlocks();

/** The names that code may use without a declaration: the pages say where they come from. */
const known = `
import type { FindingsClient, FindingsTable } from "inspection-findings";
declare global {
  const client: FindingsClient;
  const table: FindingsTable;
}
`;

test("every block has a rule that proves it", () => {
  for (const { language, code } of blocks) if (language === "json") JSON.parse(code);
  const mistakes = blocks.map((block) => [block.place, mistakeOf(block)]);
  assert.deepEqual(
    mistakes.filter(([, mistake]) => mistake !== undefined),
    [],
  );
});

const project = writeProject();

for (const compiler of isQuick ? ["typescript"] : ["typescript-5", "typescript"]) {
  test(`every block, and every example of the types, compiles strictly with ${compiler}`, () =>
    compile(project, { compiler }));
}

test("the lines for a shell install packages, copy files and run scripts that there are", () => {
  const { name, scripts, devDependencies } = JSON.parse(readDocument("package.json"));
  const ofShell = blocks.filter((block) => block.language === "sh" && proofOf(block).test === undefined);
  const lines = ofShell.flatMap(({ code }) => code.trim().split("\n"));
  assert.notEqual(lines.length, 0);
  for (const line of lines) {
    const [, script = ""] = line.match(/^npm (?:run )?([\w:]+)(?: #| --|$)/) ?? [];
    const [, what = "nothing"] = line.match(/^(?:npm install|cp) (\S+)/) ?? [];
    const installed = what === name || what.replace(/(?<=.)@[\d.]+$/, "") in devDependencies;
    const isThere = script in scripts || installed;
    assert.ok(isThere || existsSync(inRepository(what.replace(`node_modules/${name}/`, ""))), line);
  }
});

/**
 * Writes a module for each block and each example. It is inside the repository, so that it can import the package by its name.
 * @returns the path of their tsconfig.json
 */
function writeProject() {
  const folder = inRepository("target", "snippets");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "known.d.ts"), known);
  for (const page of documents) saveFiles(page, join(folder, page));
  const compiled = blocks.filter((block) => proofOf(block).isCompiled && nameOf(block) === undefined);
  const examples = examplesOfTypes();
  assert.ok(compiled.length > 20 && examples.length > 20);
  for (const { place, language, code } of [...compiled, ...examples]) {
    // A block without an import is a module, too.
    writeFileSync(join(folder, `${place.replaceAll(/[^\w]+/g, "-")}.${language}`), `${code}\nexport {};\n`);
  }
  // The types of what a block imports besides the package are not ours to check.
  const checked = { allowJs: true, checkJs: true, jsx: "react-jsx", types: ["node", "svelte"], skipLibCheck: true };
  const tsconfig = { extends: "../../tests/unit/types/tsconfig.json", compilerOptions: checked, include: ["**/*"] };
  const project = join(folder, "tsconfig.json");
  writeFileSync(project, JSON.stringify(tsconfig));
  return project;
}
