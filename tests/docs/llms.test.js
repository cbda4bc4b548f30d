/** The file for programs: small, about everything that the package exports, and in the tarball with the files that it names. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { readExports } from "../../tools/docs/reference.js";
import { llmsFile } from "../../tools/llms.js";
import { filesOfTarball } from "./documents.js";

const text = readFileSync(llmsFile, "utf8");

test("names everything that the package exports, and every option", () => {
  const exports = readExports();
  assert.ok(exports.length > 20);
  const names = exports.map(({ name }) => name);
  const options = exports.find(({ name }) => name === "Options")?.members.map(({ name }) => name) ?? [];
  assert.ok(options.length > 10);
  const missing = [...names, ...options].filter((name) => !new RegExp(`(?:^## |\`)${name}\\b`, "m").test(text));
  assert.deepEqual(missing, []);
});

test("has only whole sentences", () => {
  const items = text.split("\n").filter((line) => /^- `.*`.*: /.test(line));
  assert.ok(items.length > 60);
  assert.deepEqual(
    items.filter((line) => /[:,]$|\{@/.test(line)),
    [],
  );
});

test("is at most 16 KB", () => {
  assert.ok(Buffer.byteLength(text) < 16_000, `${Buffer.byteLength(text)} bytes`);
});

test("is in the tarball, with the files that it links", () => {
  const packed = filesOfTarball();
  const linked = [...text.matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path);
  assert.ok(linked.length > 2);
  assert.deepEqual(
    ["llms.txt", ...linked].filter((path) => !packed.includes(path)),
    [],
  );
});
