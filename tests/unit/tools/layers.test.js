/** The layers of the TypeScript: the rooms stand on floors, and no folder uses another that uses it. */

import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { test } from "node:test";
import { inRepository } from "../../../tools/repository.js";

/** @typedef {[user: string, used: string]} Use */

/** The floor of each room: a room uses only those below it, and subpaths also each other. @type {Record<string, number>} */
const floors = { core: 0, subpaths: 1, entries: 1, command: 2 };

test("core knows no subpath, subpaths and the main entry do not know each other, and only the command knows all", () => {
  const uses = between(usesOfScripts(filesIn("src/js", "ts")), (file) => file.split("/")[0] ?? "");
  assert.ok(uses.some(([user, used]) => user === "subpaths" && used === "core"));
  assert.deepEqual(
    uses.filter(([user, used]) => used !== "inspection_findings.ts" && !((floors[user] ?? 0) > (floors[used] ?? 3))),
    [],
  );
});

test("the folders of src/js form no circle", () => {
  const uses = between(usesOfScripts(filesIn("src/js", "ts")), folderOf);
  assert.ok(uses.some(([user, used]) => user === "core/client" && used === "core/table"));
  assert.deepEqual(circles(uses), []);
});

/** The code by file, relative to a folder. @param {string} folder @param {string} ending @returns {Record<string, string>} */
function filesIn(folder, ending) {
  const cwd = inRepository(folder);
  const files = globSync(`**/*.${ending}`, { cwd });
  return Object.fromEntries(files.map((file) => [file, readFileSync(join(cwd, file), "utf8")]));
}

/** The files that reach themselves. @param {Use[]} uses */
function circles(uses) {
  const usesOf = Map.groupBy(uses, ([user]) => user);
  return [...usesOf.keys()].filter((file) => {
    const reached = new Set(usesOf.get(file)?.map(([, used]) => used));
    // Grows while it is walked.
    for (const other of reached) for (const [, used] of usesOf.get(other) ?? []) reached.add(used);
    return reached.has(file);
  });
}

/** What folders use of each other. @param {Use[]} uses @param {(file: string) => string} folderOf @returns {Use[]} */
function between(uses, folderOf) {
  return uses.map((use) => /** @type {Use} */ (use.map(folderOf))).filter(([user, used]) => user !== used);
}

/** The public types of options, progress and errors, which refer to each other: an error can resume its call with more options. */
const publicTypes = [
  "core/client/options.ts",
  "core/client/progress.ts",
  "core/error/error.ts",
  "core/error/objects-error.ts",
];

/** What files of TypeScript use of each other. @param {Record<string, string>} files @returns {Use[]} */
function usesOfScripts(files) {
  return Object.entries(files).flatMap(([file, code]) => {
    const imports = [...code.matchAll(/^(?:im|ex)port( type)?\b[^;"]*? from "(\.[^"]+)\.js";$/gm)];
    return imports.flatMap(([, type, path]) => {
      const used = `${join(dirname(file), path)}.ts`;
      const isPublic = type !== undefined && [file, used].some((one) => publicTypes.includes(one));
      return isPublic ? [] : [/** @type {Use} */ ([file, used])];
    });
  });
}

/**
 * A file of `entries` counts as a folder, because the command uses other entries. So do the files of `engine`: Rust is below all that call
 * `engine.ts`, and above all that `host-functions.ts` uses.
 * @param {string} file
 */
function folderOf(file) {
  const [room = "", folder] = file.split("/");
  if (room === "entries" || folder === "engine") return `entries/${basename(file)}`;
  return ["core", "subpaths"].includes(room) ? `${room}/${folder}` : room;
}
