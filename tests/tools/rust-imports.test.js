/** The layers of the Rust code: no file uses another that uses it. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { between, circles, rustFiles, rustImports } from "./rust-imports.js";

for (const folder of ["src/chunk", "src/table", "src/call", "src/web", "tools/wasm-bindgen/src"]) {
  test(`the files of ${folder} form no circle`, () => {
    const imports = rustImports(rustFiles(inRepository(folder)));
    assert.deepEqual(circles(imports), []);
    assert.deepEqual(circles(between(imports)), [], "folders, each with the file of its name");
  });
}

test("a circle by a list, a tree or a path of names is found, unless only tests have it", () => {
  const found = [
    "use super::b::{Thing, other};",
    "use crate::{c::C, b::{self, Thing}};",
    "fn f() -> crate::b::Thing { loop {} }",
    "#[cfg(test)]\nmod tests {\n    use crate::b::f;\n}\n",
  ].map((code) =>
    circles(rustImports({ "lib.rs": "mod a; mod b;", "a.rs": code, "b.rs": "use crate::a;", "c.rs": "" })),
  );
  assert.deepEqual(found, [["a.rs b.rs"], ["a.rs b.rs"], ["a.rs b.rs"], []]);
});
