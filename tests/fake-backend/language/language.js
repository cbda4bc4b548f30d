/** The vocabulary of a language for generated comments. */

/**
 * One remark of a respondent, and what an analysis would find in it. `topic` and `expression` are parts of `text`; left
 * out, the analysis names neither and gives a generic description instead. `{n}` in the text becomes a small number.
 * @typedef {object} Remark
 * @property {string} text
 * @property {string} [topic]
 * @property {string} [expression]
 * @property {string} [topicGroup] undefined if it is not mapped to a group
 * @property {string} [expressionGroup] undefined if it is not mapped to a group
 * @property {-2 | -1 | 0 | 1 | 2} sentiment
 */

/**
 * @typedef {object} Language
 * @property {number} share its frequency relative to the other languages
 * @property {string} between the separator of two sentences
 * @property {readonly Remark[]} remarks
 * @property {readonly string[]} asides sentences without findings
 */

export {};
