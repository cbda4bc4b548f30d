/** The rules for code blocks: what proves each of them. */

import { readDocument } from "./documents.js";

/** @typedef {import("./documents.js").Block} Block */

/** The languages that are compiled, which are the endings of their files. */
const compiled = ["js", "ts", "tsx"];

/** The languages that only a test file can prove. */
const byTest = ["html", "python", "r", "svelte", "text", "vue"];

/**
 * What proves a block, by its marks after the language:
 *
 * - none: the block is compiled strictly, and runs in a page
 * - `partial`: the same, and partition 1 of the service fails at first
 * - `in=FILE`: lines of a file of the tests, which compile and run that file
 * - `by=FILE`: the block is compiled strictly, and that test file runs it where it belongs; of `text`, that file compares the output with it; of
 *   `html`, that file opens it as a page; of `sh`, that file runs the commands
 * - `as=NAME`: the block is a whole file of that name, which other blocks of the page, or that test file, import; with a folder, a project of
 *   `tests/install/packaging` has it, whose own tools compile it
 *
 * @param {Block} block
 */
export function proofOf({ language, marks }) {
  const [from, test] = ["in=", "by="].map((mark) => marks.find((each) => each.startsWith(mark))?.slice(mark.length));
  const isCompiled = compiled.includes(language) && from === undefined && !test?.startsWith("tests/install/packaging/");
  return {
    from,
    test,
    isCompiled,
    isRunInPage: isCompiled && test === undefined,
  };
}

/**
 * What is wrong with the language or the marks of a block; undefined if nothing is.
 * @param {Block} block
 */
export function mistakeOf(block) {
  const { language, marks, code, place } = block;
  const { from, test } = proofOf(block);
  const unknown = marks.find((mark) => !/^(?:partial$|in=|by=|as=)/.test(mark));
  if (unknown !== undefined) return `the mark "${unknown}" is unknown`;
  if (from !== undefined) {
    const [lines, others] = [readDocument(from), code].map((text) => new Set(text.trim().split(/\s*\n\s*/)));
    return others.isSubsetOf(lines) ? undefined : `${from} does not contain it`;
  }
  if (test !== undefined && !readDocument(test).includes(place.split(":")[0])) return `${test} does not read its page`;
  const isProved =
    [...compiled, "sh", "http", "json"].includes(language) || (test !== undefined && byTest.includes(language));
  return isProved ? undefined : `no test proves the language "${language}"`;
}
