/** The sizes of the files that a page loads: the entry with its imports and the .wasm file, or `inline`; and the entries for Arrow and for tests. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { dist } from "../../tools/repository.js";

/** @typedef {{ raw: number, gzip: number, brotli: number }} Sizes in bytes */

/** @returns {Promise<{ files: Record<string, Sizes>, total: Sizes, inline: Sizes, arrow: Sizes, testing: Sizes }>} `arrow` without its peer */
export async function measureSizes() {
  const files = Object.fromEntries([...filesFrom("index.js")].map((name) => [name, sizesOf(name)]));
  const sum = (/** @type {keyof Sizes} */ way) => Object.values(files).reduce((sum, sizes) => sum + sizes[way], 0);
  const total = { raw: sum("raw"), gzip: sum("gzip"), brotli: sum("brotli") };
  return {
    files,
    total,
    inline: sizesOf("inline.js"),
    arrow: sizesOf("arrow.js"),
    testing: sizesOf("testing.js"),
  };
}

/**
 * A file with all files that it imports, directly or not.
 * @param {string} name
 * @param {Set<string>} found
 * @returns {Set<string>}
 */
function filesFrom(name, found = new Set()) {
  if (!found.has(name)) {
    found.add(name);
    for (const named of name.endsWith(".js") ? namesIn(readFileSync(join(dist, name), "utf8")) : []) {
      filesFrom(named, found);
    }
  }
  return found;
}

/** @param {string} code */
function namesIn(code) {
  const imports = code.matchAll(/\b(?:from|import)\s*["']\.\/([^"']+)["']/g);
  const addresses = code.matchAll(/new URL\(\s*["']\.\/([^"']+)["'],\s*import\.meta\.url/g);
  return [...imports, ...addresses].map(([, name]) => name);
}

/** @param {string} name */
function sizesOf(name) {
  const content = readFileSync(join(dist, name));
  return {
    raw: content.length,
    gzip: gzipSync(content, { level: 9 }).length,
    brotli: brotliCompressSync(content).length,
  };
}
