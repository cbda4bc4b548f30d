/** The corpora by name, for the command line: it is read before the package is built, which a corpus needs. */

/** The corpus with few texts. */
export const repeatingTexts = "texts that repeat";

/** The share of the findings that are asked for: less than one where a finding is long. @type {Record<string, number>} */
export const shares = {
  [repeatingTexts]: 1,
  English: 1,
  "German and French": 1,
  "Chinese and Japanese": 1,
  "emoji and mixed scripts": 1,
  "long comments": 0.1,
};

export const corpusNames = Object.keys(shares);
