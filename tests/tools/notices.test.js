/** The notices: all third-party components are listed with their licences, all of which are allowed. */

import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { noticesFile, noticesOf, noticesOfPackage, packageIn } from "../../tools/notices.js";
import { target } from "../../tools/repository.js";

test("lists the crates in the module and the packages of the command, in the versions of the lock files, with their licences", () => {
  const notices = readFileSync(noticesFile, "utf8");
  assert.equal(notices, noticesOfPackage(), "THIRD-PARTY-NOTICES is outdated: run `npm run update:notices`.");
  assert.match(
    notices,
    /^wasm-bindgen \d.*\n(?:.+\n)*dlmalloc, in Rust's standard library .*\n(?:.+\n)*\nCopyright .* Alex Crichton$/m,
  );
});

test("an npm package without an allowed licence is rejected", () => {
  const folder = mkdtempSync(join(target, "licences-"));
  const refusal = (/** @type {object} */ manifest) => {
    writeFileSync(join(folder, "package.json"), JSON.stringify({ name: "other", version: "1.0.0", ...manifest }));
    return () => packageIn(folder);
  };
  try {
    const refused = ["GPL-3.0-only", "MIT AND GPL-3.0-only", "SEE LICENSE IN LICENSE", undefined, { type: "MIT" }];
    for (const license of refused) {
      assert.throws(refusal({ license }), /^Error: The licence of other 1\.0\.0 is not among those that are allowed/);
    }
    assert.throws(refusal({ license: "BSD-3-Clause" }), /^Error: other 1\.0\.0 comes without the text of its licence/);
    writeFileSync(join(folder, "LICENCE.txt"), "Copyright (c) Somebody");
    writeFileSync(join(folder, "NOTICE"), "This product includes software of others");
    assert.deepEqual(refusal({ license: "(GPL-3.0-only OR BSD-3-Clause)" })(), {
      name: "other 1.0.0",
      license: "(GPL-3.0-only OR BSD-3-Clause)",
      text: "Copyright (c) Somebody\n\nThis product includes software of others",
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("notices contain each text once", () => {
  const components = ["one 1.0.0", "other 2.0.0"].map((name) => ({
    name,
    license: "MIT",
    text: "Copyright (c) One\n",
  }));
  assert.match(noticesOf(components), /^-+\none 1\.0\.0 \(MIT\)\nother 2\.0\.0 \(MIT\)\n\nCopyright \(c\) One\n\n$/);
});
