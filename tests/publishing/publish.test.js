/** What `npm publish` would publish: the package's files, all of them, and nothing of the machine that has built them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, posix } from "node:path";
import { test } from "node:test";
import { capture } from "../../tools/command.js";
import { inRepository, root } from "../../tools/repository.js";
import { linksOf } from "../docs/documents.js";

/** The most bytes of the unpacked package. */
const LIMIT = 2_750_000;

const skillFile = "skills/inspection-findings/SKILL.md";

const manifest = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));

const report = JSON.parse(capture("npm", ["publish", "--dry-run", "--json", "--ignore-scripts"]) ?? "{}");
/** @type {{ files: { path: string, size: number }[], unpackedSize: number }} npm 11 reports by name. */
const published = report[manifest.name] ?? report;
const paths = published.files.map(({ path }) => path);

test("what a published file names is published", () => {
  const missing = namedByCode().filter(
    (path) => !paths.includes(path) && !paths.includes(path.replace(/\.js$/, ".d.ts")),
  );
  assert.deepEqual(missing, []);
});

test("nothing is published that nothing names", () => {
  const documents = [
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "THIRD-PARTY-NOTICES",
    "llms.txt",
    "package.json",
    skillFile,
  ];
  const named = new Set([
    ...documents,
    ...JSON.stringify([manifest.bin, manifest.exports, manifest.sideEffects])
      .matchAll(/"(?:\.\/)?(dist\/[^"]+)"/g)
      .map(([, path]) => path),
    ...namedByCode().flatMap((path) => [path, path.replace(/\.js$/, ".d.ts")]),
    // The sources, whole: knip finds those that nothing uses.
    ...paths.filter((path) => path.startsWith("src/js/")),
    // The reference, whole: the first of its files is linked.
    ...paths.filter((path) => path.startsWith("reference/")),
    ...paths
      .filter((path) => path.endsWith(".md"))
      .flatMap((path) => linksOf(text(path)).map((href) => posix.join(dirname(path), href.split("#")[0]))),
  ]);
  const types = (/** @type {string} */ path) => path.replace(/\.d\.ts$/, ".js");
  assert.deepEqual(
    paths.filter((path) => !named.has(path) && !named.has(types(path))),
    [],
  );
});

test("no published file names a folder of this machine", () => {
  const folders = [root.replace(/[\\/]$/, ""), homedir()].filter((folder) => folder.length > 1);
  const found = paths.filter((path) => {
    const content = readFileSync(inRepository(path));
    return folders.some((folder) => content.includes(folder));
  });
  assert.deepEqual(found, []);
});

test("the package takes at most 2.75 MB", () => {
  assert.ok(published.unpackedSize <= LIMIT, `${published.unpackedSize} bytes`);
});

/** The files that the published scripts and types name, each beside its own. */
function namedByCode() {
  const names = /(?:\b(?:from|import)\s*\(?\s*["']|new URL\("|sourceMappingURL=)((?:\.\/)?[\w.-]+\.(?:js|wasm|map))\b/g;
  return paths
    .filter((path) => /\.(?:js|d\.ts)$/.test(path))
    .flatMap((path) => Array.from(text(path).matchAll(names), ([, name]) => posix.join(dirname(path), name)));
}

/** @param {string} path */
function text(path) {
  return readFileSync(inRepository(path), "utf8");
}
