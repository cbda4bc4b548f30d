/** The command line of the benchmark. */

import { parseArgs } from "node:util";
import { Failure } from "../../tools/command.js";
import { engineNames as engines } from "../../tools/engine.ts";
import { corpora, repeatingTexts } from "./corpora.js";

const chromiumParts = ["live", "kept", "peak"];
const allParts = ["retrieval", "decoding", "queries", "start", ...chromiumParts, "sizes"];

/** What is measured unless it is given: usually, and with `--figures`. */
const usual = { engine: engines[0], corpus: repeatingTexts, rounds: "7", network: "0", only: allParts.join() };
const ofFigures = {
  corpus: Object.keys(corpora).join(),
  rounds: "3",
  network: "100",
  only: "retrieval,start,kept,peak",
};

/** @typedef {ReturnType<typeof readOptions>} Options */

export const help = `The options are
  --figures       what this package has to reach, at the worst of the corpora
                  (--only ${ofFigures.only} --rounds ${ofFigures.rounds} --network ${ofFigures.network})
  --engine NAME   ${engines.join(", ")} (${usual.engine})
  --corpus NAMES  of retrieval, kept and peak; several with commas; the other parts use the first (${usual.corpus}):
                  ${Object.keys(corpora).join(", ")}
  --rounds N      how often everything is measured (${usual.rounds})
  --network MBIT  a retrieval also at that many Mbit/s, with 40 ms of latency
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
  const [rounds, network] = [Number(values.rounds), Number(values.network)];
  if (!(rounds >= 1 && network >= 0)) throw new Failure(`--rounds and --network are numbers.\n${help}`);
  return {
    engine: oneOf("engine", engines, values.engine),
    corpora: values.corpus.split(",").map((name) => oneOf("corpus", Object.keys(corpora), name)),
    rounds,
    /** The megabits a second of a second network, beside the loopback; 0 if there is none. */
    network,
    parts: values.only
      .split(",")
      .map((name) => oneOf("part", allParts, name))
      .filter((name) => isChromium || !chromiumParts.includes(name)),
    /** Whether only what counts for the goals is measured. */
    figures,
  };
}

/** @param {string[]} words */
function parse(words) {
  const text = /** @type {const} */ ({ type: "string" });
  const flag = /** @type {const} */ ({ type: "boolean" });
  const options = { figures: flag, engine: text, corpus: text, rounds: text, network: text, only: text };
  try {
    return parseArgs({ args: words, options }).values;
  } catch (error) {
    throw new Failure(`${error instanceof Error ? error.message : error}\n${help}`);
  }
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
