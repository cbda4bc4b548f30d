/** Folders of generated files. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import { writeFolder } from "../../tools/folder.js";
import { target } from "../../tools/repository.js";

const folder = mkdtempSync(join(target, "folder-"));
after(() => rmSync(folder, { recursive: true }));

test("a folder gets the files of a build and loses others; a file that is unchanged is not written", () => {
  mkdirSync(join(folder, "old"), { recursive: true });
  for (const path of ["old/file", "same", "changed"]) writeFileSync(join(folder, path), "before");
  const { mtimeNs } = statSync(join(folder, "same"), { bigint: true });
  writeFolder(folder, new Map(Object.entries({ same: "before", changed: "after", "new/file": "new" })));
  assert.deepEqual(readdirSync(folder, { recursive: true }).toSorted(), ["changed", "new", "new/file", "old", "same"]);
  assert.equal(readFileSync(join(folder, "changed"), "utf8"), "after");
  assert.equal(statSync(join(folder, "same"), { bigint: true }).mtimeNs, mtimeNs);
});
