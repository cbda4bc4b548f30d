/** The file for programs: small, about everything that the package exports, and in the tarball with the files that it names. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { createFakeService } from "inspection-findings/testing";
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

test("has the fields of findings and of results, and the names of the scenarios", () => {
  const finding = text.match(/^- `InspectionFinding`: .*`\{ (.*) \}`$/m)?.[1] ?? "";
  const documented = createFakeService().findings("sentiment")[0];
  assert.deepEqual(
    Object.keys(documented).filter((name) => !new RegExp(`\\b${name}\\??: `).test(finding)),
    [],
  );
  for (const shape of [
    "{ sentiment: KindCounts, topics: KindCounts }",
    "{ key: Key, count: number, sum: number, min: number, max: number, mean: number }",
    "kind: FindingKind | undefined",
    '"rate-limited" | "service-errors"',
  ]) {
    assert.ok(text.includes(shape), shape);
  }
});

test("has only whole sentences", () => {
  const items = text.split("\n").filter((line) => /^- `.*`.*: /.test(line));
  assert.ok(items.length > 60);
  assert.deepEqual(
    items.filter((line) => /[:,]$|\{@/.test(line)),
    [],
  );
});

test("is at most 20 KB", () => {
  assert.ok(Buffer.byteLength(text) < 20_000, `${Buffer.byteLength(text)} bytes`);
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
