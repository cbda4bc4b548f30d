// A verbatim: the answer of one respondent to one question, composed of remarks.

import { awkward } from "./language/awkward.js";
import { emoji } from "./language/emoji.js";
import { english } from "./language/english.js";
import { french } from "./language/french.js";
import { german } from "./language/german.js";
import { japanese } from "./language/japanese.js";
import type { Remark } from "./language/language.js";
import type { Random } from "./random.js";

/** A wording of a sentence, with a number in place of `{n}`. */
export interface Wording {
  readonly text: string;
  /** Undefined for a sentence without findings. */
  readonly remark: Remark | undefined;
}

/** A sentence with its offset in the comment, in UTF-16 code units. */
export interface Sentence {
  readonly wording: Wording;
  readonly offset: number;
}

export interface Verbatim {
  /** The separator of two sentences. */
  readonly between: string;
  readonly sentences: readonly Sentence[];
}

/** A language whose sentences are there in all wordings. */
interface WordedLanguage {
  readonly between: string;
  readonly remarks: readonly Wording[][];
  readonly asides: readonly Wording[][];
}

/** The distribution of the number of remarks in a comment: mostly two to four. */
const remarkCounts = [1, 2, 2, 3, 3, 3, 4, 4, 5];

/** Each language as often as its share. */
const languages = [english, german, french, japanese, emoji, awkward].flatMap(({ share, between, remarks, asides }) =>
  Array<WordedLanguage>(share).fill({
    between,
    remarks: remarks.map((remark) => wordingsOf(remark.text, remark)),
    asides: asides.map((text) => wordingsOf(text)),
  }),
);

/** Composes a verbatim of random sentences. */
export function writeVerbatim(random: Random): Verbatim {
  const { between, remarks, asides } = random.oneOf(languages);
  const chosen = [
    ...random.someOf(remarks, random.oneOf(remarkCounts)),
    ...random.someOf(asides, random.integer(0, 3)),
  ];
  const sentences: Sentence[] = [];
  let offset = 0;
  for (const wordings of random.someOf(chosen, chosen.length)) {
    const [first] = wordings;
    const wording = wordings.length === 1 && first !== undefined ? first : random.oneOf(wordings);
    sentences.push({ wording, offset });
    offset += wording.text.length + between.length;
  }
  return { between, sentences };
}

/** Returns the comment of a verbatim. */
export function commentOf({ between, sentences }: Verbatim): string {
  return sentences.map(({ wording }) => wording.text).join(between);
}

/** Returns one wording, or one for each number that may stand in it. */
function wordingsOf(text: string, remark?: Remark): Wording[] {
  const numbers = text.includes("{n}") ? [2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12] : [0];
  return numbers.map((number) => ({ text: text.replace("{n}", String(number)), remark }));
}
