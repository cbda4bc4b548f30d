//! The package's tables: of a call, of a partition, and for a later call.

use std::rc::Rc;

use chunk::Chunk;
use chunk::memory::OutOfMemory;
use js_sys::Uint8Array;
use table::Table;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::findings_error::no_memory;
use super::resume::ResumeState;
use super::serialize::to_js;
use super::yield_now::ThisRuntime;
use crate::host_functions::{copy_bytes, make_table};
use call::accumulator::{Accumulator, EarlierPartitions};
use call::contract::{Kind, KindCounts};
use chunk::form::Form;
use table::tables::{ReceivedChunk, Tables, table_of};

/// The origin of findings.
struct Origin<'call> {
    /// The inspection, as the caller passed it.
    inspection_key: &'call JsValue,
    /// The kind of the findings.
    kind: Kind,
    /// The counts of this kind, if the call has read them.
    counts: Option<KindCounts>,
    /// Whether they are all findings of this kind.
    is_complete: bool,
    /// The base URL of the call, if a later call can begin with the findings; otherwise undefined.
    base_url: Option<&'call str>,
}

/// A table that a later call begins with, if the counts are still the same.
#[wasm_bindgen]
pub struct EarlierTable {
    table: Table,
    counts: KindCounts,
}

#[wasm_bindgen]
impl Columns {
    /// Returns the names of the columns that the call has kept, each followed by the byte `0xFF`; undefined if it has kept all.
    #[wasm_bindgen(js_name = columnList)]
    pub fn column_list(&self) -> Result<Option<Uint8Array>, JsValue> {
        self.table.kept().map(|names| copy_bytes(names).ok_or_else(no_memory)).transpose()
    }

    /// Returns the table for a later call; undefined for a view.
    #[wasm_bindgen(js_name = earlierTable)]
    pub fn earlier_table(
        &self,
        partitions: f64,
        #[wasm_bindgen(unchecked_param_type = "number | null | undefined")] findings: &JsValue,
    ) -> Option<EarlierTable> {
        let _ = self.table.partitions()?;
        let findings = findings.as_f64().map(|findings| findings as u64);
        Some(EarlierTable { table: self.table.clone(), counts: KindCounts { partitions: partitions as u64, findings } })
    }
}

#[wasm_bindgen]
impl EarlierTable {
    /// Fails if the instance of the module has stopped.
    pub fn check(&self) {}

    /// Returns the findings as the first of a live table.
    pub fn table(&self) -> Result<Columns, JsValue> {
        self.table.growing().map(Columns::from).map_err(|OutOfMemory| no_memory())
    }
}

impl ResumeState {
    /// The state of a new call for a table, which may begin with an earlier one.
    pub(super) fn of_table(
        inspection_key: JsValue,
        kind: Kind,
        tables: Tables,
        begin_with: Option<EarlierTable>,
    ) -> Self {
        let begin_with = begin_with
            .and_then(|EarlierTable { table, counts }| EarlierPartitions::of_chunks(counts, table.partitions()?));
        ResumeState {
            accumulator: Rc::new(Accumulator::new(begin_with)),
            form: Form::Chunk,
            tables: Rc::new(tables),
            inspection_key,
            kind,
        }
    }

    /// Keeps only these columns of the findings, unless some may have arrived.
    pub(super) fn keep_only(&self, columns: Option<Rc<[u8]>>) {
        if !self.accumulator.is_begun() {
            self.tables.keep_only(columns);
        }
    }

    /// The findings received so far, in columns.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn table(&self) -> Result<Table, OutOfMemory> {
        let partitions = self.accumulator.partitions();
        let received = partitions.iter().filter_map(|one| {
            let chunk = one.chunk()?;
            Some(ReceivedChunk { index: one.index, before: one.before, chunk })
        });
        self.tables.table::<ThisRuntime>(received, self.accumulator.is_whole())
    }

    /// The table of the package with the findings that a call with this base URL has received so far.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn table_for_caller(&self, base_url: &str) -> Result<JsValue, OutOfMemory> {
        let (counts, is_complete) = (self.accumulator.counts(), self.accumulator.is_complete());
        let (inspection_key, kind, base_url) = (&self.inspection_key, self.kind, Some(base_url));
        let origin = Origin { inspection_key, kind, counts, is_complete, base_url };
        table(self.table()?, origin)
    }
}

/// Makes the table of the package.
///
/// # Errors
///
/// Out of memory.
fn table(findings: Table, origin: Origin<'_>) -> Result<JsValue, OutOfMemory> {
    let Origin { inspection_key, kind, counts, is_complete, base_url } = origin;
    // A later call could not compare a count beyond 2^53 − 1.
    let counts = counts.and_then(|counts| to_js(&counts).ok()).unwrap_or_default();
    let columns = Columns::from(findings).into();
    let table = make_table(&columns, inspection_key, kind.name(), &counts, is_complete, base_url);
    table.result().map_err(|_| OutOfMemory)
}

/// Returns the package's table of one partition, which keeps only `columns`.
///
/// # Errors
///
/// Out of memory.
pub(super) fn partition_table(
    index: u64,
    chunk: Rc<Chunk>,
    columns: Option<&[u8]>,
    inspection_key: &JsValue,
    kind: Kind,
) -> Result<JsValue, OutOfMemory> {
    let origin = Origin { inspection_key, kind, counts: None, is_complete: false, base_url: None };
    table(table_of::<ThisRuntime>(index, chunk, columns)?, origin)
}
