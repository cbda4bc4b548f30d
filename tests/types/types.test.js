/** The public types: they compile for those who use them, and are the ones that were reviewed. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { packageCommand } from "../../tools/command.js";
import { inRepository } from "../../tools/repository.js";
import { currentTypes, snapshotFile } from "./snapshot.js";

for (const [resolution, parameters] of /** @type {[string, string[]][]} */ ([
  ["a bundler", []],
  ["Node", ["--module", "nodenext", "--moduleResolution", "nodenext"]],
])) {
  test(`a file that uses the whole interface compiles strictly, resolved as ${resolution} does`, () => {
    const { status, stdout } = spawnSync(
      process.execPath,
      [packageCommand("typescript"), "--project", "tests/types/tsconfig.json", ...parameters],
      { encoding: "utf8" },
    );
    assert.ok(status === 0, stdout);
  });
}

test("the public types are those of the committed snapshot", () => {
  const current = inRepository("target", "public.d.ts");
  writeFileSync(current, currentTypes());
  const { status, stdout } = spawnSync("git", ["diff", "--no-index", snapshotFile, current], { encoding: "utf8" });
  assert.ok(status === 0, `They changed; if that is meant, run \`npm run update:types\`.\n${stdout}`);
});
