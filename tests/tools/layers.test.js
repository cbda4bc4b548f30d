/** The layers of the code: no Rust file or module, and no folder of TypeScript, uses another that uses it. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";

/** @typedef {[user: string, used: string]} Use */

for (const folder of ["src/chunk", "src/table", "src/call", "src/web"]) {
  test(`the files of ${folder} form no circle, nor do its folders, each with the file of its name`, () => {
    const uses = usesOfRust(filesIn(folder, "rs"));
    assert.ok(uses.length > 5);
    assert.deepEqual(circles(uses), []);
    assert.deepEqual(circles(between(uses, (file) => file.replace(/[/.].*/, ""))), []);
  });
}

test("a circle by a list, a tree, a child or a path of names is found, unless only tests have it", () => {
  const found = [
    "use super::b::{Thing, other};",
    "use crate::{c::C, b::{self, Thing}};",
    "use d::f;",
    "fn f() -> crate::b::Thing { loop {} }",
    "#[cfg(test)]\nmod tests {\n    use crate::b::f;\n}\n",
  ].map((code) =>
    circles(usesOfRust({ "lib.rs": "mod a;", "a.rs": code, "b.rs": "use crate::a;", "a/d.rs": "use super::g;" })),
  );
  assert.deepEqual(found, [["a.rs", "b.rs"], ["a.rs", "b.rs"], ["a.rs", "a/d.rs"], ["a.rs", "b.rs"], []]);
});

test("the folders of src/js form no circle", () => {
  const uses = between(usesOfScripts(filesIn("src/js", "ts")), folderOf);
  assert.ok(uses.some(([user, used]) => user === "client" && used === "table"));
  assert.deepEqual(circles(uses), []);
});

/** The code by file, relative to a folder. @param {string} folder @param {string} ending @returns {Record<string, string>} */
function filesIn(folder, ending) {
  const cwd = inRepository(folder);
  const files = globSync(`**/*.${ending}`, { cwd });
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(cwd, file), "utf8")]));
}

/** The files that reach themselves. @param {Use[]} uses */
function circles(uses) {
  const usesOf = Map.groupBy(uses, ([user]) => user);
  return [...usesOf.keys()].filter((file) => {
    const reached = new Set(usesOf.get(file)?.map(([, used]) => used));
    // Grows while it is walked.
    for (const other of reached) for (const [, used] of usesOf.get(other) ?? []) reached.add(used);
    return reached.has(file);
  });
}

/** What folders use of each other. @param {Use[]} uses @param {(file: string) => string} folderOf @returns {Use[]} */
function between(uses, folderOf) {
  return uses.map((use) => /** @type {Use} */ (use.map(folderOf))).filter(([user, used]) => user !== used);
}

/** An item that only tests have, as rustfmt writes it: to the end of its line, or to the brace below its beginning. A file is none. */
const TESTS = /^( *)#\[cfg\((?:test|any\(test, feature = "testing"\))\)\]\n(?!.*\bmod \w+;)(?:.*;$|[\s\S]*?^\1\}$)/gm;

/** A path in the code: `crate`, `self` or `super` and names, or names below a child module. */
const PATH = /(?<![\w:])[a-z_]\w*(?:\s*::\s*(?:[A-Za-z_]\w*|\*))+/g;

/** The innermost braces of a tree such as `a::{b, c::{self, d}}`, with the path before them. */
const BRANCHES = /((?:\w+\s*::\s*)+)\{([^{}]*)\}/g;

/** What the files of a crate use of each other. @param {Record<string, string>} files @returns {Use[]} */
function usesOfRust(files) {
  const root = "lib.rs" in files ? "lib.rs" : "main.rs";
  /** The file of the module that has an item: that of the most names, at last the root. @type {(names: string[]) => string} */
  const fileOf = (names) => {
    const file = `${names.join("/")}.rs`;
    return file in files ? file : names.length === 0 ? root : fileOf(names.slice(0, -1));
  };
  return Object.entries(files).flatMap(([file, text]) => {
    const here = file === root ? [] : file.slice(0, -".rs".length).split("/");
    const code = withoutBranches(text.replaceAll(TESTS, "").replaceAll(/\/\/.*/g, ""));
    const used = [...code.matchAll(PATH)].flatMap(([path]) => {
      const [first, ...rest] = path.split("::").map((name) => name.trim());
      if (first === "crate") return fileOf(rest);
      if (first === "super") {
        const up = rest.findIndex((name) => name !== "super");
        return fileOf([...here.slice(0, here.length - 1 - up), ...rest.slice(up)]);
      }
      // A name without a prefix is a child, or of another crate.
      const names = first === "self" ? [...here, ...rest] : [...here, first, ...rest];
      return first === "self" || `${[...here, first].join("/")}.rs` in files ? fileOf(names) : [];
    });
    return [...new Set(used)].filter((other) => other !== file).map((other) => /** @type {Use} */ ([file, other]));
  });
}

/** Writes the paths of `use` with braces one by one. @type {(code: string) => string} */
function withoutBranches(code) {
  const outer = code.replace(BRANCHES, (_, path, names) => names.replaceAll(/[^,\s][^,]*/g, `${path}$&`));
  return outer === code ? code : withoutBranches(outer);
}

/** The public types of options, progress and errors, which refer to each other: an error can resume its call with more options. */
const publicTypes = ["client/options.ts", "client/progress.ts", "error/error.ts", "error/objects-error.ts"];

/** What files of TypeScript use of each other. @param {Record<string, string>} files @returns {Use[]} */
function usesOfScripts(files) {
  return Object.entries(files).flatMap(([file, code]) => {
    const imports = [...code.matchAll(/^(?:im|ex)port( type)?\b[^;"]*? from "(\.[^"]+)\.js";$/gm)];
    return imports.flatMap(([, type, path]) => {
      const used = `${join(dirname(file), path)}.ts`;
      const isPublic = type !== undefined && [file, used].some((one) => publicTypes.includes(one));
      return isPublic ? [] : [/** @type {Use} */ ([file, used])];
    });
  });
}

/**
 * A file of `entries` counts as a folder, because the command uses other entries. So do the files of `engine`: Rust is below all that call
 * `engine.ts`, and above all that `host-functions.ts` uses.
 * @param {string} file
 */
function folderOf(file) {
  const [folder] = file.split("/");
  return ["entries", "engine"].includes(folder) ? `entries/${basename(file)}` : folder;
}
