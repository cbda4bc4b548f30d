/** The generated findings of one partition. They depend only on their seeds. */

import { Random } from "./random.js";
import { commentOf, writeVerbatim } from "./verbatim.js";

/** @typedef {import("./language/language.js").Remark} Remark */
/** @typedef {import("./verbatim.js").Verbatim} Verbatim */
/** @typedef {import("./verbatim.js").Wording} Wording */
/** @typedef {"sentiment" | "topics"} FindingKind */

/**
 * Part of a comment. The service does not document its fields publicly: these are an assumption of this fake.
 * `Offset` and `Length` count UTF-16 code units of the comment; a generic description is not part of it and has neither.
 * @typedef {{ Text: string, Offset?: number, Length?: number }} FindingText
 */

/**
 * @typedef {object} Finding
 * @property {number} VariableKey
 * @property {number} RespondentKey
 * @property {string} RespondentId
 * @property {number} StringKey
 * @property {string | null} TopicGroup
 * @property {string | null} ExpressionGroup
 * @property {boolean} [NoTopic]
 * @property {boolean} [NoExpression]
 * @property {string} Comment
 * @property {FindingText} Topic
 * @property {FindingText} Expression
 * @property {FindingText} Extract
 * @property {number} [Sentiment] of sentiment findings only
 */

/** The open questions that respondents answered. */
const variableKeys = [7001, 7002, 7005];

/** The most verbatims in a partition, so that their keys are distinct. */
const verbatimsPerPartition = 1_000_000;

/**
 * The partition of the findings, and their number.
 * @typedef {object} Which
 * @property {number} seed
 * @property {string} inspectionKey
 * @property {FindingKind} kind
 * @property {number} partitionIndex
 * @property {number} count the number of findings in the partition
 */

/**
 * The common part of all findings of a verbatim.
 * @typedef {object} About
 * @property {Pick<Finding, "VariableKey" | "RespondentKey" | "RespondentId" | "StringKey">} keys
 * @property {boolean} writesFalse whether optional fields are written out
 */

/**
 * A sentence with a finding.
 * @typedef {{ wording: Wording & { remark: Remark }, offset: number }} Found
 */

/**
 * @param {Which} which
 * @returns {Finding[]}
 */
export function makeFindings(which) {
  return [...verbatims(which)].flatMap(({ about, verbatim, found }) => {
    const comment = commentOf(verbatim);
    return found.map(({ wording, offset }) => ({
      ...about.keys,
      ...makeRest(wording, which.kind, { comment, offset, writesFalse: about.writesFalse }),
    }));
  });
}

/**
 * The verbatims of the partition, each with its findings.
 * @param {Which} which
 * @returns {Generator<{ about: About, verbatim: Verbatim, found: Found[] }>}
 */
export function* verbatims({ seed, inspectionKey, partitionIndex, count }) {
  for (let ordinal = 0, missing = count; missing > 0; ordinal++) {
    // The kind is not a seed here, because both analyses read the same comments.
    const random = new Random(seed, inspectionKey, partitionIndex, ordinal);
    const verbatim = writeVerbatim(random);
    const about = describeVerbatim(random, partitionIndex * verbatimsPerPartition + ordinal);
    const found = verbatim.sentences.filter(isFound).slice(0, missing);
    missing -= found.length;
    yield { about, verbatim, found };
  }
}

/**
 * The fields of a finding that come after its keys.
 * @param {Found["wording"]} wording
 * @param {FindingKind} kind
 * @param {{ comment: string, offset: number, writesFalse: boolean }} place
 * @returns {Omit<Finding, keyof About["keys"]>}
 */
export function makeRest({ text, remark }, kind, { comment, offset, writesFalse }) {
  const { topic, expression, topicGroup, expressionGroup, sentiment } = remark;
  return {
    TopicGroup: topicGroup ?? null,
    ExpressionGroup: expressionGroup ?? null,
    ...(topic === undefined ? { NoTopic: true } : writesFalse ? { NoTopic: false } : {}),
    ...(expression === undefined ? { NoExpression: true } : writesFalse ? { NoExpression: false } : {}),
    Comment: comment,
    Topic: topic === undefined ? genericText(sentiment) : partOf(text, topic, offset),
    Expression: expression === undefined ? genericText(sentiment) : partOf(text, expression, offset),
    Extract: partOf(text, text, offset),
    ...(kind === "sentiment" ? { Sentiment: sentiment } : {}),
  };
}

/**
 * @param {Verbatim["sentences"][number]} sentence
 * @returns {sentence is Found}
 */
function isFound(sentence) {
  return sentence.wording.remark !== undefined;
}

/**
 * @param {Random} random
 * @param {number} ordinal of the verbatim in the inspection
 * @returns {About}
 */
function describeVerbatim(random, ordinal) {
  const respondent = 500_000 + ordinal;
  return {
    keys: {
      VariableKey: random.oneOf(variableKeys),
      RespondentKey: respondent,
      RespondentId: `R-${String(respondent).padStart(8, "0")}`,
      StringKey: 9_000_000 + ordinal,
    },
    writesFalse: random.chance(0.3),
  };
}

/**
 * @param {string} text
 * @param {string} part
 * @param {number} offset of the text in its comment
 * @returns {FindingText}
 */
function partOf(text, part, offset) {
  return { Text: part, Offset: offset + text.indexOf(part), Length: part.length };
}

/**
 * @param {number} sentiment
 * @returns {FindingText}
 */
function genericText(sentiment) {
  return { Text: sentiment > 0 ? "/PositiveSentiment/" : sentiment < 0 ? "/NegativeSentiment/" : "/NeutralSentiment/" };
}
