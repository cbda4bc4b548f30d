/** The compiler: what cargo makes for the build. It is JavaScript, since the set-up runs it with any Node. */

import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { run } from "./command.js";
import { glueTool, inRepository, target } from "./repository.js";

const triple = "wasm32-unknown-unknown";

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

/**
 * Compiles a crate as a module, together with the standard library: the library that comes with Rust is compiled for speed, and its panics print
 * texts. A stable Rust permits this only with `RUSTC_BOOTSTRAP`. Returns the path of the module.
 * @param {string} crate
 */
export async function compileModule(crate) {
  const parameters = [
    ...["rustc", "--release", "--locked", "--package", crate, "--target", triple, "--target-dir", target],
    ...["--config", `target.${triple}.rustflags=${JSON.stringify(flags)}`],
    ...["-Zbuild-std=std,panic_abort", "-Zbuild-std-features=optimize_for_size", "--"],
    // Cargo silently turns link-time optimisation off for a second crate type; with this it is an error.
    ...["-Clto=fat", ...sparing("inlinehint", 150)],
  ];
  await run("cargo", parameters, { env: { RUSTC_BOOTSTRAP: "1" } });
  return join(target, triple, "release", `${crate.replaceAll("-", "_")}.wasm`);
}

/** Compiles the tool that makes the glue, unless the same sources have made it. What cargo makes beside it has 150 MB, and does not stay. */
export async function compileGlueTool() {
  const sources = ["Cargo.lock", "tools/wasm-bindgen/Cargo.toml", "tools/wasm-bindgen/src/main.rs"].map((path) =>
    readFileSync(inRepository(path), "utf8"),
  );
  const sourcesFile = `${glueTool}.sources`;
  if (existsSync(sourcesFile) && readFileSync(sourcesFile, "utf8") === sources.join("")) return;
  console.log("Compiling wasm-bindgen's tool (half a minute, only once) …");
  const folder = inRepository("target", "wasm-bindgen", "made");
  const crate = basename(glueTool);
  await run("cargo", ["build", "--profile", "tool", "--locked", "--package", crate, "--target-dir", folder], {
    otherwise:
      "The wasm-bindgen tool could not be built: see cargo's message above. " +
      "A linker comes with `apt-get install gcc libc6-dev` or `xcode-select --install`.",
  });
  renameSync(join(folder, "tool", crate), glueTool);
  rmSync(folder, { recursive: true });
  writeFileSync(sourcesFile, sources.join(""));
}

/**
 * Lowers an inlining threshold of LLVM for link time. The defaults, 225 and 325 for functions with a hint, make the module larger
 * but not faster: code that must be fast has been inlined before.
 * @param {"inline" | "inlinehint"} option
 * @param {number} threshold
 */
function sparing(option, threshold) {
  return [`-Cllvm-args=-${option}-threshold=${threshold}`];
}
