/** Pages whose programs print exactly what the page says. */

import assert from "node:assert/strict";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { runNode } from "../run-node.js";
import { blocksOf, nameOf, readDocument, saveFiles } from "./documents.js";

const folder = inRepository("target", "programs");

const [queries, methodsOfTables] = readDocument("www/docs/tables.md").split("\n## Methods\n");

/** The examples that are parts of one program. */
const together = {
  "each example of a table's method": programsOf("www/docs/tables.md", methodsOfTables),
};
const mixed = [
  ...programsOf("www/docs/tables.md", queries),
  ...["www/docs/errors.md", "www/docs/live-tables.md"].flatMap((page) => programsOf(page)),
];

/** The programs about surveys import a file of their page. */
const surveys = saveFiles("www/docs/surveys.md");
for (const { place, name, output } of namedProgramsOf("www/docs/surveys.md")) {
  test(`${place} prints what the page says`, async () => {
    const { stdout } = await runNode([join(surveys, name)]);
    assert.equal(stdout, output);
  });
}

for (const [index, { place, code, output }] of mixed.entries()) {
  test(`${place} prints what the page says`, async () => {
    assert.equal(await printedBy(`program-${index}.js`, code), output);
  });
}

for (const [title, examples] of Object.entries(together)) {
  test(`${title} prints what the page says`, async () => {
    const mark = "--- the next example\n";
    const program = examples.map(({ code }) => code).join(`console.log(${JSON.stringify(mark.trimEnd())});\n`);
    // An example that stands alone repeats an import, and a program has it once.
    const imports = new Set(program.match(/^import .*\n/gm));
    const once = [...imports, program.replaceAll(/^import .*\n/gm, "")].join("");
    const printed = (await printedBy(`${title.replaceAll(/\W+/g, "-")}.js`, once)).split(mark);
    assert.deepEqual(
      printed,
      examples.map(({ output }) => output),
    );
  });
}

/**
 * The programs of a page that this file runs, each with the output that follows it.
 * @param {string} page
 * @param {string} [text] a part of it
 */
function programsOf(page, text = readDocument(page)) {
  const all = blocksOf(text, page);
  const blocks = all.filter(({ marks }) => marks.includes("by=tests/docs/programs.test.js"));
  assert.notEqual(blocks.length, 0, page);
  assert.deepEqual(
    blocks.map(({ language }) => language),
    blocks.map((_, index) => (index % 2 === 0 ? "js" : "text")),
  );
  return blocks
    .filter(({ language }) => language === "js")
    .map(({ place, code }, index) => ({ place, code, output: blocks[2 * index + 1]?.code }));
}

/**
 * The programs of a page that are files, each with the output that follows it.
 * @param {string} page
 */
function namedProgramsOf(page) {
  const blocks = blocksOf(readDocument(page), page).filter(({ marks }) =>
    marks.includes("by=tests/docs/programs.test.js"),
  );
  return blocks.flatMap((block, index) => {
    const output = blocks[index + 1];
    return block.language === "js" && output?.language === "text"
      ? [{ place: block.place, name: String(nameOf(block)), output: output.code }]
      : [];
  });
}

/**
 * Runs a program in Node, and returns what it prints.
 * @param {string} name
 * @param {string} code
 */
async function printedBy(name, code) {
  mkdirSync(folder, { recursive: true });
  const program = join(folder, name);
  writeFileSync(program, code);
  const { stdout, stderr } = await runNode([program]);
  assert.equal(stderr, "");
  return stdout;
}
