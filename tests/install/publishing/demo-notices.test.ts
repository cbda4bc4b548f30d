/** The notices of the demo: all third-party packages in it. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { build } from "vite";
import { noticesFile } from "../../../tools/notices.ts";
import { inRepository } from "../../../tools/repository.js";

test("the demo has the notices of every package in its scripts and workers", async () => {
  const files = await builtDemo();
  const notices = String(files.get("THIRD-PARTY-NOTICES"));
  assert.ok(notices.startsWith(readFileSync(noticesFile, "utf8")));
  const maps = [...files].filter(([name]) => name.endsWith(".map")).map(([, source]) => JSON.parse(String(source)));
  const scripts = new Set(maps.flatMap(({ sources }) => sources).flatMap(packageFoldersIn));
  assert.ok(scripts.has("node_modules/@duckdb/duckdb-wasm"), "others are found");
  for (const folder of [...scripts, "node_modules/vite"]) {
    const { name, version } = JSON.parse(readFileSync(inRepository(folder, "package.json"), "utf8"));
    assert.ok(notices.includes(`\n${name} ${version} (`), `${name} ${version}`);
  }
});

/** The folder of the package that a source is in, below the repository. */
function packageFoldersIn(path: string) {
  return path.match(/\bnode_modules\/(?:.*\/node_modules\/)?(?:@[^/]+\/)?[^/]+/)?.slice(0, 1) ?? [];
}

/** The files of the demo by their names, with source maps: those say for themselves what a script was made of. */
async function builtDemo(): Promise<Map<string, string | Uint8Array>> {
  const configFile = inRepository("www", "vite.config.js");
  const result = await build({ configFile, logLevel: "error", build: { write: false, sourcemap: true } });
  const { output } = result as import("vite").Rolldown.RolldownOutput;
  return new Map(output.map((file) => [file.fileName, file.type === "asset" ? file.source : file.code]));
}
