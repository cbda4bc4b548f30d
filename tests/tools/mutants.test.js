/** The faults that the tests have to notice: each has to fit the code and the tests of today. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";
import { mutants } from "../mutants/list.js";

test("the code that a fault changes is in its file, once, and the file of its tests exists", () => {
  for (const { file, before, tests } of mutants) {
    const places = readFileSync(inRepository("src", "js", file), "utf8").split(before).length - 1;
    assert.equal(places, 1, `${file} has ${places} times: ${before}`);
    const [named] = tests.split(": ");
    assert.equal(globSync(`${named}.test.*`, { cwd: inRepository("tests", "browser") }).length, 1, `tests of ${file}`);
  }
});
