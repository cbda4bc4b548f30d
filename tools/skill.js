/** The file `SKILL.md`: how to use the package, in the form that coding assistants read. It is made of parts of the guides. */

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { relinked, section } from "./docs/pages.js";
import { inRepository } from "./repository.js";

const folder = "skills/inspection-findings";

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

/** Writes the file from the README and the guides, without the marks of their code blocks. */
export function writeSkill() {
  const [title, introduction] = readFileSync(inRepository("README.md"), "utf8").split("\n\n");
  const sections = parts.map(([file, heading]) => `## ${heading}\n\n${section(heading, file, folder)}`);
  const text = [`${header}\n`, `${title}\n`, `${relinked(introduction, "README.md", folder)}\n`, ...sections].join(
    "\n",
  );
  mkdirSync(inRepository(folder), { recursive: true });
  writeFileSync(inRepository(folder, "SKILL.md"), text.replaceAll(/^```(\w+) .*$/gm, "```$1"));
}
