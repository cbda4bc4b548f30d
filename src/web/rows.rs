//! Findings as plain JavaScript objects.

use std::rc::Rc;

use chunk::Chunk;
use chunk::memory::OutOfMemory;
use js_sys::{Array, Uint8Array};
use wasm_bindgen::prelude::*;

use super::findings_error::no_memory;
use super::yield_now::{ThisRuntime, time_left, yield_now};
use crate::host_functions::{append_packed_rows, copy_bytes, join_findings, open_packed_rows, rows_failure};
use call::accumulator::{Accumulator, Objects, ReceivedPartition};
use chunk::decoding::pack;
use chunk::form::Formed;

/// The findings of a partition in the form of its call.
pub(super) type Findings = Formed<FindingList>;

/// A list of plain objects.
#[derive(Clone)]
pub(super) struct FindingList {
    list: Array,
    length: usize,
}

impl Objects for FindingList {
    fn len(&self) -> usize {
        self.length
    }
}

impl From<FindingList> for JsValue {
    fn from(FindingList { list, .. }: FindingList) -> Self {
        list.into()
    }
}

/// Builds objects from packed rows, in time slices.
///
/// # Errors
///
/// The rows are malformed, or an error was thrown meanwhile.
pub(super) async fn build(rows: &Uint8Array) -> Result<FindingList, JsValue> {
    let list = Array::new();
    let packed = open_packed_rows(rows);
    loop {
        let is_complete = append_packed_rows(&packed, &list, time_left()).ok_or_else(|| rows_failure(&packed))?;
        // At the end, too: many short partitions may wait, whose rows are built one after the other in one task.
        yield_now().await;
        if is_complete {
            let length = list.length() as usize;
            return Ok(FindingList { list, length });
        }
    }
}

/// Builds the objects of a chunk.
///
/// # Errors
///
/// Out of memory, or an error was thrown meanwhile.
pub(super) async fn objects_of(chunk: Rc<Chunk>) -> Result<JsValue, JsValue> {
    let rows = pack(&ThisRuntime, chunk).await.map_err(|OutOfMemory| no_memory())?;
    let packed = copy_bytes(&rows).ok_or_else(no_memory)?;
    drop(rows);
    build(&packed).await.map(JsValue::from)
}

/// Joins the lists of the partitions received so far.
pub(super) fn all(accumulator: &Accumulator<Findings>) -> Result<JsValue, OutOfMemory> {
    let list_of = |one: &ReceivedPartition<Findings>| match &one.findings {
        Formed::Rows(FindingList { list, .. }) => Some(list.clone()),
        #[cfg(feature = "tables")]
        Formed::Chunk(_) => None,
    };
    let lists = accumulator.partitions().iter().filter_map(list_of).collect();
    join_findings(&lists).result().map_err(|_| OutOfMemory)
}
