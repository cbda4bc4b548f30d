/** Commands: other programs, run with visible output, and failures that one sentence explains. */

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import process from "node:process";
import { root } from "./repository.js";

/** A failure that one sentence explains: no stack is shown. */
export class Failure extends Error {}

/**
 * Runs a program to its end, with visible output.
 * @param {string} program
 * @param {string[]} parameters
 * @param {object} [options]
 * @param {string} [options.cwd] the folder to run in, the repository unless given
 * @param {Record<string, string | undefined>} [options.env] variables on top of those of this process
 * @param {string} [options.otherwise] the sentence to fail with when the program ends with an error
 */
export async function run(program, parameters, { cwd = root, env = {}, otherwise } = {}) {
  const words = [program, ...parameters].join(" ").replaceAll(root, "");
  const all = { ...process.env, ...env };
  const child = spawn(program, parameters, { cwd, env: all, stdio: ["ignore", "inherit", "inherit"] });
  const [status] = await once(child, "close").catch((error) => {
    throw new Failure(`\`${words}\` could not be started: ${error.message}.`);
  });
  if (status !== 0) throw new Failure(otherwise ?? `\`${words}\` failed (status ${status}).`);
}

/**
 * Returns what a program prints, or undefined if it does not exist or fails.
 * @param {string} program
 * @param {string[]} parameters
 */
export function capture(program, parameters) {
  const { status, stdout } = spawnSync(program, parameters, {
    cwd: root,
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Whether Node was started with a module, and not with another one that imports it. A Node that cannot tell would run nothing, without a word.
 * @param {{ main?: boolean }} meta the `import.meta` of the module
 */
export function isStarted({ main }) {
  if (main === undefined) {
    console.error(tooOld(process.version));
    process.exit(1);
  }
  return main;
}

/**
 * What a version of Node that is too old for the tools has to say.
 * @param {string} version
 */
export function tooOld(version) {
  return `Node 22.18 or later is needed here, and this is ${version}: get it from https://nodejs.org.`;
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
