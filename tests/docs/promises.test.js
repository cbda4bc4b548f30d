/** The page of promises: each names a test that there is, that is not skipped, and that names the promise. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "./documents.js";

const page = readDocument("www/docs/promises.md");
const promises = Array.from(page.matchAll(/^- \*\*P(\d+)\. .*\n {2}`(.*?)`: (.*)$/gm));

test("the promises are numbered from 1, each with its test", () => {
  assert.ok(promises.length > 30);
  assert.deepEqual(
    promises.map(([, number]) => Number(number)),
    promises.map((_, index) => index + 1),
  );
  assert.equal(page.match(/^- \*\*P\d/gm)?.length, promises.length);
});

for (const [, number, file, title] of promises) {
  test(`the test of P${number} is there, runs, and names it`, () => {
    const lines = readDocument(file).split("\n");
    const comment = lines.findIndex((line) => new RegExp(`^\\s*// P(?:\\d+, P)*${number}\\b`).test(line));
    assert.notEqual(comment, -1, `${file} has no comment with P${number}`);
    const begin = file.endsWith(".rs") ? `fn ${title}(` : title;
    const at = lines.findIndex((line, index) => index > comment && line.includes(begin));
    assert.ok(at > comment && at <= comment + 30, `${file} has no test with the title ${title}`);
    assert.doesNotMatch(lines.slice(comment, at + 1).join("\n"), /\.skip|\.only|\.todo|#\[ignore/);
  });
}
