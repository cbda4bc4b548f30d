//! The source of a live table: the partitions that its call has received so far.

use std::cell::Cell;
use std::rc::Rc;

use chunk::memory::{OutOfMemory, check_reserve};
use js_sys::Function;
use wasm_bindgen::prelude::*;

use super::columns::Columns;
use super::findings_error::no_memory;
use super::resume::ResumeState;
use super::serialize::to_js;
use call::retrieve::progress::Progress;

/// The content of a live table. Its calls add to it one after the other.
#[wasm_bindgen]
pub struct LiveSource {
    /// The state from which each call resumes.
    pub(super) resume_state: ResumeState,
    /// What a call reports its changes to.
    pub(super) watch: Rc<Watch>,
}

/// The progress of the call behind a live table, and the function to call after each change.
pub(super) struct Watch {
    progress: Cell<Progress>,
    on_change: Function,
}

#[wasm_bindgen]
impl LiveSource {
    /// Returns the findings received so far as a table that shares their columns.
    pub fn table(&self) -> Result<Columns, JsValue> {
        check_reserve().map_err(|OutOfMemory| no_memory())?;
        self.resume_state.table().map(Columns::from).map_err(|OutOfMemory| no_memory())
    }

    /// Returns the progress of the call.
    #[wasm_bindgen(unchecked_return_type = "Progress")]
    pub fn progress(&self) -> Result<JsValue, JsValue> {
        to_js(&self.watch.progress.get())
    }

    /// Returns true if the earlier table, with which the call may begin or has begun, has a partition that the call has not.
    #[wasm_bindgen(js_name = isBehind)]
    pub fn is_behind(&self) -> bool {
        self.resume_state.accumulator.is_behind()
    }

    /// Fails if the instance of the module has stopped.
    pub fn check(&self) {}
}

impl LiveSource {
    /// An empty source. `on_change` must not throw.
    pub(super) fn new(resume_state: ResumeState, on_change: Function) -> Self {
        LiveSource { resume_state, watch: Rc::new(Watch { progress: Cell::new(Progress::NONE), on_change }) }
    }
}

impl Watch {
    /// Records the progress and reports the change.
    pub(super) fn note(&self, progress: Progress) {
        self.progress.set(progress);
        // Throws only on an exhausted stack; the next change tries again.
        let _ = self.on_change.call0(&JsValue::UNDEFINED);
    }
}
