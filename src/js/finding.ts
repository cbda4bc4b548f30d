// A finding, and the two kinds of findings.

/** The two kinds of findings that the service keeps apart. */
export type FindingKind = "sentiment" | "topics";

/**
 * A finding, as the public help pages of the Ascribe CX Inspector API describe it. A finding keeps all fields that the
 * service sends, whether this type has them or not; nothing checks a finding against this type.
 *
 * Fields that this type lacks are reached by a type of the caller's own, which the calls take as a type parameter.
 *
 * @example
 * interface OurFinding extends InspectionFinding {
 *   Language: string;
 * }
 * const findings = await getFindings<OurFinding>(42, "sentiment");
 * console.log(findings[0]?.Language);
 */
export interface InspectionFinding {
  /** The variable that the comment belongs to (`VariableKey`). */
  VariableKey: number;
  /** The respondent's id. Compare respondents by this, not by `RespondentId` (`RespondentKey`). */
  RespondentKey: number;
  /** The name of the respondent in the source (`RespondentId`). */
  RespondentId: string;
  /** The verbatim (`StringKey`). */
  StringKey: number;
  /** The group of the topic; null if the topic is not mapped to a group (`TopicGroup`). */
  TopicGroup: string | null;
  /** The group of the expression; null if the expression is not mapped to a group (`ExpressionGroup`). */
  ExpressionGroup: string | null;
  /** True if `Topic` is a generic description such as `/PositiveSentiment/` (`NoTopic`). */
  NoTopic?: boolean;
  /** True if `Expression` is a generic description (`NoExpression`). */
  NoExpression?: boolean;
  /** The analysed text, the same in every finding about it (`Comment`). */
  Comment: string;
  /** The topic of the finding (`Topic`). */
  Topic: FindingText;
  /** The statement about the topic (`Expression`). */
  Expression: FindingText;
  /** The part of the comment on which the finding is based (`Extract`). */
  Extract: FindingText;
  /** −2, very negative, to 2, very positive; only in sentiment findings (`Sentiment`). */
  Sentiment?: -2 | -1 | 0 | 1 | 2;
}

/** A text of a finding. The service does not document its fields publicly. */
export interface FindingText {
  /** The text itself (`Text`). */
  Text?: string;
  [field: string]: unknown;
}
