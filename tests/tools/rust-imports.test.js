/** The layers of the Rust code: no file uses another that uses it. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { circles, rustImports } from "./rust-imports.js";

for (const root of [
  "src/chunk/lib.rs",
  "src/table/lib.rs",
  "src/call/lib.rs",
  "src/web/lib.rs",
  "tools/wasm-bindgen/src/main.rs",
]) {
  test(`the files of ${root} form no circle`, () => {
    assert.deepEqual(circles(rustImports(inRepository(root))), []);
  });
}

const ways = {
  "an item of another file": "use crate::b::Thing;",
  "a file above": "use super::b::{Thing, other};",
  "nested braces": "use crate::{c::C, b::{self, Thing as Other}};",
  "a path in the code": "fn f() -> crate::b::Thing { loop {} }",
  "all items of a file above": "use super::b::*;",
  "a re-export": "pub(crate) use super::b::Thing;",
};

for (const [name, code] of Object.entries(ways)) {
  test(`a circle by ${name} is found`, () => {
    const imports = importsOf({ "lib.rs": "mod a; mod b; mod c;", "a.rs": code, "b.rs": "use crate::a;", "c.rs": "" });
    assert.deepEqual(circles(imports), ["a.rs b.rs"]);
  });
}

test("a child that uses its parent is a circle if the parent uses the child", () => {
  const child = "fn f() { super::g() }";
  assert.deepEqual(circles(importsOf({ "lib.rs": "mod a;", "a.rs": "mod b;\nfn g() {}", "a/b.rs": child })), []);
  const both = { "lib.rs": "mod a;", "a.rs": "mod b;\nuse self::b::f;", "a/b.rs": child };
  assert.deepEqual(circles(importsOf(both)), ["a.rs a/b.rs"]);
});

test("comments, other crates and tests form no circle", () => {
  const code = `// use crate::b::Thing;
use std::b::Thing;
#[cfg(test)]
mod tests {
    use crate::b::Thing;
}
`;
  assert.deepEqual(circles(importsOf({ "lib.rs": "mod a; mod b;", "a.rs": code, "b.rs": "use crate::a::TEXT;" })), []);
});

/**
 * The imports of a crate with these files.
 * @param {Record<string, string>} files
 */
function importsOf(files) {
  const folder = mkdtempSync(join(tmpdir(), "crate-"));
  try {
    for (const [name, code] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), code);
    }
    return rustImports(join(folder, "lib.rs"));
  } finally {
    rmSync(folder, { recursive: true });
  }
}
