/** The border of Rust and TypeScript: each side names what the other has. */

import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";

const read = (/** @type {string} */ path) => readFileSync(inRepository(path), "utf8");

/** The names that a pattern finds: its first group that matches. @param {string} text @param {RegExp} pattern */
function namesIn(text, pattern) {
  return [...text.matchAll(pattern)].map(([, ...groups]) => groups.find((group) => group !== undefined)).sort();
}

/** The name of an imported Rust function in JavaScript: its `js_name`, or its own. */
const IMPORTED = /(?:js_name = (\w+)\)\]\s+pub(?:\(\w+\))? fn \w+|(?<!js_name = \w+\)\]\s+)pub\(crate\) fn (\w+))\(/g;

test("Rust imports one file of JavaScript", () => {
  const files = globSync("src/**/*.rs", { cwd: inRepository(".") });
  const modules = files.flatMap((file) => namesIn(read(file), /(?:raw_module|\bmodule) = "(.*?)"/g));
  assert.deepEqual(modules, ["./engine/host-functions.js"]);
});

test("Rust imports every function of the host, and no other", () => {
  const [imports] = read("src/web/host_functions.rs").split("\nimpl ");
  assert.deepEqual(
    // A function may be imported once for each type of its argument.
    [...new Set(namesIn(imports, IMPORTED))],
    namesIn(read("src/js/engine/host-functions.ts"), /^export const (\w+) = /gm),
  );
});

/** The members that Rust reads by their names. @param {string} rust */
const membersIn = (rust) => namesIn(rust, /^ {8}\w+: "(\w+)(?:=\w+)?",$/gm);

/** The members of a call that begins which are not settings. */
const [, begun = ""] = read("src/js/engine/performer.ts").match(/interface Begun extends Settings \{(.*?)^\}/ms) ?? [];

test("the border reads every option that TypeScript passes on, what TypeScript derives from options, and nothing else", () => {
  const settings = read("src/web/settings.rs") + read("src/web/begun.rs");
  const ofBegun = namesIn(begun, /readonly (\w+):/g);
  const byRust = [
    ...membersIn(settings),
    ...namesIn(settings, /getter, structural(?:, js_name = (\w+))?\)\]\s+(?:pub\(super\) )?fn (\w+)/g),
  ];
  const performer = read("src/js/engine/performer.ts");
  const lists = [...performer.matchAll(/const \{ ([\w, ]+) \} = (?:call\.)?settings;|#sourceOf\(\{ ([\w, ]+) \}/g)];
  const byTypeScript = [
    ...namesIn(performer, /(?<!\/)\bsettings\.(\w+)/g),
    ...lists.flatMap(([, first, second]) => (first ?? second ?? "").split(", ")),
  ];
  const settingsRead = [...new Set([...byRust, ...byTypeScript])].filter((name) => !ofBegun.includes(String(name)));
  const known = namesIn(read("src/js/client/options/option-table.ts"), /^ {2}(\w+): option\(/gm);
  const ofTypeScript = ["cache", "credentials", "fetch", "from", "reload", "signal"];
  const derived = ["askedHeaders", "asTable", "begun", "inWorker", "send", "signals"];
  const passed = known.filter((name) => !ofTypeScript.includes(String(name)));
  assert.ok(known.length > 20);
  assert.deepEqual(settingsRead.sort(), [...passed, ...derived].sort());
});

test("Rust reads of a call that begins what the performer states", () => {
  const settings = read("src/web/settings.rs") + read("src/web/begun.rs");
  for (const [, name] of begun.matchAll(/readonly (\w+):/g)) assert.match(settings, new RegExp(`\\b${name}\\b`));
  assert.ok(begun.includes("workerOption"));
});

test("Rust reads of a head what its type has", () => {
  const [, head = ""] = read("src/js/worker/exchange.ts").match(/interface Head \{(.*?)^\}/ms) ?? [];
  const inTypeScript = namesIn(head, /readonly (\w+):/g).filter((name) => name !== "headers");
  assert.deepEqual([...new Set(membersIn(read("src/web/head.rs")))], inTypeScript);
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
