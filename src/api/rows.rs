//! Findings as plain JavaScript objects.

use columns::table::Table;
use js_sys::Array;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::yield_now::yield_now;
use crate::accumulator::Accumulator;
use crate::error::{CallEnd, Error};

const FIRST_BATCH: usize = 64;
const LARGEST_BATCH: usize = 4096;

/// The time of a batch in milliseconds; a single row may take longer.
const LONG: f64 = 4.0;

#[wasm_bindgen(raw_module = "./table/row-builder.js")]
extern "C" {
    /// The strings and layouts that builders of one dictionary share.
    type SharedParts;
    #[wasm_bindgen(js_name = newParts)]
    fn new_parts() -> SharedParts;

    type RowBuilder;
    #[wasm_bindgen(constructor)]
    fn new(columns: &JsValue, parts: &SharedParts) -> RowBuilder;
    #[wasm_bindgen(method, catch)]
    fn append(this: &RowBuilder, from: usize, to: usize, findings: &Array, milliseconds: f64)
    -> Result<usize, JsValue>;
    #[wasm_bindgen(method)]
    fn free(this: &RowBuilder);
}

/// Findings of one dictionary as plain objects, in index order.
pub(super) struct Rows {
    findings: Array,
    parts: SharedParts,
}

/// Frees the columns of a builder on drop.
struct Owned(RowBuilder);

/// Builds all findings of a table, and yields between batches.
///
/// # Errors
/// The error of `check_time`, or an error thrown while building rows.
pub(super) async fn findings(table: Table, check_time: &CheckTime<'_>) -> Result<Array, CallEnd<JsValue>> {
    Rows::new().complete(table, check_time).await
}

/// Fails once the call has exceeded its time.
pub(super) type CheckTime<'call> = dyn Fn() -> Result<(), Box<Error<JsValue>>> + 'call;

impl Rows {
    /// No findings.
    pub(super) fn new() -> Self {
        Rows { findings: Array::new(), parts: new_parts() }
    }

    /// Builds the findings of each partition as soon as it and all before it have arrived, so that this is done while the others are on their
    /// way. Does not end, unless an error is thrown.
    pub(super) async fn follow(&self, accumulator: &Accumulator) -> CallEnd<JsValue> {
        let mut next = 0;
        loop {
            let table = accumulator.partition(next).await;
            if let Err(end) = self.append(table, 0, &|| Ok(())).await {
                return end;
            }
            next += 1;
        }
    }

    /// Builds the findings that are missing, and returns all. `table` has all partitions.
    ///
    /// # Errors
    /// As [`findings`].
    pub(super) async fn complete(&self, table: Table, check_time: &CheckTime<'_>) -> Result<Array, CallEnd<JsValue>> {
        self.append(table, self.findings.length() as usize, check_time).await?;
        Ok(self.findings.clone())
    }

    async fn append(&self, table: Table, mut from: usize, check_time: &CheckTime<'_>) -> Result<(), CallEnd<JsValue>> {
        let length = table.len();
        let builder = Owned(RowBuilder::new(&Columns::from(table).into(), &self.parts));
        let mut batch = FIRST_BATCH;
        while from < length {
            let to = length.min(from + batch);
            let count = builder.0.append(from, to, &self.findings, LONG).map_err(CallEnd::Thrown)?;
            // Large rows need small batches: rows that are laid out but not built are laid out again.
            batch = if from + count < to { count } else { (batch * 2).min(LARGEST_BATCH) };
            from += count;
            yield_now().await;
            check_time()?;
        }
        Ok(())
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.free();
    }
}
