/** The border of Rust and TypeScript: each type that is named is there. */

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository } from "../../../tools/repository.js";

const read = (/** @type {string} */ path) => readFileSync(inRepository(path), "utf8");

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
