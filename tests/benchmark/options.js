/** The command line of the benchmark. */

import { parseArgs } from "node:util";
import { Failure } from "../../tools/command.js";
import { corpora, repeatingTexts } from "./corpora.js";

/** The parts that run in every engine unless others are chosen, in their order. */
const usualParts = ["retrieval", "decoding", "queries", "live", "arrow", "start", "sizes"];

/** The parts that measure what only Chromium shows. */
const chromiumParts = ["growth", "peak"];

const partNames = [...usualParts, ...chromiumParts, "concurrency"];

/** Written here, because nothing of the tools that start them is installed yet. */
const engines = /** @type {EngineName[]} */ (["chromium", "firefox", "webkit"]);

/** @typedef {import("../../tools/engine.js").EngineName} EngineName */

/** The number of partitions of a retrieval. */
export const partitions = 50;

/**
 * @typedef {object} Options
 * @property {EngineName} engine
 * @property {string} corpus the name of the corpus of a retrieval
 * @property {number} rounds the number of measurements
 * @property {number} findings of a retrieval
 * @property {number} queriedFindings of the queries
 * @property {number} latency milliseconds before each response of the service
 * @property {readonly string[]} parts to run
 * @property {boolean} scale whether to find the largest inspection instead
 */

const help = `The options are
  --engine NAME   ${engines.join(", ")} (${engines[0]})
  --corpus NAME   of the retrieval and the queries (${repeatingTexts}):
                  ${Object.keys(corpora).join(", ")}
  --rounds N      how often everything is measured (7)
  --findings N    findings of a retrieval, in ${partitions} partitions (100000)
  --latency MS    before each answer of the service (30)
  --only PARTS    of ${partNames.join(", ")}; several with commas
                  (all but the last; ${chromiumParts.join(" and ")} in ${engines[0]} only)
  --quick         a first impression within a minute
  --scale         the largest inspection that a tab of Chromium can hold, instead of all else`;

/**
 * @param {string[]} words of the command line
 * @returns {Options}
 */
export function readOptions(words) {
  const given = parse(words);
  const engine = oneOf("engine", engines, given.engine ?? engines[0]);
  if (given.scale && engine !== "chromium") {
    throw new Failure("--scale is for Chromium only: no other engine says that a tab has crashed.");
  }
  const corpus = oneOf("corpus", Object.keys(corpora), given.corpus ?? repeatingTexts);
  const usualFindings = (given.quick ? 20_000 : 100_000) * corpora[corpus].share;
  const findings = wholeNumber("findings", given.findings ?? String(usualFindings));
  if (findings % (10 * partitions) !== 0) {
    throw new Failure(`--findings must be a multiple of ${10 * partitions}: the warm-up is a tenth of it.`);
  }
  return {
    engine,
    corpus,
    rounds: wholeNumber("rounds", given.rounds ?? (given.quick ? "2" : "7")),
    findings,
    queriedFindings: findings * (given.quick ? 5 : 10),
    latency: wholeNumber("latency", given.latency ?? "30", 0),
    parts: chosenParts(engine, given.only),
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
      options: {
        engine: text,
        corpus: text,
        rounds: text,
        findings: text,
        latency: text,
        only: text,
        quick: flag,
        scale: flag,
      },
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

/**
 * @template {string} Name
 * @param {string} option
 * @param {Name[]} names
 * @param {string} given
 */
function oneOf(option, names, given) {
  const name = names.find((name) => name === given);
  if (name === undefined) {
    throw new Failure(`There is no ${option} "${given}".\n${help}`);
  }
  return name;
}

/**
 * @param {EngineName} engine
 * @param {string | undefined} only
 */
function chosenParts(engine, only) {
  const isChromium = engine === engines[0];
  const chosen = only?.split(",") ?? [...usualParts, ...(isChromium ? chromiumParts : [])];
  for (const name of chosen) {
    if (!partNames.includes(name)) {
      throw new Failure(`There is no part "${name}".\n${help}`);
    }
    if (!isChromium && chromiumParts.includes(name)) {
      throw new Failure(`The part "${name}" is for Chromium only.`);
    }
  }
  return chosen;
}
