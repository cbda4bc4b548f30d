/** The build: writes the package to `dist/`. */

import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { fingerprint, unlessUnchanged } from "./build-cache.js";
import { Failure, isStarted, packageCommand, run, say, script } from "./command.js";
import { buildModule, glueFolder } from "./module.js";
import { dist, inRepository, target } from "./repository.js";
import { setUp } from "./setup.js";

/** Builds the package unless its sources are unchanged. */
export async function build() {
  await buildModule();
  const typescript = join(target, "entry");
  await unlessUnchanged({
    name: "entry",
    from: fingerprint([
      "src/js",
      "target/glue/inspection_findings.d.ts",
      "tsconfig.json",
      "tsconfig.build.json",
      "package-lock.json",
    ]),
    to: [join(typescript, "index.js")],
    make: async () => {
      say("Compiling the TypeScript …");
      rmSync(typescript, { recursive: true, force: true });
      await run(process.execPath, [
        packageCommand("typescript", "tsc"),
        "--project",
        inRepository("tsconfig.build.json"),
      ]);
    },
  });
  await assemble([typescript, glueFolder]);
  await proveThatItStarts();
}

/** Starts the optimised module once. A mistake of the optimiser would otherwise show only in a browser. */
async function proveThatItStarts() {
  const { init } = await import(pathToFileURL(join(dist, "slim.js")).href);
  await init(readFileSync(join(dist, "inspection_findings_bg.wasm")));
}

/**
 * Assembles the package from the results of the earlier steps, and removes all other files.
 * @param {string[]} folders
 */
async function assemble(folders) {
  const contents = folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && isPublished(entry.name))
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
      .map((name) => ({ name, from: join(folder, name) })),
  );
  const names = new Set(contents.map(({ name }) => name));
  mkdirSync(dist, { recursive: true });
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name);
    if (entry.isFile() && !names.has(path.slice(dist.length + 1))) {
      rmSync(path);
    }
  }
  for (const { name, from } of contents) {
    writeIfDifferent(await published(from, name), join(dist, name));
  }
}

/**
 * Whether a file is part of the package. The types of the module's raw exports are internal to the glue.
 * @param {string} name
 */
function isPublished(name) {
  return !name.endsWith(".wasm.d.ts");
}

/**
 * Minifies a script for publication. The names of functions and classes stay, for stack traces. The entry points stay
 * as they are, because bundlers search them for the address of the module.
 * @param {string} from
 * @param {string} name
 */
async function published(from, name) {
  const content = readFileSync(from);
  if (!name.endsWith(".js") || content.includes("import.meta.url")) {
    return content;
  }
  // Imported late, because the set-up installs it.
  const { minify } = await import("vite");
  const keepNames = { function: true, class: true };
  const { code, errors } = await minify(name, content.toString(), {
    module: true,
    compress: { target: "es2022", keepNames },
    mangle: { toplevel: true, keepNames },
  });
  if (errors.length > 0) {
    throw new Failure(`${name} could not be made smaller: ${errors.map(({ message }) => message).join("; ")}`);
  }
  return Buffer.from(code);
}

/**
 * Writes a file unless it is unchanged, so that watchers of the package are not triggered.
 * @param {Buffer} content
 * @param {string} to
 */
function writeIfDifferent(content, to) {
  if (!existsSync(to) || !readFileSync(to).equals(content)) {
    writeFileSync(to, content);
  }
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await build();
    say("The package is in dist/.");
  });
}
