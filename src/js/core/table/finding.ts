// The types of a finding, of the key of an inspection, and of a kind.

/**
 * The key of an inspection: a safe integer, a bigint of at most 64 bits, or a string of decimal digits, such as a
 * route's parameter.
 */
export type InspectionKey = number | bigint | string;

/** The kind of findings: of the sentiment analysis or of the topic analysis. Only sentiment findings have `Sentiment`. */
export type FindingKind = "sentiment" | "topics";

/**
 * A finding, as the public help pages of the Ascribe CX Inspector API describe it. A finding keeps all fields that the
 * service sends, even fields that this type lacks. The package does not check findings against this type.
 *
 * For more fields, pass your own type to {@link FindingsClient}, or to a function, as the type argument.
 *
 * @example
 * interface OurFinding extends InspectionFinding {
 *   Language: string;
 * }
 * const findings = await getFindings<OurFinding>(42, "sentiment", { baseUrl: "https://service.example/cxi/" });
 * console.log(findings[0]?.Language);
 */
export interface InspectionFinding {
  /** The variable that the comment belongs to. */
  VariableKey: number;
  /** The respondent's id. Compare respondents by this, not by `RespondentId`. */
  RespondentKey: number;
  /** The name of the respondent in the source. */
  RespondentId: string;
  /** The id of the comment, also called verbatim. */
  StringKey: number;
  /** The group of the topic; null if the topic is not mapped to a group. */
  TopicGroup: string | null;
  /** The group of the expression; null if the expression is not mapped to a group. */
  ExpressionGroup: string | null;
  /** True if `Topic` is a generic description such as `/PositiveSentiment/`. */
  NoTopic?: boolean;
  /** True if `Expression` is a generic description. */
  NoExpression?: boolean;
  /** The analysed text. All findings about a comment repeat it. */
  Comment: string;
  /** The topic of the finding. */
  Topic: FindingText;
  /** The statement about the topic. */
  Expression: FindingText;
  /** The part of the comment on which the finding is based. */
  Extract: FindingText;
  /** From −2 (very negative) to 2 (very positive); only in sentiment findings. */
  Sentiment?: -2 | -1 | 0 | 1 | 2;
}

/** A text of a finding. The public help pages do not describe its fields. */
export interface FindingText {
  /** The text itself. */
  Text?: string;
  [field: string]: unknown;
}
