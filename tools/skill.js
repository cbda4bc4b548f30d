/** The file `SKILL.md`: how to use the package, in the form that coding assistants read. It is made of parts of the guides. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, posix } from "node:path";
import { inRepository } from "./repository.js";

const skillFile = inRepository("skills", "inspection-findings", "SKILL.md");

const header = `---
name: inspection-findings
description: Downloads, counts, searches and exports the findings of Ascribe CX Inspector inspections with JavaScript, in web pages (also React, Vue and Svelte) and in Node. Use it for code that imports inspection-findings or calls the CX Inspector API.
---`;

/** The parts of the skill: a file, and one of its headings. */
const parts = /** @type {const} */ ([
  ["README.md", "Install"],
  ["README.md", "Quick start"],
  ["www/docs/getting-started.md", "Which function to call"],
  ["www/docs/requests.md", "Tokens"],
  ["www/docs/options.md", "Defaults that surprise"],
  ["www/docs/error-cookbook.md", "A message for users"],
  ["www/docs/error-cookbook.md", "What to retry"],
  ["www/docs/index.md", "All pages"],
]);

/** Writes the file from the README and the guides. */
export function writeSkill() {
  const [title, introduction] = textOf("README.md").split("\n\n");
  const sections = parts.map(([file, heading]) => `## ${heading}\n\n${sectionOf(file, heading)}`);
  mkdirSync(dirname(skillFile), { recursive: true });
  writeFileSync(skillFile, `${[header, title, relinked(introduction, "README.md"), ...sections].join("\n\n")}\n`);
}

/**
 * A section of a file, without the marks of its blocks, and with links that work from the skill.
 * @param {string} file
 * @param {string} heading
 */
function sectionOf(file, heading) {
  const [, after] = textOf(file).split(`\n## ${heading}\n`);
  if (after === undefined) throw new Error(`${file} has no section "${heading}".`);
  const [text] = after.split(/^## /m);
  return relinked(text.replaceAll(/^```(\w+) .*$/gm, "```$1").trim(), file);
}

/**
 * Makes the relative links of a text work from the folder of the skill.
 * @param {string} text
 * @param {string} file that has the text
 */
function relinked(text, file) {
  return text.replaceAll(/\]\((?!https?:)([^)#]*)(#[^)]*)?\)/g, (_, path, anchor = "") => {
    const target = path === "" ? file : posix.join(posix.dirname(file), path);
    return `](../../${target}${anchor})`;
  });
}

/** @param {string} file */
function textOf(file) {
  return readFileSync(inRepository(file), "utf8");
}
