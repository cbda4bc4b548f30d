/** The sizes in bytes of what a page loads: an entry with its imports and the .wasm file, without peers; and of the worker's script. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { dist } from "../../tools/repository.js";

/** @returns {Promise<Record<string, import("./statistics.js").Rows>>} */
export async function measureSizes() {
  const main = filesFrom("index.js");
  const rows = [...main, "inline.js", "testing.js", "arrow.js", "react.js", "keep.js"].map((name) => [
    name,
    sizesOf([name]),
  ]);
  return { bytes: { ...Object.fromEntries(rows), "all of index.js": sizesOf(main) } };
}

/**
 * A file with all files that it imports, directly or not.
 * @param {string} name
 * @returns {string[]}
 */
function filesFrom(name) {
  const code = name.endsWith(".js") ? readFileSync(join(dist, name), "utf8") : "";
  const imports = code.matchAll(/\b(?:from|import)\s*["']\.\/([^"']+)["']/g);
  const urls = code.matchAll(/new URL\(\s*["']\.\/([^"']+)["'],\s*import\.meta\.url/g);
  return [...new Set([name, ...[...imports, ...urls].flatMap(([, imported]) => filesFrom(imported))])];
}

/** @param {string[]} names */
function sizesOf(names) {
  const contents = names.map((name) => readFileSync(join(dist, name)));
  const sum = (/** @type {(content: Buffer) => Buffer} */ compress) => [
    contents.reduce((total, content) => total + compress(content).length, 0),
  ];
  return {
    raw: sum((content) => content),
    gzip: sum((content) => gzipSync(content, { level: 9 })),
    brotli: sum((content) => brotliCompressSync(content)),
  };
}
