/** The code blocks of Markdown: the one extraction for the tests of all snippets. */

import MarkdownIt from "markdown-it";

/**
 * @typedef {object} Block
 * @property {string} place its file, and the number of its line
 * @property {string} language
 * @property {string[]} marks the words after the language, which a reader does not see
 * @property {string} code
 */

/**
 * Finds the code blocks of a file.
 * @param {string} markdown
 * @param {string} file
 * @returns {Block[]}
 */
export function blocksOf(markdown, file) {
  const tokens = new MarkdownIt({ html: false }).parse(markdown, {});
  return tokens
    .filter(({ type }) => type === "fence" || type === "code_block")
    .map(({ info, content, map }) => {
      const [language = "", ...marks] = info.trim().split(/\s+/);
      return { place: `${file}:${(map?.[0] ?? 0) + 1}`, language, marks, code: content };
    });
}
