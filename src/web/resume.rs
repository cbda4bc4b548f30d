//! The state from which `resume()` continues a collecting call.

use std::rc::Rc;

use chunk::memory::OutOfMemory;
use wasm_bindgen::prelude::*;

use super::rows::{Findings, all};
use call::accumulator::Accumulator;
use call::contract::Kind;
use chunk::form::Form;
use chunk::invariant::Certain;
#[cfg(feature = "tables")]
use table::tables::Tables;

/// Returns the kind of this name, which JavaScript has checked.
pub(super) fn kind_of(name: &JsValue) -> Kind {
    [Kind::Topics, Kind::Sentiment].into_iter().find(|kind| *name == kind.name()).certain()
}

/// The state of a call for all findings, from which another call can resume.
#[wasm_bindgen]
#[derive(Clone)]
pub struct ResumeState {
    /// The partitions received so far.
    pub(super) accumulator: Rc<Accumulator<Findings>>,
    /// The form of the findings.
    pub(super) form: Form,
    /// Makes tables of chunks.
    #[cfg(feature = "tables")]
    pub(super) tables: Rc<Tables>,
    /// The inspection, as the caller passed it.
    pub(super) inspection_key: JsValue,
    /// The kind of the findings.
    pub(super) kind: Kind,
}

#[wasm_bindgen]
impl ResumeState {
    /// Fails if the instance of the module has stopped.
    pub fn check(&self) {}
}

impl ResumeState {
    /// The state of a new call for plain objects.
    pub(super) fn new(inspection_key: JsValue, kind: Kind) -> Self {
        ResumeState {
            accumulator: Rc::new(Accumulator::new(None)),
            form: Form::Rows,
            #[cfg(feature = "tables")]
            tables: Rc::default(),
            inspection_key,
            kind,
        }
    }

    /// The findings that a call with this base URL has received so far: a list of plain objects, or the package's table.
    ///
    /// # Errors
    ///
    /// Out of memory.
    pub(super) fn findings(&self, base_url: &str) -> Result<JsValue, OutOfMemory> {
        match self.form {
            Form::Rows => all(&self.accumulator),
            #[cfg(feature = "tables")]
            Form::Chunk => self.table_for_caller(base_url),
        }
    }
}
