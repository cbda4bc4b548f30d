/** The help of the scripts. */

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import process from "node:process";
import { test } from "node:test";
import { inRepository } from "../../tools/repository.js";

/** Some of the options of scripts. */
const options = { bench: "--figures", fuzz: "keep", mutants: "--file", soak: "MINUTES", test: "browser-worker" };
const { scripts } = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));
const names = Object.values(scripts).flatMap((command) => command.match(/^node tools\/(\w+)\.js$/)?.[1] ?? []);

for (const name of names) {
  test(`tools/${name}.js --help prints the options, and ends with status 0 before any work`, () => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [inRepository("tools", `${name}.js`), "--help"], {
      encoding: "utf8",
    });
    assert.deepEqual([status, stderr], [0, ""]);
    assert.ok(stdout.includes(options[/** @type {keyof typeof options} */ (name)] ?? "no options"), stdout);
    assert.doesNotMatch(stdout, /Building|Installing|Compiling/);
  });
}
