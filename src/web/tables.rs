//! The package's tables: of a call, of a partition, and for a later call.

use std::rc::Rc;

use chunk::Chunk;
use chunk::memory::OutOfMemory;
use js_sys::Uint8Array;
use table::Table;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::findings_error::no_memory;
use super::runtime::ThisRuntime;
use super::serialize::to_js;
use crate::host_functions::{copy_bytes, make_table};
use call::contract::{Kind, KindCounts};
use table::tables::table_of;

/// The origin of findings.
pub(super) struct Origin<'call> {
    /// The inspection, as the caller passed it.
    pub(super) inspection_key: &'call JsValue,
    /// The kind of the findings.
    pub(super) kind: Kind,
    /// The counts of this kind, if the call has read them.
    pub(super) counts: Option<KindCounts>,
    /// Whether they are all findings of this kind.
    pub(super) is_complete: bool,
    /// The base URL of the call, if a later call can begin with the findings; otherwise undefined.
    pub(super) base_url: Option<&'call str>,
}

/// A table that a later call begins with, if the counts are still the same.
#[wasm_bindgen]
pub struct EarlierTable {
    pub(super) table: Table,
    pub(super) counts: KindCounts,
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

/// Makes the table of the package.
///
/// # Errors
///
/// Out of memory.
pub(super) fn table(findings: Table, origin: Origin<'_>) -> Result<JsValue, OutOfMemory> {
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
