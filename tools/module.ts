/** The modules: the Rust crates compiled to WebAssembly, each with its glue, optimised. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { glueModule, makeGlue } from "./bindings.ts";
import { run } from "./command.js";
import { compileModule } from "./compile.js";
import { glueTool, inRepository } from "./repository.js";

/** The goal of wasm-opt: "-Os" for size, "-O3" for speed. */
const optimisation = "-O3";

/**
 * The size of a function, in nodes of wasm-opt, above which it is not inlined although it has only one caller: what only a failure needs
 * stays a separate function, which engines compile only when it is called. With less, the first call compiles more functions.
 */
const mostInlined = 300;

/** A module: its crate, the folder of its glue and its types, and its file before they become part of the package. */
type Module = { crate: string; folder: string; file: string };

/** The module. */
export const full = moduleOf("inspection-findings", "glue", "inspection_findings_bg.wasm");

/** The module of the entry `objects`, without tables. */
export const objects = moduleOf("inspection-findings-objects", "objects-glue", "inspection_findings_objects_bg.wasm");

function moduleOf(crate: string, folder: string, name: string): Module {
  return { crate, folder: inRepository("target", folder), file: inRepository("target", folder, name) };
}

/** Builds modules: each is optimised while the next one is compiled. What the same tools have made of the same compiled module is left as it is. */
export async function buildModules(modules: Module[]) {
  let optimising = Promise.resolve();
  for (const module of modules) {
    const [compiled] = await Promise.all([compileModule(module.crate), optimising]);
    optimising = finish(module, compiled);
  }
  await optimising;
}

/** Makes the glue of a compiled module, and optimises the module. */
async function finish({ folder, file }: Module, compiled: string) {
  const tools = ["tools/module.ts", "tools/bindings.ts", "node_modules/binaryen/package.json"].map((path) =>
    inRepository(path),
  );
  const hash = createHash("sha256");
  for (const file of [compiled, glueTool, ...tools]) hash.update(readFileSync(file));
  const madeOf = hash.digest("hex");
  /** The file with the hash of what the folder was made of. */
  const hashFile = join(folder, "made-of");
  if (existsSync(hashFile) && readFileSync(hashFile, "utf8") === madeOf) return;
  console.log(`Optimising ${basename(file)} …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await makeGlue(compiled, folder);
  await optimise(join(folder, glueModule), file);
  writeFileSync(hashFile, madeOf);
  console.log(`${basename(file)} has ${(readFileSync(file).length / 1024).toFixed(0)} KiB.`);
}

/**
 * Without feature flags: wasm-opt reads the features from the module. With more, browsers reject the result. The last two passes change only
 * what a page loads, by 1.1 KB: functions stand beside similar ones, and no access states its alignment, which engines ignore.
 */
async function optimise(made: string, file: string) {
  const optimised = `${made}.optimised`;
  await run("wasm-opt", [
    optimisation,
    `--one-caller-inline-max-function-size=${mostInlined}`,
    // Rust computes no address beyond 0, so an access may contain a constant that is added to its address.
    "--low-memory-unused",
    "--reorder-functions-by-name",
    "--dealign",
    "--strip-debug",
    "--strip-producers",
    "--strip-target-features",
    made,
    "--output",
    optimised,
  ]);
  rmSync(made);
  renameSync(optimised, file);
}
