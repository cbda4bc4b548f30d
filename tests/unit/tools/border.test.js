/** The border of Rust and TypeScript: each side names what the other has. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository } from "../../../tools/repository.js";

const read = (/** @type {string} */ path) => readFileSync(inRepository(path), "utf8");

/** The names that a pattern finds: its first group that matches. @param {string} text @param {RegExp} pattern */
function namesIn(text, pattern) {
  return [...text.matchAll(pattern)].map(([, ...groups]) => groups.find((group) => group !== undefined)).sort();
}

/** The name of an imported Rust function in JavaScript: its `js_name`, or its own. */
const IMPORTED =
  /(?:js_name = (\w+)(?:, catch)?\)\]\s+pub\(crate\) fn \w+|(?<!js_name = \w+(?:, catch)?\)\]\s+)pub\(crate\) fn (\w+))\(/g;

/** The names that a file exports. @param {string} code */
function exportsOf(code) {
  const own = namesIn(code, /^export function (\w+)/gm);
  const others = [...code.matchAll(/^export \{ (.*) \} from/gm)].flatMap(([, names = ""]) => names.split(", "));
  return [...own, ...others.map((name) => name.replace(/.* as /, ""))].sort();
}

test("Rust imports every function of the host, and no other", () => {
  const [imports = ""] = read("src/web/host_functions.rs").split("\n#[wasm_bindgen]\n");
  assert.deepEqual(
    // A function may be imported once for each type of its argument.
    [...new Set(namesIn(imports, IMPORTED))],
    exportsOf(read("src/js/core/engine/host-functions.ts")),
  );
});

test("Rust calls only methods that what performs calls has", () => {
  const [, ...imports] = read("src/web/performer.rs").split("#[wasm_bindgen(method");
  const files = { Performer: "performer", RunningCall: "running-call", RunningAttempt: "running-attempt" };
  for (const one of imports) {
    const [, attributes = "", name, type] = /^(.*?)\)\]\s+pub\(super\) fn (\w+)\(\s*this: &(\w+)/.exec(one) ?? [];
    const member = /js_name = (\w+)/.exec(attributes)?.[1] ?? name;
    // Those of a call that begins are options, too.
    if (type === "Beginning") continue;
    const code = read(`src/js/core/engine/${files[/** @type {keyof typeof files} */ (type)]}.ts`);
    assert.match(code, new RegExp(`^ +(?:get |readonly )?${member}[(:,]|\\b${member}: `, "m"), `${type} has ${member}`);
  }
  assert.ok(imports.length > 20);
});

test("each type that crosses the border is stated, and exported by the file that it is imported from", () => {
  const [stated] = read("target/glue/inspection_findings.d.ts").split("export interface InitOutput");
  assert.match(stated, /^export class Client /m);
  assert.doesNotMatch(stated, /\bany\b/);
  // TypeScript takes a type that is not there for `any` without a word, because the file is one of declarations.
  const imports = [...stated.matchAll(/^import type \{ (.*) \} from "\.(.*)\.js";$/gm)];
  const missing = imports.flatMap(([, names = "", file]) =>
    names.split(", ").filter((name) => {
      const path = `src/js${file}.ts`;
      const exported = new RegExp(`^export (?:declare )?(?:type|interface|class) ${name}\\b`, "m");
      return !existsSync(inRepository(path)) || !exported.test(read(path));
    }),
  );
  assert.ok(imports.length > 5);
  assert.deepEqual(missing, []);
});
