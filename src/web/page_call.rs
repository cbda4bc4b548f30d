//! A call in flight: what the border has of it beside the state machine, which holds it until the call ends.

use std::cell::RefCell;
use std::rc::Rc;

use chunk::form::Form;
use chunk::memory::{check_reserve, reserve};
use wasm_bindgen::prelude::*;

use super::performer::RunningCall;
use super::resume::{ResumeState, Unmade};
#[cfg(feature = "tables")]
use super::{tables::partition_table, watch::Watch};
use call::error::{Error, Failures, Subject};
use call::machine::CallId;
#[cfg(feature = "tables")]
use chunk::Chunk;

/// A call in flight.
pub(super) struct PageCall {
    pub(super) id: CallId,
    /// What performs it.
    pub(super) running: RunningCall,
    /// The inspection, as the caller passed it.
    pub(super) inspection_key: JsValue,
    /// The base URL, which ends with a slash and has no credentials.
    pub(super) base_url: Rc<str>,
    pub(super) subject: Subject,
    /// The form of its findings.
    pub(super) form: Form,
    /// The names of the columns that its findings are limited to.
    pub(super) columns: Option<Rc<[u8]>>,
    /// For a call for all findings: what it gathers, from which another one can resume.
    pub(super) state: Option<ResumeState>,
    /// Whether a reader takes its partitions.
    #[cfg(feature = "tables")]
    pub(super) is_stream: bool,
    /// The partitions that are missing, each with its error, in index order.
    pub(super) failures: RefCell<Failures<JsValue>>,
    /// The message of the first of them, once they have become objects.
    pub(super) first_failure: RefCell<Option<String>>,
    /// The error that lists them.
    pub(super) error: RefCell<Option<Box<Error<JsValue>>>>,
    /// What a call for one partition has received.
    #[cfg(feature = "tables")]
    pub(super) partition: RefCell<Option<(u64, Rc<Chunk>)>>,
    /// The live table that it belongs to.
    #[cfg(feature = "tables")]
    pub(super) watch: Option<Rc<Watch>>,
}

impl PageCall {
    /// Notes why a partition is missing, unless that is known, or memory is short.
    pub(super) fn note_missing(&self, index: u64, error: Box<Error<JsValue>>) {
        let mut failures = self.failures.borrow_mut();
        let place = failures.partition_point(|(other, _)| *other < index);
        let is_known = failures.get(place).is_some_and(|(other, _)| *other == index);
        if !is_known && check_reserve().is_ok() && reserve(&mut failures, 1).is_ok() {
            failures.insert(place, (index, error));
        }
    }

    /// Takes the first failures.
    pub(super) fn take_failures(&self, most: usize) -> Failures<JsValue> {
        let mut failures = self.failures.borrow_mut();
        let most = most.min(failures.len());
        failures.drain(..most).collect()
    }

    /// What the call resolves with; undefined if JavaScript has it.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub(super) fn result(&self) -> Result<JsValue, Unmade> {
        #[cfg(feature = "tables")]
        if let (Some((index, chunk)), Some(kind)) = (self.partition.take(), self.subject.kind) {
            return Ok(partition_table(index, chunk, self.columns.as_deref(), &self.inspection_key, kind)?);
        }
        match &self.state {
            Some(state) => state.findings(&self.base_url),
            None => Ok(JsValue::UNDEFINED),
        }
    }
}
