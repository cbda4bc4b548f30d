/** The README: short enough to be read once, from its beginning to its end. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { readDocument } from "./documents.js";

test("the README has at most 1000 words, code and tables included", () => {
  // A word is what stands between white space and has a letter or a digit.
  const words = readDocument("README.md")
    .split(/\s+/)
    .filter((word) => /[\p{L}\p{N}]/u.test(word));
  assert.ok(words.length <= 1000, `${words.length} words`);
});
