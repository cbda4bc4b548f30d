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

const parent = "mod b;\nfn g() {}\n#[cfg(test)]\nmod tests {\n    use super::b::f;\n}\n";
const inFolders = { "a/c.rs": "use crate::b::B;", "b.rs": "mod d;\nuse self::d::D;", "b/d.rs": "use crate::a::A;" };

/** Files of a crate, with the circles of the files and of the folders. */
for (const [
  what,
  files,
  ofFiles,
  ofFolders = ofFiles,
] of /** @type {[string, Record<string, string>, string[], string[]?][]} */ ([
  ["by a list of names is found", { "a.rs": "use super::b::{Thing, other};" }, ["a.rs b.rs"], ["a b"]],
  ["by a tree of names is found", { "a.rs": "use crate::{c::C, b::{self, Thing}};" }, ["a.rs b.rs"], ["a b"]],
  ["by a path in the code is found", { "a.rs": "fn f() -> crate::b::Thing { loop {} }" }, ["a.rs b.rs"], ["a b"]],
  [
    "of a child and its parent is none if only tests of the parent use the child",
    { "a.rs": parent, "a/b.rs": "fn f() { super::g() }" },
    [],
  ],
  [
    "of a child and its parent is found",
    { "a.rs": "mod b;\nuse self::b::f;", "a/b.rs": "fn f() { super::g() }" },
    ["a.rs a/b.rs"],
    [],
  ],
  ["of folders whose files form none is found", { "a.rs": "mod c;", ...inFolders }, [], ["a b"]],
])) {
  test(`a circle ${what}`, () => {
    const imports = rustImports({ "lib.rs": "mod a; mod b; mod c;", "b.rs": "use crate::a;", "c.rs": "", ...files });
    assert.deepEqual([circles(imports), circles(between(imports))], [ofFiles, ofFolders]);
  });
}
