/** The pages of the site, in the order of its navigation. */

import { readFileSync } from "node:fs";
import { inRepository } from "../repository.js";

/**
 * @typedef {object} Page
 * @property {string} name of its file, without the ending
 * @property {string} title
 * @property {string} markdown
 */

/** The folder of the pages, from the root of the repository. */
export const folder = "www/docs";

/** The names of the pages that are files, by the heading of their part of the navigation. */
export const parts = {
  Start: ["index", "getting-started", "tasks", "which-function", "glossary", "migrating"],
  Fetch: [
    "requests",
    "tokens",
    "progress",
    "cancel",
    "error-cookbook",
    "partial-results",
    "streams",
    "several-inspections",
    "worker",
  ],
  "Use findings": [
    "tables",
    "table-methods",
    "live-tables",
    "kept-tables",
    "charts",
    "arrow",
    "frameworks",
    "queries",
    "server-rendering",
    "node",
    "typescript",
  ],
  Operate: ["testing", "tracing", "security", "toolchains", "performance"],
  Reference: ["defaults", "options", "errors", "limits", "support", "comparison", "faq"],
  "Try it": ["playground", "demo"],
};

/** The sections of the README that are pages or parts of pages here, by their anchors. */
export const fromReadme = {
  install: "getting-started",
  "quick-start": "getting-started",
  "what-it-costs": "performance",
};

/**
 * Reads the pages that are files.
 * @returns {Page[]}
 */
export function writtenPages() {
  return Object.values(parts).flat().map(readPage);
}

/**
 * Reads a page. A line `<!-- README: Install -->` stands for that section of the README, without its heading.
 * @param {string} name
 * @returns {Page}
 */
export function readPage(name) {
  const text = readFileSync(inRepository(folder, `${name}.md`), "utf8");
  const markdown = text.replaceAll(/^<!-- README: (.+) -->\n(?:.+\n)*/gm, (_, heading) => section(heading));
  const title = markdown.match(/^# (.+)$/m)?.[1];
  if (title === undefined) {
    throw new Error(`${folder}/${name}.md has no heading.`);
  }
  return { name, title, markdown };
}

/**
 * The text of a section of the README. Its links are made relative to the folder of the pages.
 * @param {string} heading
 */
export function section(heading) {
  const readme = readFileSync(inRepository("README.md"), "utf8");
  const [, after] = readme.split(`\n## ${heading}\n`);
  if (after === undefined) {
    throw new Error(`README.md has no section "${heading}".`);
  }
  return `${after
    .split(/^## /m)[0]
    .trim()
    .replaceAll(/\]\((?!https?:)([^)]+)\)/g, "](../../$1)")}\n`.replaceAll("](../../#", "](../../README.md#");
}
