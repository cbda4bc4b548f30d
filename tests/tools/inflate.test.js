/** The decompression of hosts without `DecompressionStream`: it agrees with zlib. */

import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { constants, deflateRawSync } from "node:zlib";
import { inRepository } from "../../tools/repository.js";

const { inflate } = await import(`file://${inRepository("target", "entry", "module", "inflate.js")}`);

const texts = Buffer.from(Array.from({ length: 5000 }, (_, index) => `finding ${index % 97}, `).join(""));

/** @type {Record<string, { bytes: Buffer, options?: import("node:zlib").ZlibOptions }>} */
const data = {
  nothing: { bytes: Buffer.alloc(0) },
  "one byte": { bytes: Buffer.from([7]) },
  "blocks that are stored": { bytes: randomBytes(200_000), options: { level: 0 } },
  "bytes that cannot be compressed": { bytes: randomBytes(100_000) },
  "a block of fixed codes": { bytes: texts, options: { strategy: constants.Z_FIXED } },
  "blocks with codes of their own": { bytes: texts },
  "literals alone": { bytes: texts, options: { strategy: constants.Z_HUFFMAN_ONLY } },
  "the longest matches": { bytes: Buffer.alloc(100_000, "a") },
  "matches at the greatest distance": { bytes: Buffer.concat([randomBytes(32_768), texts.subarray(0, 5), texts]) },
  "repeats that are far apart": { bytes: Buffer.concat(Array(4).fill(randomBytes(32_000))) },
  "the module": { bytes: readFileSync(inRepository("dist", "inspection_findings_bg.wasm")) },
};

for (const [name, { bytes, options }] of Object.entries(data)) {
  test(`decompresses ${name}`, () => {
    const compressed = deflateRawSync(bytes, { level: 9, ...options });
    assert.ok(bytes.equals(inflate(compressed, bytes.length)));
  });
}
