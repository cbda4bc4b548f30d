/** The three tasks of www/docs/tasks.md: each program prints exactly what the page says. */

import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { test } from "node:test";
import { promisify } from "node:util";
import { blocksOf } from "../../tools/docs/blocks.js";
import { inRepository } from "../../tools/repository.js";
import { readDocument } from "./documents.js";

const page = "www/docs/tasks.md";
const blocks = blocksOf(readDocument(page), page);
const programs = blocks.filter(({ language }) => language === "js");
const outputs = blocks.filter(({ language }) => language === "text");
const folder = inRepository("target", "tasks");

test("each of the three tasks has its output", () => {
  assert.deepEqual([programs.length, outputs.length], [3, 3]);
});

for (const [index, { place, code }] of programs.entries()) {
  test(`${place} prints what the page says`, async () => {
    mkdirSync(folder, { recursive: true });
    const program = join(folder, `task-${index}.js`);
    writeFileSync(program, code);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [program], { timeout: 60_000 });
    assert.equal(stdout, outputs[index].code);
    assert.equal(stderr, "");
  });
}
