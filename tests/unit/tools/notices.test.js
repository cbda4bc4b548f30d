/** The notices: all third-party components are listed with their licences, all of which are allowed. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noticesFile, noticesOfPackage, packageIn } from "../../../tools/notices.ts";
import { target } from "../../../tools/repository.js";

test("lists the crates in the module and the packages of the command, in the versions of the lock files, with their licences", () => {
  const notices = readFileSync(noticesFile, "utf8");
  assert.equal(notices, noticesOfPackage(), "THIRD-PARTY-NOTICES is outdated: run `npm run update:notices`.");
  assert.match(
    notices,
    /^wasm-bindgen \d.*\n(?:.+\n)*dlmalloc, in Rust's standard library .*\n(?:.+\n)*\nCopyright .* Alex Crichton$/m,
  );
});

test("an npm package without an allowed licence, or without its text, is rejected", () => {
  const folder = mkdtempSync(join(target, "licences-"));
  try {
    for (const license of ["GPL-3.0-only", "MIT AND GPL-3.0-only", undefined, "BSD-3-Clause"]) {
      writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "other", version: "1.0.0", license }));
      assert.throws(
        () => packageIn(folder),
        /^Error: (?:The licence of )?other 1\.0\.0 (?:is not among|comes without)/,
      );
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});
