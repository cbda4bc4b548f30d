/** The build: writes the package to `dist/`. */

import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { fingerprint, unlessUnchanged, writeFolder } from "./build-cache.js";
import { bundle, bundleReader, entries, program } from "./bundle.js";
import { isStarted, log, run, script } from "./command.js";
import { llmsFile, writeLlms } from "./llms.js";
import { buildModule, glueFolder } from "./module.js";
import { publicTypes } from "./public-types.js";
import { referenceFile, writeReference } from "./reference-files.js";
import { dist, target } from "./repository.js";
import { skillFile, sourcesOfSkill, writeSkill } from "./skill.js";

/** The module's file in the package. */
const module = "inspection_findings_bg.wasm";

/** The program of the Python package. */
export const readerFile = join(target, "reader", "read.mjs");

/** What the package and `llms.txt` are made of, beside the module. */
const sources = [
  ...["src/js", "target/glue", "README.md", "package.json", "package-lock.json"],
  ...["tsconfig.json", "tsconfig.build.json", "tools/docs/reference.js"],
  ...["build", "bundle", "public-types", "llms", "reference-files"].map((name) => `tools/${name}.js`),
];

/** Builds the package unless its sources are unchanged. */
export async function build() {
  await buildModule();
  await unlessUnchanged({
    name: "package",
    from: fingerprint(sources),
    to: [
      readerFile,
      ...[module, ...[...entries, program].map((name) => `${name}.js`)].map((name) => join(dist, name)),
      llmsFile,
      referenceFile,
    ],
    make: async () => {
      await assemble(await compile());
      await writeLlms();
      await writeReference();
    },
  });
  await unlessUnchanged({
    name: "skill",
    from: fingerprint(["tools/skill.js", ...sourcesOfSkill]),
    to: [skillFile],
    make: async () => writeSkill(),
  });
}

/** Compiles the TypeScript, and returns the folder with the result. */
async function compile() {
  log("Compiling the TypeScript …");
  const folder = join(target, "entry");
  rmSync(folder, { recursive: true, force: true });
  await run("tsc", ["--project", "tsconfig.build.json"]);
  return folder;
}

/**
 * Makes the package from the compiled TypeScript and the glue, and removes from it whatever an earlier build left there.
 * @param {string} typescript
 */
async function assemble(typescript) {
  const modules = join(target, "modules");
  rmSync(modules, { recursive: true, force: true });
  for (const folder of [typescript, glueFolder]) cpSync(folder, modules, { recursive: true });
  const bytes = readFileSync(join(modules, module));
  writeFileSync(join(modules, "module/inline_module.js"), inlined(bytes));
  /** @type {Map<string, string | Buffer>} */
  const files = new Map([...(await bundle(modules)), ...publicTypes(modules, entries)]);
  writeFolder(dist, files.set(module, bytes));
  writeFolder(dirname(readerFile), new Map([[basename(readerFile), await bundleReader(modules)]]));
}

/**
 * The module as text in a script, which `src/js/module/embedded-module.ts` decodes. It is not compressed: what the server compresses as a
 * whole is smaller by a tenth than what is compressed twice.
 * @param {Buffer} bytes
 */
function inlined(bytes) {
  const character = (/** @type {number} */ value) => String.fromCharCode(35 + value);
  const text = Array.from(
    bytes,
    (byte) => (byte < 80 ? "" : character(79 + Math.floor(byte / 80))) + character(byte % 80),
  );
  return `export const MODULE = ${JSON.stringify(text.join(""))};\n`;
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await build();
    log("The package is in dist/.");
  });
}
