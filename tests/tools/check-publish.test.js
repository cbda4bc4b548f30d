/** What has to be filled in before the package is published. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { inRepository, target } from "../../tools/repository.js";

const { scripts } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
const folder = mkdtempSync(join(target, "publish-"));
after(() => rmSync(folder, { recursive: true }));

for (const [what, author, heading, status, output] of /** @type {const} */ ([
  [
    "a manifest that a person has filled in, and a dated version, can be published",
    "A. Person",
    "## 1.2.3 (2030-01-31)",
    0,
    "## 1.2.3",
  ],
  ["a placeholder is named", "placeholder", "## 1.2.3 (2030-01-31)", 1, '"author": "placeholder"'],
  ["an undated version is named", "A. Person", "## 1.2.3 (unreleased)", 1, "CHANGELOG.md: date version 1.2.3"],
  ["the version is read exactly", "A. Person", "## 1x2.3 (2030-01-31)", 1, "CHANGELOG.md: date version 1.2.3"],
])) {
  test(what, () => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ version: "1.2.3", author, scripts }, null, 2));
    writeFileSync(join(folder, "CHANGELOG.md"), heading);
    const result = spawnSync("npm", ["run", "--silent", "check:publish"], { cwd: folder, encoding: "utf8" });
    assert.equal(result.status, status);
    assert.ok(result.stdout.includes(output), result.stdout);
  });
}
