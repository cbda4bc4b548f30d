//! Findings as plain JavaScript objects.

use js_sys::{Array, JSON};
use wasm_bindgen::prelude::*;

use crate::decode::{Chunk, text_of};

#[wasm_bindgen(typescript_custom_section)]
const FINDING: &str = r#"
/** The two kinds of findings that the service keeps apart. */
export type FindingKind = "sentiment" | "topics";

/**
 * A finding, as the public help pages of the Ascribe CX Inspector API describe it. It passes through with every field
 * that it came with, known here or not; nothing is checked against this type.
 */
export interface InspectionFinding {
  /** The variable that the comment belongs to (`VariableKey`). */
  VariableKey: number;
  /** The respondent, by a generated key, which is the one to compare by (`RespondentKey`). */
  RespondentKey: number;
  /** The respondent, as the source names it (`RespondentId`). */
  RespondentId: string;
  /** The verbatim (`StringKey`). */
  StringKey: number;
  /** The group of the topic; null where it is not mapped to one (`TopicGroup`). */
  TopicGroup: string | null;
  /** The group of the expression; null where it is not mapped to one (`ExpressionGroup`). */
  ExpressionGroup: string | null;
  /** True where `Topic` is a generic description such as `/PositiveSentiment/` (`NoTopic`). */
  NoTopic?: boolean;
  /** True where `Expression` is a generic description (`NoExpression`). */
  NoExpression?: boolean;
  /** The analysed text, repeated in every finding that it yielded (`Comment`). */
  Comment: string;
  /** What the finding is about (`Topic`). */
  Topic: FindingText;
  /** What is said about it (`Expression`). */
  Expression: FindingText;
  /** The part of the comment that the finding rests on (`Extract`). */
  Extract: FindingText;
  /** From −2, very negative, to 2, very positive; in sentiment findings only (`Sentiment`). */
  Sentiment?: -2 | -1 | 0 | 1 | 2;
  /** Whatever else the service sends. */
  [field: string]: unknown;
}

/** A text of a finding; its fields are documented nowhere public. */
export interface FindingText {
  [field: string]: unknown;
}
"#;

/// The findings of all chunks in one array.
pub fn findings(chunks: &[Chunk]) -> Result<Array, JsValue> {
    let partitions = Array::new();
    for chunk in chunks {
        let text = text_of(chunk.json()).unwrap_or_default();
        partitions.push(&JSON::parse(text)?);
    }
    Ok(partitions.flat(1))
}
