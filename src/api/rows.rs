//! Findings as plain JavaScript objects.

use columns::table::Table;
use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::yield_now::yield_now;
use crate::error::{CallEnd, Error};

const FIRST_BATCH: usize = 64;
const LARGEST_BATCH: usize = 4096;

/// The time of a batch in milliseconds; a single row may take longer.
const LONG: f64 = 4.0;

#[wasm_bindgen(typescript_custom_section)]
const FINDING: &str = r#"
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
"#;

#[wasm_bindgen(raw_module = "./row-builder.js")]
extern "C" {
    type RowBuilder;
    #[wasm_bindgen(constructor)]
    fn new(columns: &JsValue) -> RowBuilder;
    #[wasm_bindgen(method, catch)]
    fn append(this: &RowBuilder, from: usize, to: usize, findings: &Array, milliseconds: f64)
    -> Result<usize, JsValue>;
    #[wasm_bindgen(method)]
    fn free(this: &RowBuilder);
}

/// Frees the columns of a builder on drop.
struct Owned(RowBuilder);

/// Builds all findings of a table as plain objects, and yields between batches.
///
/// # Errors
///
/// The error of `check_time`, or what is thrown while building rows.
pub(super) async fn findings(
    table: Table,
    check_time: &dyn Fn() -> Result<(), Box<Error<JsValue>>>,
) -> Result<Array, CallEnd<JsValue>> {
    let length = table.len();
    let builder = Owned(RowBuilder::new(&Columns::from(table).into()));
    let findings = Array::new();
    let (mut from, mut batch) = (0, FIRST_BATCH);
    while from < length {
        let to = length.min(from + batch);
        let count = builder.0.append(from, to, &findings, LONG).map_err(CallEnd::Thrown)?;
        // Batches of large rows are small: rows that a batch lays out but does not build are laid out again.
        batch = if from + count < to { count } else { (batch * 2).min(LARGEST_BATCH) };
        from += count;
        yield_now().await;
        check_time()?;
    }
    Ok(findings)
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.free();
    }
}
