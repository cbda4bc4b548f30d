/** The layers of the Rust code: no file uses another that uses it. */

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { between, circles, rustImports } from "./rust-imports.js";

for (const root of [
  "src/chunk/lib.rs",
  "src/table/lib.rs",
  "src/call/lib.rs",
  "src/web/lib.rs",
  "tools/wasm-bindgen/src/main.rs",
]) {
  test(`the files of ${root} form no circle`, () => {
    const imports = rustImports(inRepository(root));
    assert.deepEqual(circles(imports), []);
    assert.deepEqual(circles(between(imports)), [], "folders, each with the file of its name");
  });
}

for (const code of [
  "use super::b::{Thing, other};",
  "use crate::{c::C, b::{self, Thing as Other}};",
  "fn f() -> crate::b::Thing { loop {} }",
]) {
  test(`a circle by \`${code}\` is found`, () => {
    const imports = importsOf({ "lib.rs": "mod a; mod b; mod c;", "a.rs": code, "b.rs": "use crate::a;", "c.rs": "" });
    assert.deepEqual(circles(imports), ["a.rs b.rs"]);
  });
}

test("a child that uses its parent is a circle only if the parent uses the child, other than in tests", () => {
  const child = "fn f() { super::g() }";
  const code = "mod b;\nfn g() {}\n#[cfg(test)]\nmod tests {\n    use super::b::f;\n}\n";
  assert.deepEqual(circles(importsOf({ "lib.rs": "mod a;", "a.rs": code, "a/b.rs": child })), []);
  const both = { "lib.rs": "mod a;", "a.rs": "mod b;\nuse self::b::f;", "a/b.rs": child };
  assert.deepEqual(circles(importsOf(both)), ["a.rs a/b.rs"]);
});

test("a circle of files that only tests have is found, and one of folders whose files form none", () => {
  const tests = {
    "lib.rs": "#[cfg(test)]\nmod a;\n#[cfg(test)]\nmod b;\n",
    "a.rs": "use super::b::B;",
    "b.rs": "use super::a::A;",
  };
  assert.deepEqual(circles(importsOf(tests)), ["a.rs b.rs"]);
  const folders = {
    "lib.rs": "mod a;\nmod b;",
    "a.rs": "mod c;",
    "a/c.rs": "use crate::b::B;",
    "b.rs": "mod d;\nuse self::d::D;",
    "b/d.rs": "use crate::a::A;",
  };
  const imports = importsOf(folders);
  assert.deepEqual([circles(imports), circles(between(imports))], [[], ["a b"]]);
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
