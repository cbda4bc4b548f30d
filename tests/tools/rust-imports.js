/** The imports between the files of a Rust crate, without those of its tests. */

import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** A path in the code: `crate`, `self` or `super` and names, or names below a child module. */
const PATH = /(?<![\w:])(?:crate|self|super|[a-z_]\w*)(?:\s*::\s*(?:[A-Za-z_]\w*|\*))+/g;

/** The innermost braces of a tree such as `a::{b, c::{self, d}}`, with the path before them. */
const BRANCHES = /((?:\w+\s*::\s*)+)\{([^{}]*)\}/g;

/** An item that only tests have, as rustfmt writes it: to the end of its line, or to the brace below its beginning. A file is none. */
const TESTS = /^( *)#\[cfg\((?:test|any\(test, feature = "testing"\))\)\]\n(?!.*\bmod \w+;)(?:.*;$|[\s\S]*?^\1\}$)/gm;

/**
 * Reads the files of a crate.
 * @param {string} folder of its `lib.rs` or `main.rs`
 * @returns {Record<string, string>} the code by file, relative to the folder
 */
export function rustFiles(folder) {
  const files = globSync("**/*.rs", { cwd: folder });
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(folder, file), "utf8")]));
}

/**
 * Finds the files that each file of a crate uses.
 * @param {Record<string, string>} files the code by file
 * @returns {Map<string, Set<string>>}
 */
export function rustImports(files) {
  /** The file of each module, by a path such as `table::view`; that of the root is empty. */
  const modules = new Map(
    Object.keys(files).map((file) => [file.replace(/\.rs$/, "").replace(/^(?:lib|main)$/, ""), file]),
  );
  return new Map([...modules].map(([path, file]) => [file, usedBy(path, file)]));

  /**
   * @param {string} path of a module
   * @param {string} file
   */
  function usedBy(path, file) {
    const code = withoutBranches(files[file].replaceAll(TESTS, "").replaceAll(/\/\/.*/g, ""));
    const here = path === "" ? [] : path.split("/");
    const used = [...code.matchAll(PATH)].flatMap(([names]) => {
      const target = absolute(here, names.replaceAll(/\s/g, "").split("::"));
      return target === undefined ? [] : fileOf(target);
    });
    return new Set(used.filter((other) => other !== file));
  }

  /**
   * @param {string[]} here
   * @param {string[]} names
   */
  function absolute(here, [first, ...rest]) {
    if (first === "crate") return rest;
    if (first === "self") return [...here, ...rest];
    if (first === "super") {
      const up = rest.findIndex((name) => name !== "super");
      return [...here.slice(0, here.length - 1 - up), ...rest.slice(up)];
    }
    // A name without a prefix is a child, or of another crate.
    return modules.has([...here, first].join("/")) ? [...here, first, ...rest] : undefined;
  }

  /**
   * The file of the module that has an item: that of the most names, at last the root.
   * @param {string[]} names
   * @returns {string}
   */
  function fileOf(names) {
    return modules.get(names.join("/")) ?? fileOf(names.slice(0, -1));
  }
}

/**
 * Finds the folders, each with the file of its name, that each folder of a crate uses.
 * @param {Map<string, Set<string>>} imports of the files
 * @returns {Map<string, Set<string>>}
 */
export function between(imports) {
  const folderOf = (/** @type {string} */ file) => String(file.split("/")[0]).replace(/\.rs$/, "");
  /** @type {Map<string, Set<string>>} */
  const folders = new Map();
  for (const [file, others] of imports) {
    const folder = folderOf(file);
    const outside = [...others].map(folderOf).filter((other) => other !== folder);
    folders.set(folder, new Set([...(folders.get(folder) ?? []), ...outside]));
  }
  return folders;
}

/**
 * Finds the circles between files: those that reach each other.
 * @param {Map<string, Set<string>>} imports
 * @returns {string[]} the files of each circle
 */
export function circles(imports) {
  const reached = new Map(imports);
  for (const [file, others] of imports) {
    const all = new Set(others);
    // Grows while it is walked.
    for (const other of all) for (const next of imports.get(other) ?? []) all.add(next);
    reached.set(file, all);
  }
  const circle = (/** @type {string} */ file) =>
    [...imports.keys()].filter((other) => reached.get(file)?.has(other) && reached.get(other)?.has(file));
  return [...new Set([...imports.keys()].map((file) => circle(file).toSorted().join(" ")))].filter(Boolean);
}

/**
 * Writes the paths of `use` with braces one by one.
 * @param {string} code
 * @returns {string}
 */
function withoutBranches(code) {
  const outer = code.replace(BRANCHES, (_, path, names) =>
    names.replaceAll(/[^,]+/g, (/** @type {string} */ name) => path + name.trim()),
  );
  return outer === code ? code : withoutBranches(outer);
}
