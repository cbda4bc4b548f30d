/** What `npm publish` would publish: the package's files, all of them, and nothing of the machine that has built them. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, posix } from "node:path";
import { test } from "node:test";
import { capture } from "../../../tools/command.js";
import { inRepository, root } from "../../../tools/repository.js";
import { documents, linksOf } from "../../docs/documents.js";

/** The most bytes of the package. */
const LIMITS = { size: 980_000, unpackedSize: 2_700_000 };

/** The published files that need no link. */
const others = ["CHANGELOG.md", "LICENSE", "README.md", "THIRD-PARTY-NOTICES", "llms.txt", "package.json"];

const manifest = JSON.parse(readFileSync(inRepository("package.json"), "utf8"));

const report = JSON.parse(capture("npm", ["publish", "--dry-run", "--json", "--ignore-scripts"]) ?? "{}");
/** npm 11 reports by name. */
const published: { files: { path: string; size: number }[]; size: number; unpackedSize: number } =
  report[manifest.name] ?? report;
const paths = published.files.map(({ path }) => path);
const markdown = paths.filter((path) => path.endsWith(".md"));

test("what a published file names, links or needs is published", () => {
  const needed = [...documents, ...others, ...linkedByDocuments()].filter((path) => !paths.includes(path));
  const imported = namedByCode().filter((path) => !paths.includes(path) && !paths.includes(typesOf(path)));
  // A path in a text is a file, or a folder. The tests that prove the promises are in the repository alone.
  const inTexts = markdown
    .filter((file) => !file.endsWith("/promises.md"))
    .flatMap((file) => Array.from(text(file).matchAll(/`((?:www|tests|tools)\/[^`\s]*)`/g), ([, path]) => path));
  assert.ok(inTexts.length > 0);
  const absent = inTexts.filter((path) => !paths.some((file) => file === path || file.startsWith(`${path}/`)));
  assert.deepEqual([...needed, ...imported, ...absent], []);
});

test("nothing is published that nothing names", () => {
  const named = new Set([
    ...others,
    ...JSON.stringify([manifest.bin, manifest.exports, manifest.sideEffects])
      .matchAll(/"(?:\.\/)?(dist\/[^"]+)"/g)
      .map(([, path]) => path),
    ...namedByCode().flatMap((path) => [path, typesOf(path)]),
    ...linkedByDocuments(),
  ]);
  const scripts = (path: string) => path.replace(/\.d\.ts$/, ".js");
  assert.deepEqual(
    paths.filter((path) => !named.has(path) && !named.has(scripts(path))),
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

test("the package takes at most 980 KB packed, and 2.7 MB unpacked", () => {
  const { size, unpackedSize } = published;
  assert.ok(size <= LIMITS.size && unpackedSize <= LIMITS.unpackedSize, `${size} and ${unpackedSize} bytes`);
});

/** The files that the published scripts, types and pages name, each beside its own. */
function namedByCode() {
  const names =
    /(?:\b(?:from|import)\s*\(?\s*["'`]|new URL\("|sourceMappingURL=|(?:href|src)=")((?:\.\/)?[\w.-]+\.(?:js|wasm|map|css))\b/g;
  return paths
    .filter((path) => /\.(?:js|d\.ts|html)$/.test(path))
    .flatMap((path) => Array.from(text(path).matchAll(names), ([, name]) => posix.join(dirname(path), name)));
}

/** The files that documents link by relative URLs. */
function linkedByDocuments() {
  return ["llms.txt", ...markdown].flatMap((file) =>
    linksOf(text(file))
      .filter((href) => !/^(?:[a-z]+:|#)/.test(href))
      .map((href) => posix.join(dirname(file), href.split("#")[0])),
  );
}

function typesOf(script: string) {
  return script.replace(/\.js$/, ".d.ts");
}

function text(path: string) {
  return readFileSync(inRepository(path), "utf8");
}
