/** A verbatim: what one respondent wrote in answer to one question, and the remarks that it is made of. */

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
 * @typedef {object} Verbatim
 * @property {string} comment
 * @property {{ remark: Remark, text: string, offset: number }[]} remarks with their place in the comment, in UTF-16 code units
 */

/** How many remarks a comment makes: most make two to four. */
const remarkCounts = [1, 2, 2, 3, 3, 3, 4, 4, 5];

/** Every language as often as its share says. */
const languages = [english, german, french, japanese, emoji, awkward].flatMap((language) =>
  Array(language.share).fill(language),
);

/**
 * @param {Random} random
 * @returns {Verbatim}
 */
export function writeVerbatim(random) {
  /** @type {Language} */
  const language = random.oneOf(languages);
  const sentences = [
    ...random.someOf(language.remarks, random.oneOf(remarkCounts)).map((remark) => ({ remark, text: remark.text })),
    ...random.someOf(language.asides, random.integer(0, 3)).map((text) => ({ remark: undefined, text })),
  ];
  /** @type {Verbatim} */
  const verbatim = { comment: "", remarks: [] };
  for (const { remark, text } of random.someOf(sentences, sentences.length)) {
    verbatim.comment += verbatim.comment === "" ? "" : language.between;
    const written = text.replace("{n}", () => String(random.integer(2, 12)));
    if (remark !== undefined) {
      verbatim.remarks.push({ remark, text: written, offset: verbatim.comment.length });
    }
    verbatim.comment += written;
  }
  return verbatim;
}
