/** What has to be filled in before the package is published. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { missingForPublishing } from "../../tools/check-publish.js";
import { inRepository } from "../../tools/repository.js";
import { runNode } from "../run-node.js";

const filled = {
  version: "1.2.3",
  author: "A. Person",
  bugs: "https://code.example/issues",
  homepage: "https://code.example/",
  repository: { type: "git", url: "git+https://code.example/package.git" },
};
const changelog = "# Changelog\n\n## 1.2.3 (2030-01-31)\n";

test("a manifest that a person has filled in, and a dated version, can be published", () => {
  assert.deepEqual(missingForPublishing(filled, changelog), []);
});

test("each missing field, each placeholder and an undated version is named", () => {
  const { author, ...rest } = filled;
  assert.deepEqual(
    missingForPublishing({ ...rest, bugs: "https://placeholder.invalid/", homepage: "" }, "## 1.2.3 (unreleased)"),
    [
      'package.json: fill in "author"',
      'package.json: fill in "bugs"',
      'package.json: fill in "homepage"',
      'CHANGELOG.md: give version 1.2.3 its date, as in "## 1.2.3 (2030-01-31)"',
    ],
  );
  assert.notEqual(author, undefined);
});

test("the version of a changelog is read exactly", () => {
  assert.equal(missingForPublishing({ ...filled, version: "1.2" }, "## 1x2 (2030-01-31)").length, 1);
});

test("the command fails for this repository as long as it has placeholders", async () => {
  const manifest = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
  const missing = missingForPublishing(manifest, readFileSync(inRepository("CHANGELOG.md"), "utf8"));
  const outcome = await runNode([inRepository("tools", "check-publish.js")]).then(
    () => "",
    (error) => String(error.stderr),
  );
  for (const line of missing) assert.ok(outcome.includes(line), outcome);
  assert.equal(outcome === "", missing.length === 0);
});
