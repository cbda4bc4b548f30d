//! The package's table, and where its findings come from.

use std::rc::Rc;

use chunk::Chunk;
use chunk::value::column_name::ColumnList;
use serde::Serialize;
use serde_wasm_bindgen::preserve;
use table::{Table, TableError};
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::decoding::hash_seed;
use super::serialize::to_js;
use crate::host_functions::make_table;
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

/// Makes the table of the package.
pub(super) fn table(findings: Table, origin: &Origin<'_>) -> JsValue {
    make_table(&Columns::from(findings).into(), &to_js(origin))
}

/// Returns the package's table of one partition, which has these columns.
///
/// # Errors
///
/// Out of memory, or there are too many findings.
pub(super) fn partition_table(
    index: u64,
    chunk: Rc<Chunk>,
    columns: ColumnList,
    inspection_key: &JsValue,
    kind: Kind,
) -> Result<JsValue, TableError> {
    let origin = Origin::Partition { inspection_key: inspection_key.clone(), kind };
    Ok(table(table_of(hash_seed, index, chunk, columns)?, &origin))
}
