/** The command line of the benchmark. */

import { parseArgs } from "node:util";
import { Failure } from "../../tools/command.js";
import { engineNames as engines } from "../../tools/engine.js";
import { corpora, repeatingTexts, shareOf } from "./corpora.js";

const chromiumParts = ["live", "kept", "peak"];
const allParts = ["retrieval", "decoding", "queries", "arrow", "start", ...chromiumParts, "sizes"];
const bodies = ["sized", "chunked", "gzip"];
const corpusNames = Object.keys(corpora);

/** What is measured unless it is given: usually, and with `--figures`. */
const usual = {
  engine: engines[0],
  corpus: repeatingTexts,
  rounds: "7",
  findings: "100000",
  latency: "30",
  network: "0",
  bodies: bodies[0],
  only: allParts.join(),
};
const ofFigures = { corpus: corpusNames.join(), rounds: "3", network: "100", only: "retrieval,start,kept,peak" };

/** The number of partitions of a retrieval. */
export const partitions = 50;

/** @typedef {ReturnType<typeof readOptions>} Options */

export const help = `The options are
  --figures       what this package has to reach, at the worst of the corpora
                  (--only ${ofFigures.only} --rounds ${ofFigures.rounds} --network ${ofFigures.network})
  --engine NAME   ${engines.join(", ")} (${usual.engine})
  --corpus NAMES  of retrieval, kept and peak; several with commas; the other parts use the first (${usual.corpus}):
                  ${corpusNames.join(", ")}
  --rounds N      how often everything is measured (${usual.rounds})
  --findings N    findings of a retrieval, in ${partitions} partitions (${usual.findings})
  --latency MS    before each response of the service (${usual.latency})
  --network MBIT  a retrieval also at that many Mbit/s, with 40 ms of latency
  --bodies HOW    ${bodies.join(", ")} (${usual.bodies}): with Content-Length, without, compressed without
  --only PARTS    of ${allParts.join(", ")}; several with commas
                  (${chromiumParts.join(", ")} in ${engines[0]} only)`;

/** @param {string[]} words of the command line */
export function readOptions(words) {
  const { figures = false, ...given } = parse(words);
  const values = { ...usual, ...(figures && ofFigures), ...given };
  const isChromium = values.engine === engines[0];
  if (!isChromium && chromiumParts.some((name) => given.only?.includes(name))) {
    throw new Failure(`The parts ${chromiumParts.join(", ")}: each is for Chromium only.`);
  }
  const chosen = {
    engine: oneOf("engine", engines, values.engine),
    corpora: values.corpus.split(",").map((name) => oneOf("corpus", corpusNames, name)),
    rounds: wholeNumber("rounds", values.rounds),
    findings: wholeNumber("findings", values.findings),
    latency: wholeNumber("latency", values.latency, 0),
    /** The megabits a second of a second network, beside the loopback; 0 if there is none. */
    network: wholeNumber("network", values.network, 0),
    bodies: oneOf("bodies", bodies, values.bodies),
    parts: values.only
      .split(",")
      .map((name) => oneOf("part", allParts, name))
      .filter((name) => isChromium || !chromiumParts.includes(name)),
    /** Whether only what counts for the goals is measured. */
    figures,
  };
  const unit = 10 * partitions;
  if (chosen.corpora.some((corpus) => (chosen.findings * shareOf(corpus)) % unit !== 0)) {
    throw new Failure(
      `--findings, times the share of the corpus, must be a multiple of ${unit}: the warm-up is a tenth.`,
    );
  }
  return chosen;
}

/** @param {string[]} words */
function parse(words) {
  const text = /** @type {const} */ ({ type: "string" });
  const texts = { engine: text, corpus: text, rounds: text, findings: text, latency: text, network: text };
  try {
    const options = { ...texts, bodies: text, only: text, figures: /** @type {const} */ ({ type: "boolean" }) };
    return parseArgs({ args: words, options }).values;
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n${help}`);
  }
}

/**
 * @param {string} name
 * @param {string} value
 */
function wholeNumber(name, value, least = 1) {
  const number = Number(value);
  if (Number.isSafeInteger(number) && number >= least) return number;
  throw new Failure(`--${name} must be a whole number from ${least}, and is "${value}".\n${help}`);
}

/**
 * @template {string} Name
 * @param {string} option
 * @param {Name[]} names
 * @param {string} given
 */
function oneOf(option, names, given) {
  const name = names.find((name) => name === given);
  if (name === undefined) throw new Failure(`There is no ${option} "${given}".\n${help}`);
  return name;
}
