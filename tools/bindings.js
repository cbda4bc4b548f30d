/** The glue: the JavaScript with which wasm-bindgen connects the module, made by a tool of exactly the crate's version. */

import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fingerprint, unlessUnchanged } from "./build-cache.js";
import { answer, Failure, run, say } from "./command.js";
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
  const script = join(outputFolder, "inspection_findings.js");
  const types = join(outputFolder, "inspection_findings.d.ts");
  writeFileSync(script, perInstance(readFileSync(script, "utf8")));
  writeFileSync(types, typesPerInstance(readFileSync(types, "utf8")));
}

/**
 * The glue as a function that makes it anew for each instance of the module: what was made for one instance can so never
 * reach into another, and the glue of one that has stopped can let go of its memory.
 *
 * wasm-bindgen's own `schedule_reinit`, with its checks of stale objects, cannot take this place: code of the module has to call it, and after a
 * trap none runs. Its hook for traps needs panics that unwind, which stable Rust does not build for this target.
 * @param {string} script
 */
function perInstance(script) {
  const [[, imports, body]] = places(/^((?:\/\*.*\*\/\n|import .*\n)+)([\s\S]*)$/g, script, 1);
  const views = places(/^let (cached\w+Memory0) = null;$/gm, body).map(([, view]) => `${view} = null;`);
  places(/^let __wbg_init_promise;$/gm, body, 1);
  places(/^function wasm_bindgen__convert__closures_____invoke__\w+\(/gm, body);
  const started = "    wasmInstance = instance;\n    wasm = instance.exports;\n";
  const watched = replaced(body, new RegExp(started, "g"), "    wasm = watched(instance.exports);\n", 1);
  const named = replaced(watched, /^export \{ initSync, __wbg_init as default \};$/gm, "", 1);
  const local = replaced(named, /^export class /gm, "class ");
  places(/^export /gm, local, 0);
  return `${imports}
export function makeGlue(watched) {
${local.trim()}

function forget(remains) {
    wasm = remains;
    __wbg_init_promise = undefined;
    ${views.join("\n    ")}
}

return { Client, start: __wbg_init, forget };
}
`;
}

/**
 * The types that go with it.
 * @param {string} types
 */
function typesPerInstance(types) {
  const classes = places(/^export class (\w+) /gm, types).map(([, name]) => name);
  const functions = /(?:^\/\*\*\n(?: \*.*\n)* \*\/\n)?^export (?:default )?function .*\n/gm;
  const local = replaced(replaced(types, functions, "", 2), /^export class /gm, "declare class ");
  return `${local.trim()}

export type { ${classes.join(", ")} };

/**
 * Makes the glue of one instance. It uses the exports as \`watched\` gives them, and forgets them for what remains once
 * the instance has stopped.
 */
export function makeGlue(watched: (exports: InitOutput) => InitOutput): { Client: typeof Client; start(module: { module_or_path: WebAssembly.Module }): Promise<unknown>; forget(remains: InitOutput): void };
`;
}

/**
 * A text with something else in all places that a pattern finds.
 * @param {string} text
 * @param {RegExp} pattern
 * @param {string} replacement
 * @param {number} [times]
 */
function replaced(text, pattern, replacement, times) {
  places(pattern, text, times);
  return text.replaceAll(pattern, replacement);
}

/**
 * All places that a pattern finds, which must be as many as expected: otherwise the glue is not what it was.
 * @param {RegExp} pattern
 * @param {string} text
 * @param {number} [times] left out: any number but none
 */
function places(pattern, text, times) {
  const found = [...text.matchAll(pattern)];
  if (times === undefined ? found.length === 0 : found.length !== times) {
    throw new Failure(
      `The glue of wasm-bindgen ${toolVersion()} has another form: ${pattern} is there ${found.length} times, not ` +
        `${times ?? "once or more"}. See what has become of it, and follow in tools/bindings.js.`,
    );
  }
  return found;
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
