//! A call in flight: what the border knows of it beside the state machine.

use std::rc::Rc;

use chunk::form::Form;
use chunk::memory::{check_reserve, reserve};
use wasm_bindgen::prelude::*;

use super::resume::{ResumeState, Unmade};
#[cfg(feature = "tables")]
use super::{tables::partition_table, watch::Watch};
use call::contract::Kind;
use call::error::{Error, Failures, Subject};
use call::machine::{CallId, Received, Work};
#[cfg(feature = "tables")]
use chunk::Chunk;

/// What the errors of a call contain.
#[derive(Clone)]
pub(super) struct Context {
    /// The inspection, as the caller passed it.
    pub(super) inspection_key: JsValue,
    /// The base URL, which ends with a slash and has no credentials.
    pub(super) base_url: Rc<str>,
}

/// A call in flight.
pub(super) struct InFlight {
    pub(super) id: CallId,
    pub(super) context: Context,
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
    pub(super) failures: Failures<JsValue>,
    /// The message of the first of them, once they have become objects.
    pub(super) first_failure: Option<String>,
    /// The error that lists them.
    pub(super) error: Option<Box<Error<JsValue>>>,
    /// What a call for one partition has received.
    #[cfg(feature = "tables")]
    pub(super) partition: Option<(u64, Rc<Chunk>)>,
    /// The live table that it belongs to.
    #[cfg(feature = "tables")]
    pub(super) watch: Option<Rc<Watch>>,
}

impl InFlight {
    /// Notes why a partition is missing, unless that is known, or memory is short.
    pub(super) fn note_missing(&mut self, index: u64, error: Box<Error<JsValue>>) {
        let place = self.failures.partition_point(|(other, _)| *other < index);
        let is_known = self.failures.get(place).is_some_and(|(other, _)| *other == index);
        if !is_known && check_reserve().is_ok() && reserve(&mut self.failures, 1).is_ok() {
            self.failures.insert(place, (index, error));
        }
    }

    /// Takes the first failures.
    pub(super) fn take_failures(&mut self, most: usize) -> Failures<JsValue> {
        self.failures.drain(..most.min(self.failures.len())).collect()
    }

    /// What the call resolves with; undefined if JavaScript has it.
    ///
    /// # Errors
    ///
    /// It cannot be made.
    pub(super) fn result(&mut self, received: Option<Received>) -> Result<JsValue, Unmade> {
        #[cfg(feature = "tables")]
        if let (Some((index, chunk)), Some(kind)) = (self.partition.take(), self.subject.kind) {
            return Ok(partition_table(index, chunk, self.columns.as_deref(), &self.context.inspection_key, kind)?);
        }
        match &self.state {
            Some(state) => state.findings(received, &self.context.base_url),
            None => Ok(JsValue::UNDEFINED),
        }
    }
}

/// The kind of the findings that a call fetches; `None` for both.
pub(super) fn kind_of_work(work: &Work) -> Option<Kind> {
    match work {
        Work::Counts => None,
        Work::Partition(kind, _) | Work::Findings(kind) | Work::Stream(kind, _) => Some(*kind),
    }
}
