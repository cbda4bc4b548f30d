//! Findings as plain JavaScript objects.

use columns::table::Table;
use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::yield_now::yield_now;
use crate::error::{CallEnd, Error};

const FIRST_BATCH: usize = 64;
const LARGEST_BATCH: usize = 4096;

/// What a batch may take, in milliseconds; a single row may take longer.
const LONG: f64 = 4.0;

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

#[wasm_bindgen(raw_module = "./rows.js")]
extern "C" {
    type Rows;
    #[wasm_bindgen(constructor)]
    fn new(columns: &JsValue) -> Rows;
    #[wasm_bindgen(method, catch)]
    fn append(this: &Rows, from: usize, to: usize, findings: &Array, milliseconds: f64) -> Result<usize, JsValue>;
    #[wasm_bindgen(method)]
    fn free(this: &Rows);
}

/// The rows with their columns, which are given back to the module's memory when it is dropped.
struct Building(Rows);

/// All findings of a table as plain objects, built in turns, unless `check_time` says that it took too long.
pub(super) async fn findings(
    table: Table,
    check_time: &dyn Fn() -> Result<(), Box<Error<JsValue>>>,
) -> Result<Array, CallEnd<JsValue>> {
    let length = table.len();
    let building = Building(Rows::new(&Columns::from(table).into()));
    let findings = Array::new();
    let (mut from, mut batch) = (0, FIRST_BATCH);
    while from < length {
        let to = length.min(from + batch);
        let count = building.0.append(from, to, &findings, LONG).map_err(CallEnd::Thrown)?;
        // Large rows come in small batches, so that they are not laid out many times over.
        batch = if from + count < to { count } else { (batch * 2).min(LARGEST_BATCH) };
        from += count;
        yield_now().await;
        check_time()?;
    }
    Ok(findings)
}

impl Drop for Building {
    fn drop(&mut self) {
        self.0.free();
    }
}
