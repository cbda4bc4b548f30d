/** The build cache: a result stays until one of its sources changes, and a file until its content does. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { after, test } from "node:test";
import { fingerprint, unlessUnchanged, writeFolder } from "../../tools/build-cache.js";
import { root, target } from "../../tools/repository.js";

const name = "tests-of-the-fingerprint";
const folder = mkdtempSync(join(target, "fingerprint-"));
const [source, other, result] = ["source", "source-2", "result"].map((name) => join(folder, name));

after(() => {
  rmSync(folder, { recursive: true });
  rmSync(join(target, "fingerprints", name), { force: true });
});

/**
 * Makes the result, or fails.
 * @param {Error} [failure]
 */
function make(failure) {
  return unlessUnchanged({
    name,
    from: fingerprint([source, other].map((file) => relative(root, file))),
    to: [result],
    make: async () => {
      if (failure !== undefined) throw failure;
      writeFileSync(result, "");
    },
  });
}

test("unchanged sources make nothing; a changed, a new or a missing one and a missing result make it again", async () => {
  for (const change of [
    () => writeFileSync(source, "one"),
    () => writeFileSync(source, "two"),
    () => writeFileSync(other, ""),
    () => rmSync(other),
    () => rmSync(result),
  ]) {
    change();
    assert.deepEqual([await make(), await make()], [true, false], String(change));
  }
});

test("after a failure it is made again, even if the source is changed back", async () => {
  writeFileSync(source, "three");
  await make();
  writeFileSync(source, "four");
  await assert.rejects(make(new Error("no space left")), /no space left/);
  writeFileSync(source, "three");
  assert.equal(await make(), true);
});

test("a folder gets the files of a build and loses others; a file that is unchanged is not written", () => {
  const written = join(folder, "written");
  mkdirSync(join(written, "old"), { recursive: true });
  for (const path of ["old/file", "same", "changed"]) writeFileSync(join(written, path), "before");
  const { mtimeNs } = statSync(join(written, "same"), { bigint: true });
  writeFolder(written, new Map(Object.entries({ same: "before", changed: "after", "new/file": "new" })));
  assert.deepEqual(readdirSync(written, { recursive: true }).toSorted(), ["changed", "new", "new/file", "old", "same"]);
  assert.equal(readFileSync(join(written, "changed"), "utf8"), "after");
  assert.equal(statSync(join(written, "same"), { bigint: true }).mtimeNs, mtimeNs);
});
