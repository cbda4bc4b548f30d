/** The host of Rust tests compiled for 32 bits: runs one WebAssembly program, as cargo's runner for `wasm32-wasip1`. */

import { readFileSync } from "node:fs";
import process from "node:process";
import { WASI } from "node:wasi";

const [program, ...parameters] = process.argv.slice(2);
if (program === undefined) {
  throw new TypeError("the path of a program is missing");
}
const wasi = new WASI({ version: "preview1", args: [program, ...parameters], env: process.env });
const module = await WebAssembly.compile(readFileSync(program));
const instance = await WebAssembly.instantiate(module, /** @type {any} */ (wasi.getImportObject()));
process.exitCode = wasi.start(instance);
