/** The glue: the JavaScript with which wasm-bindgen connects the module, made by a tool of exactly the crate's version. */

import { readFileSync } from "node:fs";
import process from "node:process";
import { answer, Failure, run, say } from "./command.js";
import { fingerprint, unlessUnchanged } from "./fingerprint.js";
import { inRepository } from "./repository.js";

const folder = inRepository("tools", "wasm-bindgen");
const built = inRepository("target", "wasm-bindgen");
const tool = inRepository(
  "target",
  "wasm-bindgen",
  "release",
  `inspection-findings-glue${process.platform === "win32" ? ".exe" : ""}`,
);

/** Builds the tool unless it is there. */
export async function haveGlueTool() {
  const sources = ["Cargo.toml", "Cargo.lock", "src"].map((name) => `tools/wasm-bindgen/${name}`);
  await unlessUnchanged({
    name: "wasm-bindgen",
    from: fingerprint(sources),
    to: [tool],
    make: async () => {
      needLinker();
      say(`Building the wasm-bindgen tool ${toolVersion()} (about a minute) …`);
      await run("cargo", ["build", "--release", "--locked", "--target-dir", built], {
        cwd: folder,
        otherwise: "The wasm-bindgen tool could not be built: see cargo's message above.",
      });
    },
  });
}

/** Fails unless the tool has the version of the crate: they share an unversioned format. */
export function checkGlueVersion() {
  const crate = lockedVersion("Cargo.lock", "wasm-bindgen");
  if (crate !== toolVersion()) {
    throw new Failure(
      `wasm-bindgen is ${crate} in Cargo.lock and ${toolVersion()} in tools/wasm-bindgen/Cargo.lock: ` +
        "both must be the same, so change the version in one of the two Cargo.toml files and run `cargo update` beside it.",
    );
  }
}

/**
 * Makes the glue and the module that goes with it.
 * @param {string} module the compiled module
 * @param {string} outputFolder
 */
export async function makeGlue(module, outputFolder) {
  await run(tool, [module, outputFolder], {
    // These would change what is made without a trace in any file.
    env: { WASM_BINDGEN_ANYREF: undefined, WASM_BINDGEN_EXTERNREF: undefined, WASM_BINDGEN_MULTI_VALUE: undefined },
  });
}

function toolVersion() {
  return lockedVersion("tools/wasm-bindgen/Cargo.lock", "wasm-bindgen-cli-support");
}

/**
 * The version of a crate in a lock file of cargo's.
 * @param {string} lockFile
 * @param {string} crate
 */
function lockedVersion(lockFile, crate) {
  const entry = `name = "${crate}"\nversion = "`;
  const text = readFileSync(inRepository(lockFile), "utf8").replaceAll("\r\n", "\n");
  const start = text.indexOf(entry);
  if (start < 0) {
    throw new Failure(`${crate} is missing in ${lockFile}.`);
  }
  return text.slice(start + entry.length).split('"', 1)[0];
}

function needLinker() {
  if (process.platform === "linux" && answer("cc", ["--version"]) === undefined) {
    throw new Failure("A C linker is needed and was not found: get it with `apt-get install gcc libc6-dev`.");
  }
  if (process.platform === "darwin" && answer("cc", ["--version"]) === undefined) {
    throw new Failure("A C linker is needed and was not found: get it with `xcode-select --install`.");
  }
}
