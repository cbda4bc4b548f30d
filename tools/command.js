/** Commands: other programs, run with visible output, and failures that one sentence explains. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { root } from "./repository.js";

/** A failure that one sentence explains: no stack is shown. */
export class Failure extends Error {}

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd] the folder to run in, the repository unless given
 * @property {Record<string, string | undefined>} [env] variables on top of those of this process
 * @property {string} [otherwise] the sentence to fail with when the program ends with an error
 */

/**
 * Runs a program to its end, with visible output.
 * @param {string} program
 * @param {string[]} parameters
 * @param {CommandOptions} [options]
 */
export async function run(program, parameters, options = {}) {
  const words = [program, ...parameters].join(" ").replaceAll(root, "");
  const child = spawn(program, parameters, { ...settings(options), stdio: ["ignore", "inherit", "inherit"] });
  const [status] = await once(child, "close").catch((error) => {
    throw new Failure(`\`${words}\` could not be started: ${error.message}.`);
  });
  if (status !== 0) throw new Failure(options.otherwise ?? `\`${words}\` failed (status ${status}).`);
}

/**
 * Returns what a program prints, or undefined if it does not exist or fails.
 * @param {string} program
 * @param {string[]} parameters
 * @param {CommandOptions} [options]
 */
export function capture(program, parameters, options = {}) {
  const { status, stdout } = spawnSync(program, parameters, {
    ...settings(options),
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Runs a script and sets the exit status, or prints its help. Of a `Failure` only the message is printed, of any other error the stack.
 * @param {() => Promise<unknown>} work
 * @param {string} [help] what `--help` prints
 */
export async function script(work, help = "This command has no options. CONTRIBUTING.md says what it does.") {
  try {
    if (process.argv.includes("--help")) console.log(help);
    else await work();
  } catch (error) {
    console.error(error instanceof Failure ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}

/** @param {CommandOptions} options */
function settings({ cwd = root, env = {} }) {
  return { cwd, env: { ...process.env, ...env } };
}
