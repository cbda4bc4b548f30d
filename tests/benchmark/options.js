/** The command line of the benchmark. */

import { parseArgs } from "node:util";
import { Failure } from "../../tools/command.js";
import { engineNames as engines } from "../../tools/engine.js";
import { corpusNames, repeatingTexts, shares } from "./corpus-names.js";

/** The parts, in their order. */
const chromiumParts = ["live", "growth", "kept", "peak"];
const allParts = ["retrieval", "decoding", "queries", "arrow", "start", ...chromiumParts, "sizes"];
const figureParts = ["retrieval", "start", "kept", "peak"];

/** How the bodies are sent. */
const bodies = ["sized", "chunked", "gzip"];

/** The number of partitions of a retrieval. */
export const partitions = 50;

/** @typedef {ReturnType<typeof readOptions>} Options */

export const help = `The options are
  --figures       what this package has to reach, at the worst of the corpora
                  (the parts ${figureParts.join(", ")}; --rounds 3; --network 100)
  --engine NAME   ${engines.join(", ")} (${engines[0]})
  --corpus NAMES  of the retrieval; several with commas; the other parts use the first (${repeatingTexts}):
                  ${corpusNames.join(", ")}
  --rounds N      how often everything is measured (7)
  --findings N    findings of a retrieval, in ${partitions} partitions (100000)
  --latency MS    before each response of the service (30)
  --network MBIT  a retrieval also at that many Mbit/s, with 40 ms of latency
  --bodies HOW    ${bodies.join(", ")} (${bodies[0]}): with Content-Length, without, compressed without
  --only PARTS    of ${allParts.join(", ")}; several with commas
                  (${chromiumParts.join(", ")} in ${engines[0]} only)`;

/** @param {string[]} words of the command line */
export function readOptions(words) {
  const { figures = false, ...given } = parse(words);
  const engine = oneOf("engine", engines, given.engine ?? engines[0]);
  const isChromium = engine === engines[0];
  if (!isChromium && chromiumParts.some((name) => given.only?.includes(name))) {
    throw new Failure(`The parts ${chromiumParts.join(", ")}: each is for Chromium only.`);
  }
  const parts = given.only?.split(",") ?? (figures ? figureParts : allParts);
  const network = given.network ?? (figures ? "100" : undefined);
  const chosen = {
    engine,
    /** Of a retrieval; the other parts use the first. */
    corpora: (given.corpus?.split(",") ?? (figures ? corpusNames : [repeatingTexts])).map((name) =>
      oneOf("corpus", corpusNames, name),
    ),
    rounds: wholeNumber("rounds", given.rounds ?? (figures ? "3" : "7")),
    findings: wholeNumber("findings", given.findings ?? "100000"),
    latency: wholeNumber("latency", given.latency ?? "30", 0),
    /** The megabits a second of a second network, beside the loopback. */
    network: network === undefined ? undefined : wholeNumber("network", network),
    bodies: oneOf("bodies", bodies, given.bodies ?? bodies[0]),
    parts: parts
      .map((name) => oneOf("part", allParts, name))
      .filter((name) => isChromium || !chromiumParts.includes(name)),
    /** Whether only what counts for the targets is measured. */
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
  return Math.round(findings * shares[corpus]);
}

/** @param {string[]} words */
function parse(words) {
  const text = /** @type {const} */ ({ type: "string" });
  const ofText = { engine: text, corpus: text, rounds: text, findings: text, latency: text, network: text };
  const options = /** @type {const} */ ({ ...ofText, bodies: text, only: text, figures: { type: "boolean" } });
  try {
    return parseArgs({ args: words, options }).values;
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
  if (name === undefined) throw new Failure(`There is no ${option} "${given}".\n${help}`);
  return name;
}
