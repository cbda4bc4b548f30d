/** The host of Rust tests compiled for 32 bits: runs one WebAssembly program, as cargo's runner for `wasm32-wasip1`. */

import { readFileSync } from "node:fs";
import process from "node:process";
import { WASI } from "node:wasi";

/** The error number of a write that the reader has no room for. */
const AGAIN = 6;

const [program, ...parameters] = process.argv.slice(2);
if (program === undefined) {
  throw new TypeError("the path of a program is missing");
}
const wasi = new WASI({ version: "preview1", args: [program, ...parameters], env: process.env });
const { wasi_snapshot_preview1: functions } = /** @type {any} */ (wasi.getImportObject());
const module = await WebAssembly.compile(readFileSync(program));
// npm makes its output one that a write does not wait for, and Rust's test harness ends at the first write that fails.
const fd_write = (/** @type {number[]} */ ...parameters) => {
  for (;;) {
    const error = functions.fd_write(...parameters);
    if (error !== AGAIN) return error;
  }
};
const instance = await WebAssembly.instantiate(module, { wasi_snapshot_preview1: { ...functions, fd_write } });
process.exitCode = wasi.start(instance);
