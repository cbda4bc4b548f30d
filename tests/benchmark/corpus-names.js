/** The corpora by name, for the command line: it is read before the package is built, which a corpus needs. */

/** The corpus with few texts. */
export const repeatingTexts = "texts that repeat";

/**
 * `counts`: whether a corpus counts for the targets; the others are compared with `JSON.parse` alone.
 * `share`: of the findings that are asked for, less than one where a finding is long.
 * @type {Record<string, { counts: boolean, share: number }>}
 */
export const traits = {
  [repeatingTexts]: { counts: true, share: 1 },
  English: { counts: true, share: 1 },
  "German and French": { counts: true, share: 1 },
  "Chinese and Japanese": { counts: true, share: 1 },
  "emoji and mixed scripts": { counts: true, share: 1 },
  "long comments": { counts: true, share: 0.1 },
  "a finding a comment": { counts: false, share: 1 },
  "escapes in every string": { counts: false, share: 1 },
  "fifty unusual fields": { counts: false, share: 0.3 },
};

export const countingCorpora = Object.keys(traits).filter((name) => traits[name].counts);
