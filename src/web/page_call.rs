//! A call in flight: what the border has of it beside the state machine, which holds it until the call ends.

use std::rc::Rc;

use chunk::form::Form;
use chunk::value::column_name::ColumnList;
use wasm_bindgen::prelude::*;

use super::performer::RunningCall;
use super::resume::{ResumeState, Unmade};
#[cfg(feature = "tables")]
use super::tables::partition_table;
use call::error::Subject;
#[cfg(feature = "tables")]
use chunk::Chunk;

/// A call in flight.
pub(super) struct PageCall {
    /// What performs it.
    pub(super) running: RunningCall,
    /// The inspection, as the caller passed it.
    pub(super) inspection_key: JsValue,
    /// The base URL, which ends with a slash and has no credentials.
    pub(super) base_url: Rc<str>,
    pub(super) subject: Subject,
    /// The form of its findings.
    pub(super) form: Form,
    pub(super) columns: ColumnList,
    /// For a call for all findings: what it gathers, from which another one can resume.
    pub(super) state: Option<ResumeState>,
    /// Whether a reader takes its partitions.
    #[cfg(feature = "tables")]
    pub(super) is_stream: bool,
    /// What a call for one partition has received.
    #[cfg(feature = "tables")]
    pub(super) partition: std::cell::RefCell<Option<(u64, Rc<Chunk>)>>,
}

impl PageCall {
    /// What the call resolves with; undefined if JavaScript has it.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub(super) fn result(&self) -> Result<JsValue, Unmade> {
        #[cfg(feature = "tables")]
        if let (Some((index, chunk)), Some(kind)) = (self.partition.take(), self.subject.kind) {
            return Ok(partition_table(index, chunk, self.columns.clone(), &self.inspection_key, kind)?);
        }
        match &self.state {
            Some(state) => state.findings(&self.base_url),
            None => Ok(JsValue::UNDEFINED),
        }
    }
}
