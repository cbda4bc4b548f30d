/** The host of Rust tests compiled for 32 bits. */

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout } from "node:timers/promises";
import binaryen from "binaryen";
import { inRepository } from "../../tools/repository.js";

/** Writes "x" to its output a million times, each time by itself, and traps if a write fails. */
const program = `(module
  (import "wasi_snapshot_preview1" "fd_write" (func $write (param i32 i32 i32 i32) (result i32)))
  (memory (export "memory") 1)
  (data (i32.const 0) "\\08\\00\\00\\00\\01\\00\\00\\00x")
  (func (export "_start") (local $left i32)
    (local.set $left (i32.const 1000000))
    (loop $again
      (if (call $write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 12)) (then unreachable))
      (local.set $left (i32.sub (local.get $left) (i32.const 1)))
      (br_if $again (local.get $left)))))`;

/** As npm does, makes the output one that a write does not wait for, and runs the host with it. */
const parent = `
  import { spawnSync } from "node:child_process";
  process.stdout.write("");
  process.exitCode = spawnSync(process.execPath, process.argv.slice(1), { stdio: "inherit" }).status;
`;

test("a program that writes faster than its output is read loses nothing", async () => {
  const file = join(mkdtempSync(join(tmpdir(), "wasi-")), "program.wasm");
  writeFileSync(file, binaryen.parseText(program).emitBinary());
  const host = ["--no-warnings", inRepository("tools", "wasi.js"), file];
  const child = spawn(process.execPath, ["--input-type=module", "--eval", parent, "--", ...host], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = once(child, "close");
  // Long enough for the program to fill what the system keeps for the reader.
  await setTimeout(1000);
  let length = 0;
  child.stdout.on("data", (bytes) => {
    length += bytes.length;
  });
  assert.deepEqual([(await ended)[0], length], [0, 1_000_000]);
});
