/** Folders of generated files. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * Makes a folder have these files and no others. One that is unchanged is not written, and none is ever missing meanwhile: a program may watch or
 * read the folder.
 * @param files contents by path
 */
export function writeFolder(folder: string, files: ReadonlyMap<string, string | Buffer>) {
  for (const [path, content] of files) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    if (!existsSync(file) || !readFileSync(file).equals(Buffer.from(content))) writeFileSync(file, content);
  }
  for (const path of readdirSync(folder, { recursive: true, encoding: "utf8" })) {
    if (!files.has(path) && statSync(join(folder, path)).isFile()) rmSync(join(folder, path));
  }
}
