/** Commands: other programs, run with visible output, and failures that one sentence explains. */

import { spawn, spawnSync } from "node:child_process";
import { existsSync, readFileSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { inRepository, root } from "./repository.js";

/** A failure that one sentence explains: no stack is shown. */
export class Failure extends Error {}

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd] the folder to run in, the repository unless given
 * @property {Record<string, string | undefined>} [env] variables on top of those of this process
 * @property {string} [otherwise] the sentence to fail with when the program ends with an error
 * @property {number} [limit] the most milliseconds that `endOf` waits, 40 minutes unless given
 */

/**
 * Prints a sentence.
 * @param {string} sentence
 */
export function log(sentence) {
  console.log(sentence);
}

/**
 * Runs a program to its end, with visible output.
 * @param {string} program
 * @param {string[]} parameters
 * @param {CommandOptions} [options]
 * @returns {Promise<void>}
 */
export function run(program, parameters, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, parameters, {
      ...settings(program, options),
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.on("error", (cause) => reject(cannotStart(program, cause)));
    child.on("close", (status) => {
      if (status === 0) {
        resolve(undefined);
      } else {
        reject(new Failure(options.otherwise ?? `\`${wording([program, ...parameters])}\` failed (status ${status}).`));
      }
    });
  });
}

/**
 * Runs a program to its end, and resolves with how it ended: `status 0`, another status, a signal, or why it could not be started. One that
 * hangs is killed.
 * @param {string[]} words the program and its parameters
 * @param {(text: string) => void} show called with the output as it comes
 * @param {CommandOptions} [options]
 * @returns {Promise<string>}
 */
export function endOf([program, ...parameters], show, options = {}) {
  return new Promise((resolve) => {
    const child = spawn(program, parameters, { ...settings(program, options), stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", show);
    }
    const { limit = 2_400_000 } = options;
    const timer = setTimeout(() => {
      child.kill("SIGKILL");
      resolve(`no end within ${limit / 60_000} minutes`);
      // Processes that it has started may live on, and write to these.
      child.stdout.destroy();
      child.stderr.destroy();
    }, limit);
    child.on("error", (cause) => resolve(cannotStart(program, cause).message));
    child.on("close", (status, signal) => {
      clearTimeout(timer);
      resolve(status === null ? `${signal}` : `status ${status}`);
    });
  });
}

/**
 * Returns what a program prints, or undefined if it does not exist or fails.
 * @param {string} program
 * @param {string[]} parameters
 * @param {CommandOptions} [options]
 */
export function capture(program, parameters, options = {}) {
  const { status, stdout } = spawnSync(program, parameters, {
    ...settings(program, options),
    encoding: "utf8",
    maxBuffer: Number.POSITIVE_INFINITY,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout.trim() : undefined;
}

/**
 * Returns the path of the script behind a command of an installed npm package.
 * @param {string} packageName
 * @param {string} [command] the name of the command if the package has several
 */
export function packageCommand(packageName, command) {
  const manifest = inRepository("node_modules", packageName, "package.json");
  const { bin } = JSON.parse(readFileSync(manifest, "utf8"));
  const file = typeof bin === "string" ? bin : bin[command ?? Object.keys(bin)[0]];
  return join(dirname(manifest), file);
}

/**
 * A command as somebody would type it in the repository.
 * @param {string[]} words
 */
export function wording([program, ...parameters]) {
  return [program === process.execPath ? "node" : program, ...parameters].join(" ").replaceAll(`${root}/`, "");
}

/**
 * Whether a module is the script that was started, and not an imported one.
 * @param {string} url the module's `import.meta.url`
 */
export function isStarted(url) {
  const started = process.argv[1] ?? "";
  return existsSync(started) && realpathSync(started) === fileURLToPath(url);
}

/**
 * Runs a script and sets the exit status, or prints its help. Of a `Failure` only the message is printed, of any other error the stack.
 * @param {() => Promise<unknown>} work
 * @param {string} [help] what `--help` prints
 */
export async function script(work, help) {
  try {
    if (help !== undefined && process.argv.includes("--help")) log(help);
    else await work();
  } catch (error) {
    console.error(error instanceof Failure ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}

/**
 * @param {string} program
 * @param {CommandOptions} options
 */
function settings(program, { cwd = root, env = {} }) {
  // On Windows npm is a batch file, which only a shell can start.
  const shell = process.platform === "win32" && program === "npm";
  return { cwd, shell, env: { ...process.env, ...env } };
}

/**
 * @param {string} program
 * @param {unknown} cause
 */
function cannotStart(program, cause) {
  return new Failure(`\`${program}\` could not be started: ${cause instanceof Error ? cause.message : cause}.`);
}
