//! A table that a later call begins with.

use chunk::memory::OutOfMemory;
use table::Table;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::findings_error::no_memory;
use call::contract::KindCounts;

/// A table that a later call begins with, if the counts are still the same.
#[wasm_bindgen]
pub struct EarlierTable {
    pub(super) table: Table,
    pub(super) counts: KindCounts,
}

#[wasm_bindgen]
impl Columns {
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
        self.table.as_part().map(Columns::from).map_err(|OutOfMemory| no_memory())
    }
}
