/** The page of promises: each names tests that there are, that are not skipped, and that name the promise. */

import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript-5";
import { inRepository } from "../../tools/repository.js";
import { readDocument } from "./documents.js";

const page = readDocument("www/docs/promises.md");
const promises = Array.from(page.matchAll(/^- \*\*(P\d+)\. .*\n {2}(`.*)$/gm));

test("the promises are numbered from 1, each with its tests", () => {
  assert.ok(promises.length > 30);
  assert.deepEqual(
    page.match(/(?<=^- \*\*)P\d+/gm),
    promises.map((_, index) => `P${index + 1}`),
  );
});

test("each test that the page names is there, runs, and has the number of the promise in the line above", () => {
  const named = promises.flatMap(([, number, tests]) =>
    tests.split(/; (?=`)/).flatMap((ofFile) => {
      const [, file, titles] = ofFile.match(/^`(.*?)`: (.*)$/) ?? assert.fail(ofFile);
      return titles.split(" · ").map((title) => `${number} ${file}: ${title}`);
    }),
  );
  const files = globSync("{src,tests}/**/*.{rs,ts,js}", { cwd: inRepository(), exclude: ["**/node_modules/**"] });
  const numbered = files.flatMap(numberedTests);
  assert.deepEqual(numbered.toSorted(), named.toSorted());
});

/** The tests of a file below a comment with numbers, once for each number. @param {string} file */
function numberedTests(file) {
  const code = readDocument(file);
  /** @type {[comment: string, title: string][]} */
  const tests = [];
  if (file.endsWith(".rs"))
    for (const [, comment, name] of code.matchAll(/\/\/ (P.*)\n\s*#\[test\]\n\s*fn (\w+)/g))
      tests.push([comment, name]);
  else if (/^\s*\/\/ P\d/m.test(code)) walk(ts.createSourceFile("test.ts", code, ts.ScriptTarget.Latest));
  return tests.flatMap(([comment, title]) =>
    Array.from(comment.matchAll(/P\d+/g), ([number]) => `${number} ${file}: ${title}`),
  );

  /** @param {import("typescript-5").Node} node */
  function walk(node) {
    const { pos, end } = ts.getLeadingCommentRanges(code, node.pos)?.at(-1) ?? {};
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression) && pos !== undefined) {
      const { expression, arguments: given } = node.expression;
      const isSkipped = /\.(?:skip|only|todo|skipIf|runIf)\b/.test(code.slice(expression.pos, expression.end));
      const [, , title] = code.slice(given[0]?.pos, given[0]?.end).match(/^\s*(["'`])(.*)\1$/) ?? [];
      if (!isSkipped && title && /^\/\/ P\d/.test(code.slice(pos, end))) tests.push([code.slice(pos, end), title]);
    }
    ts.forEachChild(node, walk);
  }
}
