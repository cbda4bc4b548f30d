//! Findings as plain JavaScript objects.

use std::cell::RefCell;

use columns::table::Table;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::yield_now::yield_now;
use crate::retrieve::host::Rows;

const FIRST_BATCH: usize = 64;
const LARGEST_BATCH: usize = 4096;

/// The time of a batch in milliseconds; a single row may take longer.
const LONG: f64 = 4.0;

#[wasm_bindgen(raw_module = "./table/table-row-builder.js")]
extern "C" {
    type TableRowBuilder;
    /// A builder of rows that no other builder has built.
    #[wasm_bindgen(constructor)]
    fn new(columns: &JsValue) -> TableRowBuilder;
    #[wasm_bindgen(method, catch)]
    fn append(
        this: &TableRowBuilder,
        from: usize,
        to: usize,
        findings: &Array,
        milliseconds: f64,
    ) -> Result<usize, JsValue>;
    #[wasm_bindgen(method)]
    fn free(this: &TableRowBuilder);
}

#[wasm_bindgen(raw_module = "./table/packed-rows.js")]
extern "C" {
    /// The rows of a partition, as a worker has laid them out.
    type PackedRows;
    /// Throws if they are malformed.
    #[wasm_bindgen(constructor, catch)]
    fn new(bytes: &Uint8Array) -> Result<PackedRows, JsValue>;
    /// Appends some findings; returns true once all are appended. Throws if they are malformed.
    #[wasm_bindgen(method, catch)]
    fn append(this: &PackedRows, findings: &Array, milliseconds: f64) -> Result<bool, JsValue>;
}

#[wasm_bindgen(raw_module = "./table/finding-lists.js")]
extern "C" {
    /// Joins lists of findings.
    fn joined(lists: &Array) -> Array;
}

/// The findings of a call as plain objects, by partition.
#[derive(Default)]
pub(super) struct Objects {
    /// The partitions received, in index order.
    partitions: RefCell<Vec<(u64, Array)>>,
}

/// Frees the columns of a builder on drop.
struct Owned(TableRowBuilder);

/// Builds all findings of a table, and yields between batches.
///
/// # Errors
/// An error thrown while building rows.
pub(super) async fn findings(table: Table) -> Result<Array, JsValue> {
    let findings = Array::new();
    let length = table.len();
    let builder = Owned(TableRowBuilder::new(&Columns::from(table).into()));
    let (mut from, mut batch) = (0, FIRST_BATCH);
    while from < length {
        let to = length.min(from + batch);
        let count = builder.0.append(from, to, &findings, LONG)?;
        // Large rows need small batches: rows that are laid out but not built are laid out again.
        batch = if from + count < to { count } else { (batch * 2).min(LARGEST_BATCH) };
        from += count;
        yield_now().await;
    }
    Ok(findings)
}

impl Objects {
    /// Builds the findings of a partition, and yields between batches. Returns their number; `None` if they are malformed.
    ///
    /// # Errors
    /// An error thrown while building rows that the calling thread has decoded.
    pub(super) async fn build(&self, index: u64, rows: Rows<Uint8Array>) -> Result<Option<usize>, JsValue> {
        let built = match rows {
            Rows::Table(table) => findings(table).await?,
            // A caller's worker may post anything. If memory runs out, the calling thread decodes the body and reports it.
            Rows::Packed(bytes) => match unpacked(&bytes).await {
                Ok(findings) => findings,
                Err(_) => return Ok(None),
            },
        };
        let length = built.length() as usize;
        self.take(index);
        let mut partitions = self.partitions.borrow_mut();
        let position = partitions.partition_point(|(other, _)| *other < index);
        partitions.insert(position, (index, built));
        Ok(Some(length))
    }

    /// Removes the findings of a partition, and returns them.
    pub(super) fn take(&self, index: u64) -> Array {
        let mut partitions = self.partitions.borrow_mut();
        let position = partitions.iter().position(|(other, _)| *other == index);
        position.map(|position| partitions.remove(position).1).unwrap_or_default()
    }

    /// Returns the findings received so far, in index order.
    pub(super) fn all(&self) -> Array {
        joined(&self.partitions.borrow().iter().map(|(_, findings)| findings).collect())
    }
}

async fn unpacked(bytes: &Uint8Array) -> Result<Array, JsValue> {
    let findings = Array::new();
    let packed = PackedRows::new(bytes)?;
    while !packed.append(&findings, LONG)? {
        yield_now().await;
    }
    Ok(findings)
}

impl Drop for Owned {
    fn drop(&mut self) {
        self.0.free();
    }
}
