/** The rules for code blocks: what proves each of them. */

import { readFileSync } from "node:fs";
import { inRepository } from "../../tools/repository.js";

/** @typedef {import("./documents.js").Block} Block */

/** The languages that are compiled, which are the endings of their files. */
const compiled = ["js", "ts", "tsx"];

/** The languages that only a test file can prove. */
const byTest = ["html", "python", "r", "svelte", "text", "vue"];

/**
 * The marks of a block after its language:
 *
 * - none: the block is compiled strictly, and runs in a page
 * - `partial`: the same, and partition 1 of the service fails at first
 * - `in=FILE`: lines of a file of the tests, which compile and run that file
 * - `by=FILE`: the block is compiled strictly, and that test file runs it where it belongs; of `text`, that file compares the output with it; of
 *   `html`, that file opens it as a page; of `sh`, that file runs the commands
 * - `as=NAME`: the block is a whole file of that name, which other blocks of the page, or that test file, import; with a folder, a project of
 *   `tests/packaging` has it, whose own tools compile it
 *
 * @param {Block} block
 * @param {"in" | "by"} mark
 */
function fileOf({ marks }, mark) {
  return marks.find((each) => each.startsWith(`${mark}=`))?.slice(mark.length + 1);
}

/** @param {Block} block */
export function isCompiled(block) {
  const isElsewhere = fileOf(block, "in") !== undefined || fileOf(block, "by")?.startsWith("tests/packaging/");
  return compiled.includes(block.language) && !isElsewhere;
}

/** @param {Block} block */
export function isRunInPage(block) {
  return isCompiled(block) && !isProvedElsewhere(block);
}

/** @param {Block} block */
export function isProvedElsewhere(block) {
  return fileOf(block, "by") !== undefined;
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
  const { language, marks, code, place } = block;
  const [file, test] = [fileOf(block, "in"), fileOf(block, "by")];
  const unknown = marks.find((mark) => !/^(?:partial$|in=|by=|as=)/.test(mark));
  if (unknown !== undefined) return `the mark "${unknown}" is unknown`;
  if (file !== undefined) return hasInOrder(textOf(file), code) ? undefined : `${file} does not contain it`;
  if (test !== undefined && !textOf(test).includes(place.split(":")[0])) return `${test} does not read its page`;
  const isProved =
    [...compiled, "sh", "http", "json"].includes(language) || (test !== undefined && byTest.includes(language));
  return isProved ? undefined : `no test proves the language "${language}"`;
}

/**
 * Whether a text has all lines of a block, in their order and with any indentation.
 * @param {string} text
 * @param {string} code
 */
function hasInOrder(text, code) {
  const lines = text.split("\n").map((line) => line.trim());
  let next = 0;
  return code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "")
    .every((line) => {
      next = lines.indexOf(line, next) + 1;
      return next > 0;
    });
}

/** @param {string} file */
function textOf(file) {
  return readFileSync(inRepository(file), "utf8");
}
