//! The package's tables: of a call, of a partition, and for a later call.

use std::rc::Rc;

use chunk::Chunk;
use chunk::memory::OutOfMemory;
use js_sys::Uint8Array;
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use table::{Table, TableError};
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::decoding::hash_seed;
use super::findings_error::no_memory;
use super::serialize::to_js;
use crate::host_functions::{copy_bytes, make_table};
use call::contract::{Kind, KindCounts};
use table::tables::table_of;

/// Where the findings of a call come from: the type `Origin` of `src/js/core/table/origin.ts`, which has other cases for the tables that
/// TypeScript makes.
#[derive(Serialize)]
#[serde(tag = "of", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub(super) enum Origin<'call> {
    /// The findings of a call for all.
    Call {
        /// The inspection, as the caller passed it.
        #[serde(with = "preserve")]
        inspection_key: JsValue,
        /// The kind of the findings.
        kind: Kind,
        /// The number of all findings of this kind, if the call has received all.
        #[serde(skip_serializing_if = "Option::is_none")]
        total: Option<u64>,
        /// The counts of this kind, if the call has read them.
        #[serde(skip_serializing_if = "Option::is_none")]
        counts: Option<KindCounts>,
        /// The base URL of the call.
        base_url: &'call str,
    },
    /// The findings of one partition.
    Partition {
        /// The inspection, as the caller passed it.
        #[serde(with = "preserve")]
        inspection_key: JsValue,
        /// The kind of the findings.
        kind: Kind,
    },
}

/// A table that a later call begins with, if the counts are still the same.
#[wasm_bindgen]
pub struct EarlierTable {
    pub(super) table: Table,
    pub(super) counts: KindCounts,
}

#[wasm_bindgen]
impl Columns {
    /// Returns the names of the columns that the findings are limited to, each followed by the byte `0xFF`; undefined if they have all.
    #[wasm_bindgen(js_name = columnList)]
    pub fn column_list(&self) -> Result<Option<Uint8Array>, JsValue> {
        self.table.column_list().map(|names| copy_bytes(names).map_err(|_| no_memory())).transpose()
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
pub(super) fn table(findings: Table, origin: &Origin<'_>) -> JsValue {
    make_table(&Columns::from(findings).into(), &to_js(origin))
}

/// Returns the package's table of one partition, which is limited to `columns`.
///
/// # Errors
///
/// Out of memory, or there are too many findings.
pub(super) fn partition_table(
    index: u64,
    chunk: Rc<Chunk>,
    columns: Option<&[u8]>,
    inspection_key: &JsValue,
    kind: Kind,
) -> Result<JsValue, TableError> {
    let origin = Origin::Partition { inspection_key: inspection_key.clone(), kind };
    Ok(table(table_of(hash_seed, index, chunk, columns)?, &origin))
}
