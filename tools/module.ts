/** The module: the Rust crate compiled to WebAssembly, with its glue, optimised. */

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { glueModule, makeGlue } from "./bindings.ts";
import { run } from "./command.js";
import { glueTool, inRepository, target } from "./repository.js";

/** The goal of wasm-opt: "-Os" for size, "-O3" for speed. */
const optimisation = "-O3";

/**
 * The size of a function, in nodes of wasm-opt, above which it is not inlined although it has only one caller: what only a failure needs
 * stays a separate function, which engines compile only when it is called. With less, the first call compiles more functions.
 */
const mostInlined = 300;

const triple = "wasm32-unknown-unknown";
const compiled = inRepository("target", triple, "release", "inspection_findings.wasm");

/** A module: the folder of its glue, its types and its file before they become part of the package. */
type Module = { folder: string; file: string; features: string[] };

/** The module. */
export const full = moduleIn("glue", "inspection_findings_bg.wasm", []);

/** The module of the entry `objects`, without tables. */
export const objects = moduleIn("objects-glue", "inspection_findings_objects_bg.wasm", ["--no-default-features"]);

/** All modules. */
export const modules = [full, objects];

/** The options of the compiler for all crates. */
const flags = [
  "-Zunstable-options",
  // A panic traps at once: users never see its text.
  "-Cpanic=immediate-abort",
  // One copy of a generic function for all crates, which is smaller and as fast.
  "-Zshare-generics=yes",
  // Short names for the functions that the glue calls.
  "-Csymbol-mangling-version=legacy",
  ...sparing("inline", 25),
];

function moduleIn(folder: string, name: string, features: string[]): Module {
  return { folder: inRepository("target", folder), file: inRepository("target", folder, name), features };
}

/** Compiles a module, and makes its glue unless the compiled module and the tools are those that it was made of. */
export async function buildModule({ folder, file, features }: Module) {
  await compile(features);
  const tools = ["tools/module.ts", "tools/bindings.ts", "node_modules/binaryen/package.json"].map((path) =>
    inRepository(path),
  );
  const hash = createHash("sha256");
  for (const file of [compiled, glueTool, ...tools]) hash.update(readFileSync(file));
  const madeOf = hash.digest("hex");
  /** The file with the hash of what the folder was made of. */
  const hashFile = join(folder, "made-of");
  if (existsSync(hashFile) && readFileSync(hashFile, "utf8") === madeOf) return;
  console.log(`Optimising ${basename(file)} (half a minute) …`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await makeGlue(compiled, folder);
  await optimise(join(folder, glueModule), file);
  writeFileSync(hashFile, madeOf);
  console.log(`${basename(file)} has ${(readFileSync(file).length / 1024).toFixed(0)} KiB.`);
}

/**
 * Compiles the module together with the standard library: the library that comes with Rust is compiled for speed, and its panics print texts.
 * A stable Rust permits this only with `RUSTC_BOOTSTRAP`. Features are options of cargo.
 */
async function compile(features: string[]) {
  const parameters = [
    ...["rustc", "--release", "--locked", "--package", "inspection-findings", "--lib", "--crate-type", "cdylib"],
    ...features,
    ...["--target", triple, "--target-dir", target, "--config", `target.${triple}.rustflags=${JSON.stringify(flags)}`],
    ...["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size", "--"],
    // Cargo silently turns link-time optimisation off for a second crate type; with this it is an error.
    ...["-Clto=fat", ...sparing("inlinehint", 150)],
  ];
  // Without a hash in their names, one module would replace the other, and each build compile both.
  await run("cargo", parameters, { env: { RUSTC_BOOTSTRAP: "1", __CARGO_DEFAULT_LIB_METADATA: "modules" } });
}

/**
 * Lowers an inlining threshold of LLVM for link time. The defaults, 225 and 325 for functions with a hint, make the module larger
 * but not faster: code that must be fast has been inlined before.
 */
function sparing(option: "inline" | "inlinehint", threshold: number) {
  return [`-Cllvm-args=-${option}-threshold=${threshold}`];
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
