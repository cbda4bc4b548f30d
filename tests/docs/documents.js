/** The Markdown files of the documentation, and their code blocks. */

import { readdirSync, readFileSync } from "node:fs";
import MarkdownIt from "markdown-it";
import { blocksOf } from "../../tools/docs/blocks.js";
import { inRepository } from "../../tools/repository.js";

/** The files with links and code for readers of the package. */
export const documents = ["README.md", ...pagesIn("www/docs")];

/**
 * @param {string} file its path in the repository
 */
export function readDocument(file) {
  return readFileSync(inRepository(file), "utf8");
}

/** All code blocks, in the order of the files. */
export function allBlocks() {
  return documents.flatMap((file) => blocksOf(readDocument(file), file));
}

/**
 * The addresses of the links and pictures of a file, in their order.
 * @param {string} markdown
 */
export function linksOf(markdown) {
  return new MarkdownIt({ html: false })
    .parse(markdown, {})
    .flatMap(({ children }) => children ?? [])
    .flatMap((token) => token.attrGet("href") ?? token.attrGet("src") ?? [])
    .map(String);
}

/** @param {string} folder */
function pagesIn(folder) {
  const names = readdirSync(inRepository(folder)).filter((name) => name.endsWith(".md"));
  return names.sort().map((name) => `${folder}/${name}`);
}
