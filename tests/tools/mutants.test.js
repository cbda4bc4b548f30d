/** The faults that the tests have to notice: each has to fit the code of today. */

import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { mutants } from "../mutants/list.js";

test("the code that a fault changes is in its file, once", () => {
  for (const { file, before } of mutants) {
    const places = readFileSync(inRepository("src", "js", file), "utf8").split(before).length - 1;
    assert.equal(places, 1, `${file} has ${places} times: ${before}`);
  }
});

test("the file of the tests that have to notice a fault exists", () => {
  const files = readdirSync(inRepository("tests", "browser"));
  for (const { tests } of mutants) {
    const [file] = tests.split(": ");
    assert.ok(
      files.some((one) => one.startsWith(`${file}.test.`)),
      `there is no tests/browser/${file}.test.*`,
    );
  }
});
