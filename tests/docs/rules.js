/** The rules for code blocks: what proves each of them. */

import { readFileSync } from "node:fs";
import { inRepository } from "../../tools/repository.js";

/** @typedef {import("../../tools/docs/blocks.js").Block} Block */

/** The languages that are compiled, by the ending of their files. */
const compiledLanguages = /** @type {Record<string, string>} */ ({ js: "js", ts: "ts", tsx: "tsx" });

/**
 * The marks of a block after its language:
 *
 * - none: the block is compiled strictly, and runs in a page
 * - `partial`: the same, and partition 1 of the service fails at first
 * - `in=FILE`: lines of a file of the tests, which compile and run that file
 * - `by=FILE`: the block is compiled strictly, and that test file runs it where it belongs; of `text`, that file compares the output with it
 *
 * @param {Block} block
 */
function fileOf(block) {
  return markedBy(block, "in=");
}

/** @param {Block} block */
function testOf(block) {
  return markedBy(block, "by=");
}

/** @param {Block} block */
export function isCompiled(block) {
  return block.language in compiledLanguages && fileOf(block) === undefined;
}

/** @param {Block} block */
export function isRunInPage(block) {
  return isCompiled(block) && testOf(block) === undefined;
}

/** @param {Block} block */
export function isPartial({ marks }) {
  return marks.includes("partial");
}

/**
 * What is wrong with the language or the marks of a block; undefined if nothing is.
 * @param {Block} block
 */
export function mistakeOf(block) {
  const { language, marks, code } = block;
  const unknown = marks.find((mark) => mark !== "partial" && !/^(?:in|by)=/.test(mark));
  if (unknown !== undefined) {
    return `the mark "${unknown}" is unknown`;
  }
  const file = fileOf(block);
  if (file !== undefined) {
    return hasInOrder(readFileSync(inRepository(file), "utf8"), code) ? undefined : `${file} does not contain it`;
  }
  const test = testOf(block);
  if (test !== undefined && !readFileSync(inRepository(test), "utf8").includes(block.place.split(":")[0])) {
    return `${test} does not read its page`;
  }
  return language in compiledLanguages ||
    ["sh", "http", "json"].includes(language) ||
    (language === "text" && test !== undefined)
    ? undefined
    : `no test proves the language "${language}"`;
}

/** @param {Block} block */
export function endingOf({ language }) {
  return compiledLanguages[language];
}

/**
 * Whether a text has all lines of a block, in their order.
 * @param {string} text
 * @param {string} code
 */
function hasInOrder(text, code) {
  const lines = text.split("\n");
  let next = 0;
  return code
    .split("\n")
    .filter((line) => line.trim() !== "")
    .every((line) => {
      next = lines.indexOf(line, next) + 1;
      return next > 0;
    });
}

/**
 * @param {Block} block
 * @param {string} mark its beginning
 */
function markedBy({ marks }, mark) {
  return marks.find((each) => each.startsWith(mark))?.slice(mark.length);
}
