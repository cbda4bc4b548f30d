/** The build: writes the package to `dist/`. */

import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import { constants, deflateSync } from "node:zlib";
import { fingerprint, unlessUnchanged } from "./build-cache.js";
import { bundle, entries } from "./bundle.js";
import { isStarted, log, packageCommand, run, script } from "./command.js";
import { llmsFile, writeLlms } from "./llms.js";
import { buildModule, glueFolder } from "./module.js";
import { publicTypes } from "./public-types.js";
import { dist, inRepository, target } from "./repository.js";
import { setUp } from "./setup.js";

/** The module's file in the package. */
const module = "inspection_findings_bg.wasm";

/** What the package and `llms.txt` are made of, beside the module. */
const sources = [
  ...[
    "src/js",
    "target/glue",
    "README.md",
    "package.json",
    "package-lock.json",
    "tsconfig.json",
    "tsconfig.build.json",
  ],
  ...["build", "bundle", "public-types", "llms", "docs/reference"].map((name) => `tools/${name}.js`),
];

/** Builds the package unless its sources are unchanged. */
export async function build() {
  await buildModule();
  await unlessUnchanged({
    name: "package",
    from: fingerprint(sources),
    to: [module, ...entries.map((name) => `${name}.js`)].map((name) => join(dist, name)).concat(llmsFile),
    make: async () => {
      await assemble(await compile());
      await writeLlms();
    },
  });
  await proveThatItStarts();
}

/** Compiles the TypeScript, and returns the folder with the result. */
async function compile() {
  log("Compiling the TypeScript …");
  const folder = join(target, "entry");
  rmSync(folder, { recursive: true, force: true });
  await run(process.execPath, [packageCommand("typescript", "tsc"), "--project", inRepository("tsconfig.build.json")]);
  return folder;
}

/** Starts the optimised module once. A mistake of the optimiser would otherwise show only in a browser. */
async function proveThatItStarts() {
  const { init } = await import(pathToFileURL(join(dist, "slim.js")).href);
  await init(readFileSync(join(dist, module)));
}

/**
 * Makes the package from the compiled TypeScript and the glue, and removes from it whatever an earlier build left there.
 * @param {string} typescript
 */
async function assemble(typescript) {
  const modules = join(target, "modules");
  rmSync(modules, { recursive: true, force: true });
  mkdirSync(modules, { recursive: true });
  for (const folder of [typescript, glueFolder]) {
    cpSync(folder, modules, { recursive: true });
  }
  writeFileSync(join(modules, "module/inline_module.js"), inlined(readFileSync(join(modules, module))));
  /** @type {Map<string, string | Buffer>} */
  const files = new Map([[module, readFileSync(join(modules, module))]]);
  for (const { name, code } of await bundle(modules)) {
    files.set(name, code);
  }
  for (const [name, types] of publicTypes(modules, entries)) {
    files.set(name, types);
  }
  mkdirSync(dist, { recursive: true });
  for (const name of readdirSync(dist).filter((name) => !files.has(name))) {
    rmSync(join(dist, name), { recursive: true });
  }
  for (const [name, content] of files) {
    writeIfDifferent(join(dist, name), Buffer.from(content));
  }
}

/**
 * The module as text in a script, with the header and the checksum of zlib: older engines do not know `deflate-raw`.
 * @param {Buffer} bytes
 */
function inlined(bytes) {
  const compressed = deflateSync(bytes, { level: constants.Z_BEST_COMPRESSION, memLevel: 9 });
  return `export const MODULE = ${JSON.stringify(compressed.toString("base64"))};\n`;
}

/**
 * Writes a file unless it is unchanged, so that watchers of the package are not triggered.
 * @param {string} path
 * @param {Buffer} content
 */
function writeIfDifferent(path, content) {
  if (!existsSync(path) || !readFileSync(path).equals(content)) {
    writeFileSync(path, content);
  }
}

if (isStarted(import.meta.url)) {
  await script(async () => {
    await setUp();
    await build();
    log("The package is in dist/.");
  });
}
