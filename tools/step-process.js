/** The process of a step: its output is kept together until its end, or shown as it comes where no other step runs beside it. */

import { fork } from "node:child_process";
import process from "node:process";
import { root } from "./repository.js";

/** @typedef {import("./test-summary.js").Totals} Totals */

/**
 * Runs a script that sends the totals of a step. One that ends without them, or with an error, has failed.
 * @param {string} path of the script
 * @param {string[]} parameters
 * @param {Record<string, string>} environment on top of that of this process
 * @param {(text: string) => void} show what is called with the output as it comes
 * @returns {Promise<Totals>}
 */
export function runStepProcess(path, parameters, environment, show) {
  return new Promise((resolve) => {
    /** @type {Totals | undefined} */
    let totals;
    const child = fork(path, parameters, {
      cwd: root,
      env: { ...process.env, ...environment },
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding("utf8").on("data", show);
    }
    child.on("message", (message) => {
      totals = /** @type {Totals} */ (message);
    });
    child.on("error", (cause) => {
      show(`The step could not be started: ${cause.message}.\n`);
      resolve({ passed: 0, failed: 1 });
    });
    child.on("close", (status, signal) => {
      if (totals === undefined || status !== 0) {
        show(
          `The step ended ${signal === null ? `with status ${status}` : `by ${signal}`}, without totals that count.\n`,
        );
      }
      resolve(totals !== undefined && status === 0 ? totals : { passed: 0, failed: 1 });
    });
  });
}
