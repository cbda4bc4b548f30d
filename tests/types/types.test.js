/** The public types compile in a caller's project. */

import { test } from "node:test";
import { isQuick } from "../tier.js";
import { compile } from "./compile.js";

/** The oldest compiler that the documentation names, the last that is written in JavaScript, and the newest, which is written in Go. */
const compilers = isQuick ? ["typescript-5.7", "typescript"] : ["typescript-5.7", "typescript-5", "typescript"];

const node = ["--module", "nodenext", "--moduleResolution", "nodenext"];

for (const compiler of compilers) {
  test(`files that use the whole interface compile strictly with ${compiler}, resolved as Node does`, () =>
    compile("tests/types/tsconfig.json", { compiler, parameters: node }));

  // The compilers in JavaScript are slow: the quick tier gives the oldest one less to do.
  test(
    `the same files compile as a bundler resolves them with ${compiler}`,
    {
      skip: isQuick && compiler !== "typescript",
    },
    () => compile("tests/types/tsconfig.json", { compiler }),
  );

  test(`a program without the types of the web platform compiles strictly with ${compiler}`, () =>
    compile("tests/types/without-dom/tsconfig.json", { compiler }));
}
