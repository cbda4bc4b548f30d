//! Findings as plain JavaScript objects.

use columns::memory::OutOfMemory;
use columns::table::Table;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::yield_now::{ThisRuntime, time_left, yield_now};
use crate::accumulator::{Accumulator, Received};
use crate::host_functions::{
    RowBuilder, append_packed_rows, append_rows, free_row_builder, join_findings, make_row_builder, open_packed_rows,
};
use crate::partition_findings::{EmptyChunk, PartitionFindings};
use crate::retrieve::host::Decoded;
use crate::tables::table_of;

const FIRST_BATCH: usize = 64;
const LARGEST_BATCH: usize = 4096;

/// The findings of a partition: in columns, or as a list of plain objects.
pub(super) type Findings = PartitionFindings<Array>;

/// Frees the columns of a builder on drop.
struct Owned(RowBuilder);

/// Builds all findings of a table, and yields between batches.
///
/// # Errors
/// An error thrown while building rows.
pub(super) async fn findings(table: Table) -> Result<Array, JsValue> {
    let findings = Array::new();
    let length = table.len();
    let builder = Owned(make_row_builder(&Columns::from(table).into()));
    let (mut from, mut batch) = (0, FIRST_BATCH);
    while from < length {
        let to = length.min(from + batch);
        let appended = append_rows(&builder.0, from, to, &findings, time_left()).result()?;
        let count = appended.as_f64().unwrap_or_default() as usize;
        // Large rows need small batches: rows that are laid out but not built are laid out again.
        batch = if from + count < to { count } else { (batch * 2).min(LARGEST_BATCH) };
        from += count;
        yield_now().await;
    }
    Ok(findings)
}

/// Gives decoded findings the form that a call keeps: lists of objects, or columns. `None` if they are malformed.
///
/// # Errors
/// An error thrown while building rows that the calling thread has decoded.
pub(super) async fn kept(
    decoded: Decoded<Uint8Array>,
    as_objects: bool,
    empty: &EmptyChunk,
) -> Result<Option<Findings>, JsValue> {
    let objects = match decoded {
        Decoded::Columns(chunk) if !as_objects => return Ok(Some(PartitionFindings::Columns(empty.shared(chunk)))),
        Decoded::Columns(chunk) => {
            let table = table_of::<ThisRuntime>(0, chunk, None).map_err(|OutOfMemory| JsValue::UNDEFINED)?;
            Some(findings(table).await?)
        }
        // A caller's worker may post anything. If memory runs out, the calling thread decodes the body and reports it.
        Decoded::Rows(bytes) => unpacked(&bytes).await,
    };
    Ok(objects.map(|objects| {
        let count = objects.length() as usize;
        PartitionFindings::Objects(objects, count)
    }))
}

/// Joins the lists of the partitions received so far.
pub(super) fn all(accumulator: &Accumulator<Findings>) -> Result<JsValue, OutOfMemory> {
    let list_of = |one: &Received<Findings>| match &one.findings {
        PartitionFindings::Objects(objects, _) => Some(objects.clone()),
        PartitionFindings::Columns(_) => None,
    };
    let lists = accumulator.partitions().iter().filter_map(list_of).collect();
    join_findings(&lists).result().map_err(|_| OutOfMemory)
}

async fn unpacked(bytes: &Uint8Array) -> Option<Array> {
    let findings = Array::new();
    let packed = open_packed_rows(bytes)?;
    loop {
        let is_complete = append_packed_rows(&packed, &findings, time_left())?;
        // At the end, too: many short partitions may wait, whose rows are built one after the other in one task.
        yield_now().await;
        if is_complete {
            return Some(findings);
        }
    }
}

impl Drop for Owned {
    fn drop(&mut self) {
        free_row_builder(&self.0);
    }
}
