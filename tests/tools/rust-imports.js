/** The imports between the files of a Rust crate, without those of its tests. */

import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

/** A path in the code: `crate`, `self` or `super` and names, or names below a child module. */
const PATH = /(?<![\w:])(?:crate|self|super|[a-z_]\w*)(?:\s*::\s*[A-Za-z_]\w*)+/g;

/**
 * Finds the files that each file of a crate uses.
 * @param {string} rootFile `lib.rs` or `main.rs`
 * @returns {Map<string, Set<string>>} by file, relative to the folder of the crate
 */
export function rustImports(rootFile) {
  const folder = dirname(rootFile);
  /** @type {Map<string, { file: string, code: string }>} by path, such as `table::view`; the root's is empty */
  const modules = new Map();
  collect("", rootFile, folder);
  return new Map([...modules].map(([path, { file, code }]) => [relative(folder, file), usedBy(path, code)]));

  /**
   * @param {string} path
   * @param {string} file
   * @param {string} below the folder of its children
   */
  function collect(path, file, below) {
    const code = withoutTests(withoutTexts(readFileSync(file, "utf8")));
    modules.set(path, { file, code });
    for (const [, name] of code.matchAll(/\bmod (\w+);/g)) {
      const child = [join(below, `${name}.rs`), join(below, name, "mod.rs")].find(existsSync);
      if (child !== undefined) collect(path === "" ? name : `${path}::${name}`, child, join(below, name));
    }
  }

  /**
   * @param {string} path of a module
   * @param {string} code
   */
  function usedBy(path, code) {
    const here = path === "" ? [] : path.split("::");
    const used = new Set();
    for (const names of pathsOf(code)) {
      const target = moduleOf(absolute(here, names));
      if (target !== undefined && target !== path) used.add(relative(folder, modules.get(target)?.file ?? ""));
    }
    return used;
  }

  /**
   * @param {string[]} here
   * @param {string[]} names
   */
  function absolute(here, [first, ...rest]) {
    if (first === "crate") return rest;
    if (first === "self") return [...here, ...rest];
    let [up, others] = [0, [first, ...rest]];
    while (others[0] === "super") [up, others] = [up + 1, others.slice(1)];
    if (up > 0) return [...here.slice(0, here.length - up), ...others];
    // A name without a prefix is a child, or of another crate.
    return modules.has([...here, first].join("::")) ? [...here, first, ...rest] : undefined;
  }

  /**
   * The module that has an item.
   * @param {string[] | undefined} names
   */
  function moduleOf(names) {
    for (let length = names?.length ?? -1; length >= 0; length--) {
      const path = names?.slice(0, length).join("::") ?? "";
      if (modules.has(path)) return path;
    }
    return undefined;
  }
}

/**
 * Finds the circles between files: those that reach each other.
 * @param {Map<string, Set<string>>} imports
 * @returns {string[][]} the files of each circle
 */
export function circles(imports) {
  const reached = new Map([...imports.keys()].map((file) => [file, reach(imports, file)]));
  /** @type {string[][]} */
  const found = [];
  for (const [file, others] of reached) {
    if (!others.has(file) || found.some((circle) => circle.includes(file))) continue;
    found.push([...others].filter((other) => reached.get(other)?.has(file)).toSorted());
  }
  return found;
}

/**
 * @param {Map<string, Set<string>>} imports
 * @param {string} start
 */
function reach(imports, start) {
  const reached = new Set();
  const open = [start];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    for (const next of imports.get(file) ?? []) {
      if (!reached.has(next)) {
        reached.add(next);
        open.push(next);
      }
    }
  }
  return reached;
}

/**
 * The paths of the code, those of `use` with braces one by one.
 * @param {string} code
 * @returns {string[][]}
 */
function pathsOf(code) {
  /** @type {string[]} */
  const trees = [];
  const rest = code.replace(/\buse\s+([^;]+);/g, (_, tree) => {
    trees.push(...flat(tree.replaceAll(/\s+as\s+\w+/g, "").replaceAll(/\s/g, "")));
    return "";
  });
  return [...trees, ...(rest.match(PATH) ?? [])].map((path) => path.replaceAll(/\s/g, "").split("::"));
}

/**
 * The paths of a tree such as `a::{b,c::{self,d}}`.
 * @param {string} tree
 * @returns {string[]}
 */
function flat(tree) {
  const open = tree.indexOf("{");
  if (open < 0) return [tree];
  const prefix = tree.slice(0, open);
  const parts = [""];
  let depth = 0;
  for (const character of tree.slice(open + 1, tree.lastIndexOf("}"))) {
    if (character === "{") depth++;
    if (character === "}") depth--;
    if (character === "," && depth === 0) parts.push("");
    else parts[parts.length - 1] += character;
  }
  return parts
    .filter((part) => part !== "")
    .flatMap((part) => flat(part === "self" ? prefix.slice(0, -2) : prefix + part));
}

/**
 * Removes comments, and the contents of strings and characters.
 * @param {string} code
 */
function withoutTexts(code) {
  return code.replace(
    /\/\/[^\n]*|\/\*[\s\S]*?\*\/|b?r(#*)"[\s\S]*?"\1|b?"(?:\\[\s\S]|[^"\\])*"|b?'(?:\\[^\n]+?|[^\\'\n])'/g,
    " ",
  );
}

/**
 * Removes items that only tests have.
 * @param {string} code
 */
function withoutTests(code) {
  let rest = code;
  for (let at = rest.indexOf("#[cfg(test)]"); at >= 0; at = rest.indexOf("#[cfg(test)]", at)) {
    rest = rest.slice(0, at) + rest.slice(endOfItem(rest, at));
  }
  return rest;
}

/**
 * Where an item ends: at a semicolon, or at the brace that closes it.
 * @param {string} code
 * @param {number} from
 */
function endOfItem(code, from) {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    const character = code[at];
    if (character === "{") depth++;
    if (character === "}" && --depth === 0) return at + 1;
    if (character === ";" && depth === 0) return at + 1;
  }
  return code.length;
}
