/** The command line of the benchmark. */

import { parseArgs } from "node:util";
import { Failure } from "../../tools/command.js";
import { corpora, repeatingTexts } from "./corpora.js";

/** The parts that run in every engine unless others are chosen, in their order. */
const usualParts = ["retrieval", "decoding", "queries", "rows", "live", "arrow", "start", "sizes"];

/** The parts that measure what only Chromium shows. */
const chromiumParts = ["growth", "kept", "peak"];

const partNames = [...usualParts, ...chromiumParts];

/** The parts of `--figures`. */
const figureParts = ["retrieval", "start", "kept", "peak"];

/** Written here, because nothing of the tools that start them is installed yet. */
const engines = /** @type {EngineName[]} */ (["chromium", "firefox", "webkit"]);

/** How the bodies are sent. */
const bodies = /** @type {const} */ (["sized", "chunked", "gzip"]);

/** @typedef {import("../../tools/engine.js").EngineName} EngineName */
/** @typedef {typeof bodies[number]} Bodies */

/** The number of partitions of a retrieval. */
export const partitions = 50;

/** The corpora whose ratios count. */
export const countingCorpora = Object.keys(corpora).filter((name) => corpora[name].counts);

/**
 * @typedef {object} Options
 * @property {EngineName} engine
 * @property {string[]} corpora of a retrieval; the other parts use the first
 * @property {number} rounds the number of measurements
 * @property {number} findings of a retrieval, before the share of its corpus
 * @property {number} latency milliseconds before each response of the service
 * @property {number | undefined} network megabits a second of a second network, beside the loopback
 * @property {Bodies} bodies how they are sent
 * @property {readonly string[]} parts to run
 * @property {boolean} figures whether only what counts for the targets is measured, in all corpora that count
 */

export const help = `The options are
  --figures       what this package has to reach, at the worst of the corpora that count
                  (the parts ${figureParts.join(", ")}; --rounds 3; --network 100 in ${engines[0]})
  --engine NAME   ${engines.join(", ")} (${engines[0]})
  --corpus NAMES  of the retrieval; several with commas; the other parts use the first (${repeatingTexts}):
                  ${countingCorpora.join(", ")};
                  these do not count: ${Object.keys(corpora)
                    .filter((name) => !corpora[name].counts)
                    .join(", ")}
  --rounds N      how often everything is measured (7)
  --findings N    findings of a retrieval, in ${partitions} partitions (100000)
  --latency MS    before each response of the service (30)
  --network MBIT  a retrieval also at that many Mbit/s, with 40 ms of latency, in ${engines[0]} only
  --bodies HOW    ${bodies.join(", ")} (${bodies[0]}): with Content-Length, without, compressed without
  --only PARTS    of ${partNames.join(", ")}; several with commas
                  (${chromiumParts.join(", ")} in ${engines[0]} only)
  --quick         a first impression within minutes, from a fifth of the findings and 2 rounds`;

/**
 * @param {string[]} words of the command line
 * @returns {Options}
 */
export function readOptions(words) {
  const given = parse(words);
  const { figures = false, quick = false } = given;
  const engine = oneOf("engine", engines, given.engine ?? engines[0]);
  const isChromium = engine === engines[0];
  const findings = wholeNumber("findings", given.findings ?? (quick ? "20000" : "100000"));
  const chosen = {
    engine,
    corpora: (given.corpus?.split(",") ?? (figures ? countingCorpora : [repeatingTexts])).map((name) =>
      oneOf("corpus", Object.keys(corpora), name),
    ),
    rounds: wholeNumber("rounds", given.rounds ?? (quick ? "2" : figures ? "3" : "7")),
    findings,
    latency: wholeNumber("latency", given.latency ?? "30", 0),
    network: chosenNetwork(isChromium, given.network ?? (figures && isChromium ? "100" : undefined)),
    bodies: oneOf("bodies", [...bodies], given.bodies ?? bodies[0]),
    parts: chosenParts(isChromium, given.only?.split(",") ?? (figures ? figureParts : partNames), given.only),
    figures,
  };
  const unit = 10 * partitions;
  if (chosen.corpora.some((corpus) => findingsOf(chosen, corpus) % unit !== 0)) {
    throw new Failure(
      `--findings, times the share of the corpus, must be a multiple of ${unit}: the warm-up is a tenth.`,
    );
  }
  return chosen;
}

/**
 * The findings of a retrieval: fewer where each is long.
 * @param {{ findings: number }} options
 * @param {string} corpus
 */
export function findingsOf({ findings }, corpus) {
  return Math.round(findings * corpora[corpus].share);
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
        network: text,
        bodies: text,
        only: text,
        figures: flag,
        quick: flag,
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
 * @param {boolean} isChromium
 * @param {string | undefined} given
 */
function chosenNetwork(isChromium, given) {
  if (given === undefined) {
    return undefined;
  }
  if (!isChromium) {
    throw new Failure("--network is for Chromium only: its developer tools limit the network.");
  }
  return wholeNumber("network", given);
}

/**
 * @param {boolean} isChromium
 * @param {string[]} chosen
 * @param {string | undefined} only what the user has chosen
 */
function chosenParts(isChromium, chosen, only) {
  for (const name of only === undefined ? [] : chosen) {
    if (!partNames.includes(name)) {
      throw new Failure(`There is no part "${name}".\n${help}`);
    }
    if (!isChromium && chromiumParts.includes(name)) {
      throw new Failure(`The part "${name}" is for Chromium only.`);
    }
  }
  return isChromium ? chosen : chosen.filter((name) => !chromiumParts.includes(name));
}
