/** The command line of the soak test. */

import { parseArgs } from "node:util";
import { Failure } from "../../tools/command.js";

/**
 * @typedef {object} Options
 * @property {number} [minutes] its duration; by default the number of retrievals of a test
 * @property {number} seed of all random choices
 */

export const help = `The options are
  MINUTES     the duration (default: that of 1000 retrievals)
  --seed S    the seed of a run whose choices are to be made again`;

/**
 * @param {string[]} words of the command line
 * @returns {Options}
 */
export function readOptions(words) {
  const { positionals, values } = parse(words);
  const [minutes, ...more] = positionals;
  if (more.length > 0) {
    throw new Failure(`One number of minutes is enough.\n${help}`);
  }
  return {
    ...(minutes === undefined ? {} : { minutes: number("the number of minutes", minutes, 0.1) }),
    seed: values.seed === undefined ? Math.floor(Math.random() * 2 ** 32) : number("--seed", values.seed, 0),
  };
}

/** @param {string[]} words */
function parse(words) {
  try {
    return parseArgs({ args: words, options: { seed: { type: "string" } }, allowPositionals: true });
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n${help}`);
  }
}

/**
 * @param {string} name
 * @param {string} value
 * @param {number} least
 */
function number(name, value, least) {
  const given = Number(value);
  if (!(given >= least && given < 2 ** 32)) {
    throw new Failure(`${name} must be a number from ${least}, and is "${value}".\n${help}`);
  }
  return given;
}
