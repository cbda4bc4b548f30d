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

#[wasm_bindgen(raw_module = "./table/row-builder.js")]
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
/// The error of `check_time`, or an error thrown while building rows.
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
        // Large rows need small batches: rows that are laid out but not built are laid out again.
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
