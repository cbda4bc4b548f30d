/** The build cache: a result stays until one of its sources changes. */

import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { after, before, beforeEach, test } from "node:test";
import { fingerprint, unlessUnchanged } from "../../tools/build-cache.js";
import { root, target } from "../../tools/repository.js";

const name = "tests-of-the-fingerprint";
/** @type {string} */
let folder;
let times = 0;

before(() => {
  folder = mkdtempSync(join(target, "fingerprint-"));
});

after(() => {
  rmSync(folder, { recursive: true });
  rmSync(join(target, "fingerprints", name), { force: true });
});

beforeEach(() => {
  rmSync(join(target, "fingerprints", name), { force: true });
  writeFileSync(join(folder, "source"), "one");
  times = 0;
});

test("unchanged sources make nothing", async () => {
  assert.equal(await make(), true);
  assert.equal(await make(), false);
  assert.equal(times, 1);
});

test("a changed source, a new one and a missing result make it again", async () => {
  await make();
  writeFileSync(join(folder, "source"), "two");
  assert.equal(await make(), true);
  writeFileSync(join(folder, "source-2"), "");
  assert.equal(await make(), true);
  rmSync(join(folder, "source-2"));
  await make();
  rmSync(join(folder, "result"));
  assert.equal(await make(), true);
});

test("a failure makes it again", async () => {
  await assert.rejects(make(new Error("no space left")), /no space left/);
  assert.equal(await make(), true);
});

test("a source that is changed back is still made again after a failure", async () => {
  await make();
  writeFileSync(join(folder, "source"), "two");
  await assert.rejects(make(new Error("no space left")));
  writeFileSync(join(folder, "source"), "one");
  assert.equal(await make(), true);
});

/**
 * Makes the result, or fails.
 * @param {Error} [failure]
 */
function make(failure) {
  const sources = relative(root, folder);
  return unlessUnchanged({
    name,
    from: fingerprint([join(sources, "source"), join(sources, "source-2")]),
    to: [join(folder, "result")],
    make: async () => {
      if (failure !== undefined) {
        throw failure;
      }
      times += 1;
      writeFileSync(join(folder, "result"), "");
    },
  });
}
