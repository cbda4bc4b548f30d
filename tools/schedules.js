/** Random schedules: simulates calls of a client with faults in virtual time, and fails if a promise of the contract is broken. */

import { randomInt } from "node:crypto";
import process from "node:process";
import { Failure, isStarted, log, run, script } from "./command.js";
import { setUp } from "./setup.js";

/**
 * @typedef {object} Choice
 * @property {string} test the name of the Rust test
 * @property {Record<string, string>} env its environment variables
 * @property {string} heading
 * @property {string} otherwise the message of a failure
 */

const help = `npm run schedules                 a hundred thousand random schedules, from a random seed
npm run schedules -- COUNT        another number of them
npm run schedules -- --seed S     prints one schedule and runs it again`;

const all = "simulation::no_schedule_breaks_a_promise";
const one = "simulation::the_schedule_of_a_seed_breaks_no_promise";

/** The upper limit of the first seed of a run. The seeds of a run are consecutive. */
const highestFirst = 2 ** 40;

if (isStarted(import.meta.url)) {
  await script(async () => {
    const { test, env, heading, otherwise } = chosenWork(process.argv.slice(2));
    await setUp();
    log(heading);
    const parameters = ["test", "--locked", "--release", "--lib", "--quiet", "--", "--exact", test];
    await run("cargo", [...parameters, "--include-ignored", "--nocapture"], { env, otherwise });
  }, help);
}

/**
 * Parses the command line.
 * @param {string[]} parameters
 * @returns {Choice}
 */
export function chosenWork(parameters) {
  const [parameter = "100000", seed, ...more] = parameters;
  if (parameter === "--seed" && seed !== undefined && more.length === 0) {
    const number = wholeNumber(seed, 0n, "a seed");
    return {
      test: one,
      env: { SEED: `${number}` },
      heading: `Running schedule ${number} …`,
      otherwise: `Schedule ${number} breaks a promise: see above.`,
    };
  }
  if (parameter === "--seed" || seed !== undefined) {
    throw new Failure("`npm run schedules` takes one thing: a number of schedules, or `--seed` and a seed.");
  }
  const count = wholeNumber(parameter, 1n, "a number of schedules");
  const first = randomInt(highestFirst);
  return {
    test: all,
    env: { SEED: `${first}`, SCHEDULES: `${count}` },
    heading: `Running ${count} schedules from seed ${first} on …`,
    otherwise: "A schedule breaks a promise: see above.",
  };
}

/**
 * @param {string} text
 * @param {bigint} least
 * @param {string} meaning
 */
function wholeNumber(text, least, meaning) {
  const number = /^\d+$/.test(text) ? BigInt(text) : -1n;
  if (number < least || number >= 1n << 64n) {
    throw new Failure(`"${text}" is not ${meaning}.`);
  }
  return number;
}
