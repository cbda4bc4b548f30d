/** Runs a program in another process of Node. */

import { execFile } from "node:child_process";
import process from "node:process";
import { promisify } from "node:util";

/**
 * Resolves with what the program prints; rejects unless its status is 0.
 * @param {string[]} parameters
 * @param {import("node:child_process").ExecFileOptions} [options]
 */
export async function runNode(parameters, options) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, parameters, { timeout: 120_000, ...options });
  return { stdout: String(stdout), stderr: String(stderr) };
}
