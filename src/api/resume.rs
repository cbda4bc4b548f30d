//! The state from which `resume()` continues a collecting call.

use std::rc::Rc;

use columns::memory::OutOfMemory;
use columns::table::Table;
use js_sys::Uint8Array;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::findings_error::no_memory;
use super::rows::Objects;
use super::serialize::to_js;
use crate::accumulator::Accumulator;
use crate::contract::{Kind, KindCounts};

#[wasm_bindgen(raw_module = "./table/table.js")]
extern "C" {
    /// Creates a `FindingsTable` with these columns and their origin.
    #[wasm_bindgen(js_name = tableFrom)]
    fn table_from(
        columns: Columns,
        inspection_key: &JsValue,
        kind: &str,
        counts: &JsValue,
        is_complete: bool,
        base_url: &JsValue,
    ) -> JsValue;
}

/// Returns the kind of this name.
pub(super) fn kind_of(name: &JsValue) -> Kind {
    if *name == Kind::Topics.name() { Kind::Topics } else { Kind::Sentiment }
}

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
    pub(super) base_url: &'call JsValue,
}

/// The state of a call for all findings, from which another call can resume.
#[wasm_bindgen]
#[derive(Clone)]
pub struct ResumeState {
    accumulator: Rc<Accumulator>,
    inspection_key: JsValue,
    kind: Kind,
    /// The findings received so far as plain objects; `None` if they are in columns.
    objects: Option<Rc<Objects>>,
}

/// Makes the table of the package.
pub(super) fn table(findings: Table, origin: Origin<'_>) -> JsValue {
    let Origin { inspection_key, kind, counts, is_complete, base_url } = origin;
    // A later call could not compare a count beyond 2^53 − 1.
    let counts = counts.and_then(|counts| to_js(&counts).ok()).unwrap_or_default();
    table_from(findings.into(), inspection_key, kind.name(), &counts, is_complete, base_url)
}

/// A table that a later call begins with, if the counts are still the same.
#[wasm_bindgen]
pub struct Earlier {
    table: Table,
    counts: KindCounts,
}

#[wasm_bindgen]
impl Columns {
    /// Returns the names of the columns that the call has kept, each followed by the byte `0xFF`; undefined if it has kept all.
    pub fn kept(&self) -> Option<Uint8Array> {
        self.table.kept().map(Uint8Array::from)
    }

    /// Returns the table for a later call; undefined for a view.
    pub fn earlier(&self, partitions: f64, findings: &JsValue) -> Option<Earlier> {
        let _ = self.table.partitions()?;
        let findings = findings.as_f64().map(|findings| findings as u64);
        Some(Earlier { table: self.table.clone(), counts: KindCounts { partitions: partitions as u64, findings } })
    }
}

#[wasm_bindgen]
impl Earlier {
    /// Fails if the instance of the module has stopped.
    pub fn check(&self) {}

    /// Returns the findings as the first of a live table.
    pub fn table(&self) -> Result<Columns, JsValue> {
        self.table.growing().map(Columns::from).map_err(|OutOfMemory| no_memory())
    }
}

impl Earlier {
    /// Lets a call begin with a table, if there is one.
    pub(super) fn added_to(accumulator: Accumulator, earlier: Option<Earlier>) -> Rc<Accumulator> {
        Rc::new(match earlier {
            Some(Earlier { table, counts }) => accumulator.with_earlier(table, counts),
            None => accumulator,
        })
    }
}

#[wasm_bindgen]
impl ResumeState {
    /// Fails if the instance of the module has stopped.
    pub fn check(&self) {}
}

impl ResumeState {
    /// The state of a new call, which keeps objects or columns.
    pub(super) fn new(
        accumulator: Rc<Accumulator>,
        inspection_key: JsValue,
        kind: Kind,
        objects: Option<Rc<Objects>>,
    ) -> Self {
        ResumeState { accumulator, inspection_key, kind, objects }
    }

    /// The partitions received so far.
    pub(super) fn accumulator(&self) -> Rc<Accumulator> {
        Rc::clone(&self.accumulator)
    }

    /// The inspection, as the caller passed it.
    pub(super) fn inspection_key(&self) -> &JsValue {
        &self.inspection_key
    }

    /// The kind of the findings.
    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    /// The origin of the findings that a call with this base URL has received.
    pub(super) fn origin<'call>(&'call self, is_complete: bool, base_url: &'call JsValue) -> Origin<'call> {
        let counts = self.accumulator.counts();
        Origin { inspection_key: &self.inspection_key, kind: self.kind, counts, is_complete, base_url }
    }

    /// The findings received so far as plain objects; `None` if they are in columns.
    pub(super) fn objects(&self) -> Option<Rc<Objects>> {
        self.objects.clone()
    }
}
