/** The findings of one partition, made up from seeds: the same seeds give the same findings, whatever else was made before. */

import { Random } from "./random.js";
import { writeVerbatim } from "./verbatim.js";

/** @typedef {import("./verbatim.js").Verbatim} Verbatim */
/** @typedef {"sentiment" | "topics"} FindingKind */

/**
 * Part of a comment. The service's own fields for it are documented nowhere public: these are an assumption of this fake.
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

/** More verbatims than this no partition holds, so that their keys never meet. */
const verbatimsPerPartition = 1_000_000;

/**
 * @param {object} which
 * @param {number} which.seed
 * @param {string} which.inspectionKey
 * @param {FindingKind} which.kind
 * @param {number} which.partitionIndex
 * @param {number} which.count how many findings the partition holds
 * @returns {Finding[]}
 */
export function makeFindings({ seed, inspectionKey, kind, partitionIndex, count }) {
  /** @type {Finding[]} */
  const findings = [];
  for (let ordinal = 0; findings.length < count; ordinal++) {
    // The kind is no seed here: both analyses read the same comments.
    const random = new Random(seed, inspectionKey, partitionIndex, ordinal);
    const verbatim = writeVerbatim(random);
    const about = describeVerbatim(random, partitionIndex * verbatimsPerPartition + ordinal);
    for (const remark of verbatim.remarks.slice(0, count - findings.length)) {
      findings.push(makeFinding(about, verbatim.comment, remark, kind));
    }
  }
  return findings;
}

/**
 * @param {Random} random
 * @param {number} ordinal of the verbatim in the inspection
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
    // Optional fields are sometimes written out, sometimes left out.
    writesFalse: random.chance(0.3),
  };
}

/**
 * @param {ReturnType<typeof describeVerbatim>} about
 * @param {string} comment
 * @param {Verbatim["remarks"][number]} remark
 * @param {FindingKind} kind
 * @returns {Finding}
 */
function makeFinding({ keys, writesFalse }, comment, { remark, text, offset }, kind) {
  const { topic, expression, topicGroup, expressionGroup, sentiment } = remark;
  return {
    ...keys,
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
