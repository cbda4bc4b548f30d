/** A verbatim: the answer of one respondent to one question, composed of remarks. */

import { awkward } from "./language/awkward.js";
import { emoji } from "./language/emoji.js";
import { english } from "./language/english.js";
import { french } from "./language/french.js";
import { german } from "./language/german.js";
import { japanese } from "./language/japanese.js";

/** @typedef {import("./language/language.js").Language} Language */
/** @typedef {import("./language/language.js").Remark} Remark */
/** @typedef {import("./random.js").Random} Random */

/**
 * A wording of a sentence, with a number in place of `{n}`.
 * @typedef {object} Wording
 * @property {string} text
 * @property {Remark} [remark] undefined for a sentence without findings
 */

/**
 * @typedef {object} Verbatim
 * @property {string} between the separator of two sentences
 * @property {Sentence[]} sentences
 */

/** @typedef {{ wording: Wording, offset: number }} Sentence with its place in the comment, in UTF-16 code units */

/** The distribution of the number of remarks in a comment: mostly two to four. */
const remarkCounts = [1, 2, 2, 3, 3, 3, 4, 4, 5];

/** Each language as often as its share, with its sentences in all wordings. */
const languages = [english, german, french, japanese, emoji, awkward].flatMap(({ share, between, remarks, asides }) =>
  Array(share).fill({
    between,
    remarks: remarks.map((remark) => wordingsOf(remark.text, remark)),
    asides: asides.map((text) => wordingsOf(text)),
  }),
);

/**
 * @param {Random} random
 * @returns {Verbatim}
 */
export function writeVerbatim(random) {
  /** @type {{ between: string, remarks: Wording[][], asides: Wording[][] }} */
  const { between, remarks, asides } = random.oneOf(languages);
  const chosen = [
    ...random.someOf(remarks, random.oneOf(remarkCounts)),
    ...random.someOf(asides, random.integer(0, 3)),
  ];
  /** @type {Sentence[]} */
  const sentences = [];
  let offset = 0;
  for (const wordings of random.someOf(chosen, chosen.length)) {
    const wording = wordings.length === 1 ? wordings[0] : random.oneOf(wordings);
    sentences.push({ wording, offset });
    offset += wording.text.length + between.length;
  }
  return { between, sentences };
}

/**
 * Composes a verbatim.
 * @param {Verbatim} verbatim
 */
export function commentOf({ between, sentences }) {
  return sentences.map(({ wording }) => wording.text).join(between);
}

/**
 * @param {string} text
 * @param {Remark} [remark]
 * @returns {Wording[]} one, or one for every number that may stand in it
 */
function wordingsOf(text, remark) {
  const numbers = text.includes("{n}") ? [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] : [0];
  return numbers.map((number) => ({ text: text.replace("{n}", String(number)), remark }));
}
