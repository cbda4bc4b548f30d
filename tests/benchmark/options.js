/** The command line of the benchmark. */

import { parseArgs } from "node:util";
import { Failure } from "../../tools/command.js";

/** The parts of the benchmark, in their order. */
export const partNames = /** @type {const} */ (["retrieval", "decoding", "queries", "start", "sizes"]);

/** The number of partitions of a retrieval. */
export const partitions = 50;

/**
 * @typedef {object} Options
 * @property {number} rounds the number of measurements
 * @property {number} findings of a retrieval
 * @property {number} queriedFindings of the queries
 * @property {number} latency milliseconds before each response of the service
 * @property {readonly string[]} parts to run
 * @property {boolean} scale whether to find the largest inspection instead
 */

const help = `The options are
  --rounds N      how often everything is measured (7)
  --findings N    findings of a retrieval, in ${partitions} partitions (100000)
  --latency MS    before each answer of the service (30)
  --only PARTS    of ${partNames.join(", ")}; several with commas
  --quick         a first impression within a minute
  --scale         the largest inspection that a tab can hold, instead of all else`;

/**
 * @param {string[]} words of the command line
 * @returns {Options}
 */
export function readOptions(words) {
  const given = parse(words);
  const findings = wholeNumber("findings", given.findings ?? (given.quick ? "20000" : "100000"));
  if (findings % (10 * partitions) !== 0) {
    throw new Failure(`--findings must be a multiple of ${10 * partitions}: the warm-up is a tenth of it.`);
  }
  return {
    rounds: wholeNumber("rounds", given.rounds ?? (given.quick ? "2" : "7")),
    findings,
    queriedFindings: findings * (given.quick ? 5 : 10),
    latency: wholeNumber("latency", given.latency ?? "30", 0),
    parts: chosenParts(given.only),
    scale: given.scale ?? false,
  };
}

/** @param {string[]} words */
function parse(words) {
  const text = /** @type {const} */ ({ type: "string" });
  const flag = /** @type {const} */ ({ type: "boolean" });
  try {
    return parseArgs({
      args: words,
      options: { rounds: text, findings: text, latency: text, only: text, quick: flag, scale: flag },
    }).values;
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n${help}`);
  }
}

/**
 * @param {string} name
 * @param {string} value
 * @param {number} [least]
 */
function wholeNumber(name, value, least = 1) {
  const number = Number(value);
  if (!Number.isSafeInteger(number) || number < least) {
    throw new Failure(`--${name} must be a whole number from ${least}, and is "${value}".\n${help}`);
  }
  return number;
}

/** @param {string | undefined} only */
function chosenParts(only) {
  const chosen = only?.split(",") ?? partNames;
  const unknown = chosen.find((name) => !partNames.some((known) => known === name));
  if (unknown !== undefined) {
    throw new Failure(`There is no part "${unknown}".\n${help}`);
  }
  return chosen;
}
