/** The Markdown files of the documentation, and their code blocks. */

import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import MarkdownIt from "markdown-it";
import { inRepository } from "../../tools/repository.js";

/**
 * @typedef {object} Block
 * @property {string} place its file, and the number of its line
 * @property {string} language
 * @property {string[]} marks the words after the language, which a reader does not see
 * @property {string} code
 */

const guides = readdirSync(inRepository("www", "docs")).filter((name) => name.endsWith(".md"));

/** The files with links and code for readers of the package. */
export const documents = ["README.md", ...guides.sort().map((name) => `www/docs/${name}`)];

/** @param {string} file its path in the repository */
export function readDocument(file) {
  return readFileSync(inRepository(file), "utf8");
}

/** All code blocks, in the order of the files. */
export const allBlocks = () => documents.flatMap(blocksIn);

/**
 * The code blocks of a file.
 * @param {string} file its path in the repository
 */
export function blocksIn(file) {
  return blocksOf(readDocument(file), file);
}

/**
 * The code blocks of a text.
 * @param {string} markdown
 * @param {string} file that has it
 * @returns {Block[]}
 */
export function blocksOf(markdown, file) {
  return tokensOf(markdown)
    .filter(({ type }) => type === "fence" || type === "code_block")
    .map(({ info, content, map }) => {
      const [language = "", ...marks] = info.trim().split(/\s+/);
      return { place: `${file}:${(map?.[0] ?? 0) + 1}`, language, marks, code: content };
    });
}

/**
 * The name of the file that a block is, by its mark `as=NAME`.
 * @param {Block} block
 */
export function nameOf({ marks }) {
  return marks.find((mark) => mark.startsWith("as="))?.slice("as=".length);
}

/**
 * Writes the blocks of a page that are files, as a reader saves them. Those with a folder belong to the projects of `tests/install/packaging`.
 * @param {string} page its path in the repository
 * @param {string} [folder] one inside the repository unless given, where the package's own name resolves to it
 * @returns the folder
 */
export function saveFiles(page, folder = inRepository("target", "saved", page)) {
  mkdirSync(folder, { recursive: true });
  for (const block of blocksIn(page)) {
    const name = nameOf(block);
    if (name !== undefined && !name.includes("/")) writeFileSync(join(folder, name), block.code);
  }
  return folder;
}

/**
 * The addresses of the links and pictures of a file, in their order.
 * @param {string} markdown
 */
export function linksOf(markdown) {
  return tokensOf(markdown)
    .flatMap(({ children }) => children ?? [])
    .flatMap((token) => token.attrGet("href") ?? token.attrGet("src") ?? [])
    .map(String);
}

/** @param {string} markdown */
function tokensOf(markdown) {
  return new MarkdownIt({ html: false }).parse(markdown, {});
}
