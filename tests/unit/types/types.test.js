/** The public types compile in a caller's project, and refuse mistakes. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import ts from "typescript-5.7";
import { inRepository } from "../../../tools/repository.js";
import { isQuick } from "../../tier.js";
import { compile, errorsOf } from "./compile.js";

/** The oldest compiler that the documentation names, the last that is written in JavaScript, and the newest, which is written in Go. */
const compilers = isQuick ? ["typescript-5.7", "typescript"] : ["typescript-5.7", "typescript-5", "typescript"];

const node = ["--module", "nodenext", "--moduleResolution", "nodenext"];

const mistakes = readFileSync(inRepository("tests", "unit", "types", "wrong", "mistakes.ts"), "utf8");
const source = ts.createSourceFile("mistakes.ts", mistakes, ts.ScriptTarget.Latest);
const statements = source.statements.filter(ts.isExpressionStatement).map((statement) => {
  const [first, last] = [statement.getStart(source), statement.end].map(
    (at) => source.getLineAndCharacterOfPosition(at).line,
  );
  return { first, last, code: statement.getText(source) };
});

for (const compiler of compilers) {
  test(`files that use the whole interface compile strictly with ${compiler}, resolved as Node does`, () =>
    compile("tests/unit/types/tsconfig.json", { compiler, parameters: node }));

  // The compilers in JavaScript are slow: the quick tier gives the oldest one less to do.
  const skip = isQuick && compiler !== "typescript";
  test(`the same files compile as a bundler resolves them with ${compiler}`, { skip }, () =>
    compile("tests/unit/types/tsconfig.json", { compiler }),
  );

  test(`a program without the types of the web platform compiles strictly with ${compiler}`, () =>
    compile("tests/unit/types/without-dom/tsconfig.json", { compiler }));

  test(`each mistake is an error with ${compiler}, and that of a condition names its type`, { skip }, () => {
    const errors = errorsOf("tests/unit/types/wrong/tsconfig.json", { compiler });
    // Another error than that of the mistake would hide that it is none.
    assert.doesNotMatch(errors, /Cannot find|no exported member|on type 'never'/);
    const lines = Array.from(errors.matchAll(/mistakes\.ts\((\d+),/g), ([, line]) => Number(line) - 1);
    const missed = statements.filter(({ first, last }) => !lines.some((line) => first <= line && line <= last));
    assert.deepEqual(missed, []);
    assert.match(errors, /Type 'string' is not assignable to type 'Condition</);
  });
}
