/** What a language needs for comments to be made up in it. */

/**
 * One remark of a respondent, and what an analysis would find in it. `topic` and `expression` are parts of `text`; left
 * out, the analysis names neither and gives a generic description instead. `{n}` in the text becomes a small number.
 * @typedef {object} Remark
 * @property {string} text
 * @property {string} [topic]
 * @property {string} [expression]
 * @property {string} [topicGroup] left out: not mapped to a group
 * @property {string} [expressionGroup] left out: not mapped to a group
 * @property {-2 | -1 | 0 | 1 | 2} sentiment
 */

/**
 * @typedef {object} Language
 * @property {number} share how often it is written in, beside the shares of the others
 * @property {string} between what stands between two sentences
 * @property {readonly Remark[]} remarks
 * @property {readonly string[]} asides sentences in which nothing is found
 */

export {};
